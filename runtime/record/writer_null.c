/* Writer for runs without a result file: drops every row. The recorder counts the rows. Thread: see writer.h. Real-time: no. */
#include <stdlib.h>

#include "base/text_file.h"
#include "runtime/record/writer_ops.h"

struct wr_writer {
    char unused;
};

static wr_writer *null_open(const wr_recorder_options *options, wrsim_error *err)
{
    wr_writer *const writer = calloc(1, sizeof *writer);
    if (!writer) {
        wr_error_set(err, WRSIM_E_MEMORY, "out of memory for the recorder");
        return NULL;
    }
    if (options->summary && *options->summary)
        wr_text_file_remove(options->summary);
    return writer;
}

static wrsim_status null_row(wr_writer *writer, double t_s, const double *const *values,
                             wrsim_error *err)
{
    (void)writer, (void)t_s, (void)values, (void)err;
    return WRSIM_OK;
}

static wrsim_status null_event(wr_writer *writer, int i_stream, int kind, double t_s,
                               const double *values, wrsim_error *err)
{
    (void)writer, (void)i_stream, (void)kind, (void)t_s, (void)values, (void)err;
    return WRSIM_OK;
}

static wrsim_status null_flush(wr_writer *writer, wrsim_error *err)
{
    (void)writer, (void)err;
    return WRSIM_OK;
}

static wrsim_status null_close(wr_writer **writer, wr_recorder_stats *stats, wrsim_error *err)
{
    (void)err;
    stats->file_bytes = 0; /* no file */
    free(*writer);
    *writer = NULL;
    return WRSIM_OK;
}

const wr_writer_ops wr_writer_null = {
    .extension = "",
    .help = "no file",
    .open = null_open,
    .row = null_row,
    .event = null_event,
    .flush = null_flush,
    .close = null_close,
};
