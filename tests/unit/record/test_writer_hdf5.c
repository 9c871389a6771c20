#include "record_test.h"

#include <signal.h>
#include <sys/resource.h>

#include <hdf5.h>

/* Returns the writer in the module. */
static const wr_writer_ops *h5(void)
{
    wrsim_error err;
    return wr_writer_find("x.h5", &err);
}

enum { N_ROW = 3000 }; /* more than two chunks of rows, and more than three chunks of event rows */

static void put_row(wr_writer *writer, int i)
{
    const double air[] = {value_at(0, 0, i), value_at(0, 1, i)}, cyl[] = {value_at(1, 0, i)};
    const double *const values[] = {air, cyl};
    wrsim_error err;
    assert_int_equal(h5()->row(writer, 0.1 * i, values, &err), WRSIM_OK);
    if (i % 3 == 0)
        assert_int_equal(h5()->event(writer, 1, 1 + i % 2, 0.1 * i + 0.05, cyl, &err), WRSIM_OK);
    if (i % 100 == 7)
        assert_int_equal(h5()->event(writer, 0, 2, 0.1 * i + 0.07, air, &err), WRSIM_OK);
}

/* Writes the sample, flushing after every n_flush-th row on average; n_flush 0: never. */
static void write_sample(const char *file, int n_row, int n_flush)
{
    const wr_recorder_options options = options_for(file);
    wrsim_error err;
    wr_writer *writer = h5()->open(&options, &err);
    assert_non_null(writer);
    unsigned random = (unsigned)n_flush;
    for (int i = 0; i < n_row; i++) {
        put_row(writer, i);
        random = random * 1664525u + 1013904223u;
        if (n_flush > 0 && (random >> 16) % (unsigned)n_flush == 0)
            assert_int_equal(h5()->flush(writer, &err), WRSIM_OK);
    }
    wr_recorder_stats stats = {0};
    assert_int_equal(h5()->close(&writer, &stats, &err), WRSIM_OK);
    assert_true(stats.file_bytes > 0);
}

TEST(bytes_do_not_depend_on_flushes)
{
    const int n_rows[] = {0, 1, 5, 1024, 1025, N_ROW};
    for (size_t i = 0; i < sizeof n_rows / sizeof n_rows[0]; i++) {
        write_sample("never.h5", n_rows[i], 0);
        write_sample("always.h5", n_rows[i], 1);
        assert_same_bytes("never.h5", "always.h5");
        write_sample("often.h5", n_rows[i], 7);
        assert_same_bytes("never.h5", "often.h5");
        write_sample("rarely.h5", n_rows[i], 400);
        assert_same_bytes("never.h5", "rarely.h5");
    }
}

/* Writes many data sets: HDF5 keeps much data in memory, and a flush happens in the middle. */
static void write_wide(const char *file, int n_flush)
{
    enum { STREAMS = 12, CHANNELS = 20, ROWS = 1500 };
    static char name[STREAMS][16], channel_name[STREAMS][CHANNELS][24];
    static wr_channel channel[STREAMS][CHANNELS];
    wr_stream_info stream[STREAMS];
    for (int i = 0; i < STREAMS; i++) {
        snprintf(name[i], sizeof name[i], "s%d", i);
        stream[i] = (wr_stream_info){name[i], CHANNELS, channel[i]};
        for (int j = 0; j < CHANNELS; j++) {
            snprintf(channel_name[i][j], sizeof channel_name[i][j], "s%d.y%d", i, j);
            channel[i][j] = (wr_channel){channel_name[i][j], "V", "voltage"};
        }
    }
    wr_recorder_options options = options_for(file);
    options.n_stream = STREAMS;
    options.stream = stream;
    wrsim_error err;
    wr_writer *writer = h5()->open(&options, &err);
    assert_non_null(writer);
    const double value[CHANNELS] = {1.0, 2.0, 3.0};
    const double *values[STREAMS];
    for (int i = 0; i < STREAMS; i++)
        values[i] = value;
    for (int i = 0; i < ROWS; i++) {
        assert_int_equal(h5()->row(writer, 0.1 * i, values, &err), WRSIM_OK);
        assert_int_equal(h5()->event(writer, i % STREAMS, 1, 0.1 * i, value, &err), WRSIM_OK);
        if (n_flush > 0 && i % n_flush == 0)
            assert_int_equal(h5()->flush(writer, &err), WRSIM_OK);
    }
    wr_recorder_stats stats = {0};
    assert_int_equal(h5()->close(&writer, &stats, &err), WRSIM_OK);
}

