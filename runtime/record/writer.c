/* See writer.h. Thread: any. Real-time: no. */
#include "runtime/record/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define WR_X(name) &wr_writer_##name,
static const wr_writer_ops *const wr_writers[] = {WR_WRITER_LIST(WR_X) NULL};
#undef WR_X

static const char *extension_of(const char *file)
{
    const char *const slash = strrchr(file, '/');
    const char *const dot = strrchr(slash ? slash + 1 : file, '.');
    return dot ? dot : "";
}

const wr_writer_ops *wr_writer_row(const char *file)
{
    for (const wr_writer_ops *const *ops = wr_writers; *ops; ops++)
        if (strcasecmp((*ops)->extension, extension_of(file)) == 0)
            return *ops;
    return NULL;
}

char *wr_writer_beside(const char *file)
{
    const wr_writer_ops *const row = wr_writer_row(file);
    const char *const ending = row && row->beside ? row->beside : "";
    char *const name = malloc(strlen(file) + strlen(ending) + 1);
    if (name)
        sprintf(name, "%s%s", *ending ? file : "", ending);
    return name;
}

const wr_writer_ops *wr_writer_find(const char *file, wrsim_error *err)
{
    if (!file || !*file)
        return &wr_writer_null;
    const wr_writer_ops *const row = wr_writer_row(file);
    if (row)
        return row->load ? row->load(err) : row;
    const char *const extension = extension_of(file);
    char known[256] = "";
    for (const wr_writer_ops *const *ops = wr_writers; *ops; ops++) {
        const size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s (%s)", used ? ", " : "",
                 (*ops)->extension, (*ops)->help);
    }
    wr_error_set(err, WRSIM_E_ARG, "output file '%s' has %s%s%s; choose one of %s", file,
                 *extension ? "the unknown extension '" : "no extension", extension,
                 *extension ? "'" : "", known);
    return NULL;
}

const char *const *wr_writer_names(void)
{
    static const char *names[sizeof wr_writers / sizeof *wr_writers];
    for (size_t i = 0; wr_writers[i]; i++)
        names[i] = wr_writers[i]->extension + 1;
    return names;
}

int wr_writer_n_channel(const wr_recorder_options *options)
{
    int n_channel = 0;
    for (int i = 0; i < options->n_stream; i++)
        n_channel += options->stream[i].n_channel;
    return n_channel;
}

int wr_writer_n_log(const wr_recorder_options *options)
{
    return options->log ? options->log->n_subsystem + 1 : 0;
}

int wr_writer_log_values(const wr_recorder_options *options, int i_log)
{
    const wr_log_info *const log = options->log;
    if (i_log == log->n_subsystem)
        return log->has_windows ? WR_LOG_WINDOW_VALUES + log->n_subsystem : 0;
    return log->has_log[i_log] ? WR_LOG_ENTRY_VALUES : 0;
}
