/* Fixtures of the recorder's tests: options with two small streams, values, and bytes of files. */
#ifndef WR_RECORD_TEST_H
#define WR_RECORD_TEST_H

#include "wr_test.h"

#include <dirent.h>
#include <unistd.h>

#include "runtime/record/recorder.h"
#include "runtime/record/results.h"
#include "runtime/record/writer.h"

#define CONFIG_TEXT "[simulation]\nstop = 1.0\n\nsignal = \"# signal x [y]\"\n"

static const wr_channel air_channels[] = {
    {"air.p", "Pa", "pressure, intake"},
    {"air.y.O2", "", "mass fraction of \"oxygen\"\nin two lines"},
};
static const wr_channel cyl_channels[] = {{"cyl/1.p", "Pa", NULL}};
static const wr_stream_info two_streams[] = {
    {"air", 2, air_channels},
    {"cyl/1", 1, cyl_channels},
};

static inline wr_recorder_options options_for(const char *file)
{
    return (wr_recorder_options){.file = file,
                                 .config_text = CONFIG_TEXT,
                                 .version = "1.2.3",
                                 .decimation = 1,
                                 .start_s = -1e300,
                                 .communication_step_s = 0.1,
                                 .n_stream = 2,
                                 .stream = two_streams,
                                 .cap_row = 8};
}

/* Returns 1 if the HDF5 module can be loaded. */
static inline int has_hdf5(void)
{
    wrsim_error err;
    return wr_writer_find("x.h5", &err) != NULL;
}

/* Returns a number without a short decimal form, different for every place. */
static inline double value_at(int i_stream, int i_channel, int i_row)
{
    return sin(1.0 + 100.0 * i_stream + 10.0 * i_channel + 0.7 * i_row) / 3.0;
}

static inline char *read_bytes(const char *file, size_t *ret_bytes)
{
    FILE *const stream = fopen(file, "rb");
    assert_non_null(stream);
    fseek(stream, 0, SEEK_END);
    const long n_bytes = ftell(stream);
    rewind(stream);
    char *const bytes = malloc((size_t)n_bytes + 1);
    assert_int_equal(fread(bytes, 1, (size_t)n_bytes, stream), n_bytes);
    bytes[n_bytes] = 0;
    fclose(stream);
    *ret_bytes = (size_t)n_bytes;
    return bytes;
}

static inline void assert_same_bytes(const char *file_a, const char *file_b)
{
    size_t n_a, n_b;
    AUTO(wr_test_free) char *a = read_bytes(file_a, &n_a), *b = read_bytes(file_b, &n_b);
    assert_int_equal(n_a, n_b);
    assert_memory_equal(a, b, n_a);
}

static inline void write_text(const char *file, const char *text, size_t n_bytes)
{
    FILE *const stream = fopen(file, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(text, 1, n_bytes, stream), n_bytes);
    fclose(stream);
}

#endif