TEST(bytes_of_many_data_sets)
{
    write_wide("never.h5", 0);
    const int n_flush[] = {3, 100, 700};
    for (size_t i = 0; i < sizeof n_flush / sizeof n_flush[0]; i++) {
        write_wide("flushed.h5", n_flush[i]);
        assert_same_bytes("never.h5", "flushed.h5");
    }
}

static void assert_text_attribute(hid_t object, const char *name, const char *expected)
{
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    assert_true(attribute >= 0);
    const hid_t type = H5Aget_type(attribute);
    char *text = NULL;
    assert_true(H5Aread(attribute, type, &text) >= 0);
    assert_string_equal(text, expected);
    H5free_memory(text);
    H5Tclose(type);
    H5Aclose(attribute);
}

static hsize_t read_all(hid_t file, const char *path, double *ret_value, hsize_t *ret_columns)
{
    const hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
    assert_true(dataset >= 0);
    const hid_t space = H5Dget_space(dataset);
    hsize_t size[2] = {0, 1};
    H5Sget_simple_extent_dims(space, size, NULL);
    assert_true(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, ret_value) >= 0);
    H5Sclose(space);
    H5Dclose(dataset);
    *ret_columns = size[1];
    return size[0];
}

/* The layout that hdf5_names.h describes for other programs. */
TEST(layout)
{
    write_sample("layout.h5", N_ROW, 500);
    const hid_t file = H5Fopen("layout.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    assert_text_attribute(file, "program", "wrsim");
    assert_text_attribute(file, "version", "1.2.3");
    static double value[2 * N_ROW];
    hsize_t n_column;
    assert_int_equal(read_all(file, "/time", value, &n_column), N_ROW);
    for (int i = 0; i < N_ROW; i++)
        assert_true(value[i] == 0.1 * i);
    const char *const paths[] = {"/signals/air/p", "/signals/air/y.O2", "/signals/cyl%2F1/p"};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(read_all(file, paths[i], value, &n_column), N_ROW);
        for (int j = 0; j < N_ROW; j++)
            assert_true(value[j] == value_at(i / 2, i % 2, j));
    }
    const hid_t signal = H5Dopen2(file, paths[2], H5P_DEFAULT);
    assert_text_attribute(signal, "name", "cyl/1.p");
    assert_text_attribute(signal, "unit", "Pa");
    assert_text_attribute(signal, "description", "");
    H5Dclose(signal);
    static const char *const tables[] = {"/names", "/units", "/descriptions"};
    static const char *const texts[] = {"air.p", "Pa", "pressure, intake"};
    for (int i = 0; i < 3; i++) {
        char text[3][64] = {""};
        const hid_t table = H5Dopen2(file, tables[i], H5P_DEFAULT), type = H5Dget_type(table);
        assert_false(H5Tis_variable_str(type)); /* Octave loads fixed lengths only */
        const size_t size = H5Tget_size(type);
        assert_true(size < sizeof text[0] &&
                    H5Sget_simple_extent_npoints(H5Dget_space(table)) == 3);
        assert_true(H5Dread(table, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0);
        assert_string_equal(text[0], texts[i]);
        H5Tclose(type);
        H5Dclose(table);
    }
    const int n_event = N_ROW / 100;
    assert_int_equal(read_all(file, "/events/air/time", value, &n_column), n_event);
    assert_true(value[3] == 0.1 * 307 + 0.07);
    assert_int_equal(read_all(file, "/events/air/kind", value, &n_column), n_event);
    assert_true(value[3] == 2.0);
    assert_int_equal(read_all(file, "/events/air/values", value, &n_column), n_event);
    assert_int_equal(n_column, 2);
    assert_true(value[2 * 3 + 1] == value_at(0, 1, 307));
    assert_int_equal(read_all(file, "/events/cyl%2F1/values", value, &n_column), N_ROW / 3);
    for (int i = 0; i < N_ROW / 3; i++)
        assert_true(value[i] == value_at(1, 0, 3 * i));
    assert_int_equal(H5Fget_obj_count(file, H5F_OBJ_ALL), 1);
    H5Fclose(file);
}

TEST(awkward_names)
{
    const wr_channel channels[] = {{"..x", "", ""},
                                   {"a.", "", ""},
                                   {"plain", "", ""},
                                   {"%2F.y", "", ""},
                                   {"/.y", "", ""},
                                   {"a.b/c/../d", "", ""},
                                   {"m\xc3\xbc.x", "\xc2\xb0", "\xc2\xb0"},
                                   {". . [x]", "", ""}};
    enum { N = sizeof channels / sizeof channels[0] };
    const wr_stream_info streams[] = {{".", N, channels}, {"", 1, two_streams[1].channel}};
    wr_recorder_options options = options_for("awkward.h5");
    options.stream = streams;
    wrsim_error err;
    wr_writer *writer = h5()->open(&options, &err);
    assert_non_null(writer);
    double first[N], second[] = {-1.0};
    for (int i = 0; i < N; i++)
        first[i] = i;
    const double *const values[] = {first, second};
    h5()->row(writer, 0.0, values, &err);
    wr_recorder_stats stats = {0};
    assert_int_equal(h5()->close(&writer, &stats, &err), WRSIM_OK);
    AUTO(wr_results_destroy) wr_results *results = wr_results_load("awkward.h5", &err);
    assert_non_null(results);
    assert_int_equal(results->n_signal, N + 1);
    for (int i = 0; i < N; i++) {
        assert_string_equal(results->name[i], channels[i].name);
        assert_string_equal(results->unit[i], channels[i].unit);
        assert_true(results->value[i] == i);
    }
}

/* Fills the disk by a limit on file size: the code path is the same as on a full disk, without a small file system. */
static void fill_disk(unsigned limit_bytes)
{
    const wr_recorder_options options = options_for("full.h5");
    wrsim_error err = {0};
    wr_writer *writer = h5()->open(&options, &err);
    assert_non_null(writer);
    struct rlimit before, limit;
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = limit_bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
    wrsim_status status = WRSIM_OK;
    const double air[] = {1.0, 2.0}, cyl[] = {3.0};
    const double *const values[] = {air, cyl};
    int n_row = 0;
    for (; status == WRSIM_OK && n_row < 100000; n_row++) {
        status = h5()->row(writer, 0.1 * n_row, values, &err);
        if (status == WRSIM_OK && n_row % 5 == 0)
            status = h5()->event(writer, n_row % 2, 1, 0.1 * n_row, values[n_row % 2], &err);
        if (status == WRSIM_OK && n_row % 100 == 99)
            status = h5()->flush(writer, &err);
    }
    assert_int_equal(status, WRSIM_E_DISK);
    assert_int_equal(err.status, WRSIM_E_DISK);
    assert_non_null(strstr(err.text, "full.h5"));
    assert_non_null(strstr(err.text, "output.decimation"));
    wr_recorder_stats stats = {0};
    (void)h5()->close(&writer, &stats, &err); /* an earlier call reported the failure */
    assert_null(writer);
    setrlimit(RLIMIT_FSIZE, &before);
    AUTO(wr_results_destroy) wr_results *results = wr_results_load("full.h5", &err);
    assert_non_null(results);
    assert_true(results->n_row > n_row - 110 && results->n_row <= n_row);
    assert_true(stats.n_row <= results->n_row && stats.n_row > n_row - 110);
    for (int i = 0; i < results->n_row; i++)
        assert_true(results->value[2 * results->n_row + i] == 3.0);
}

TEST(disk_full)
{
    signal(SIGXFSZ, SIG_IGN);
    for (unsigned limit_bytes = 60000; limit_bytes < 200000; limit_bytes += 7001)
        fill_disk(limit_bytes);
    write_sample("after.h5", 10, 0); /* the library still works */
}

TEST_FOLDER
