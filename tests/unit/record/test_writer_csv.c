#include "record_test.h"

TEST(exact_text)
{
    const wr_channel odd_channels[] = {{"a,\"b\".x", "m/s", "odd\nname"}};
    const wr_stream_info streams[] = {two_streams[0], {"odd", 1, odd_channels}};
    wr_recorder_options options = options_for("exact.csv");
    options.stream = streams;
    wrsim_error err;
    wr_writer *writer = wr_writer_csv.open(&options, &err);
    assert_non_null(writer);
    const double air[] = {0.1, 101325.0}, odd[] = {-0.0};
    const double *const values[] = {air, odd};
    assert_int_equal(wr_writer_csv.row(writer, 0.0, values, &err), WRSIM_OK);
    assert_int_equal(wr_writer_csv.event(writer, 1, 1, 1.0 / 3.0, odd, &err), WRSIM_OK);
    assert_int_equal(wr_writer_csv.event(writer, 0, 2, 1.0 / 3.0, air, &err), WRSIM_OK);
    wr_recorder_stats stats = {0};
    assert_int_equal(wr_writer_csv.close(&writer, &stats, &err), WRSIM_OK);
    assert_null(writer);
    const char *const expected = "time [s],kind,air.p [Pa],air.y.O2,\"a,\"\"b\"\".x [m/s]\"\n"
                                 "0,c,0.1,101325,-0\n"
                                 "0.3333333333333333,l,,,-0\n"
                                 "0.3333333333333333,r,0.1,101325,\n";
    size_t n_read;
    AUTO(wr_test_free) char *text = read_bytes("exact.csv", &n_read);
    assert_string_equal(text, expected);
    assert_int_equal(n_read, stats.file_bytes);
    AUTO(wr_test_free) char *description = read_bytes("exact.csv.json", &n_read);
    assert_string_equal(
        description,
        "{\n  \"program\": \"wrsim csv\",\n  \"version\": \"1.2.3\",\n  \"layout\": 1,\n"
        "  \"checked_bytes\": \"00000000000000000129\",\n  \"adler32\": \"bc3e1e83\",\n"
        "  \"events_checked_bytes\": \"00000000000000000000\",\n  \"events_adler32\": "
        "\"00000001\",\n"
        "  \"windows_checked_bytes\": \"00000000000000000000\",\n  \"windows_adler32\": "
        "\"00000001\",\n"
        "  \"signals\": [\n    {\n      \"name\": \"air.p\",\n      \"unit\": \"Pa\",\n"
        "      \"description\": \"pressure, intake\",\n      \"subsystem\": \"air\",\n"
        "      \"column\": \"air.p [Pa]\"\n    },\n    {\n      \"name\": \"air.y.O2\",\n"
        "      \"unit\": \"\",\n"
        "      \"description\": \"mass fraction of \\\"oxygen\\\"\\nin two lines\",\n"
        "      \"subsystem\": \"air\",\n      \"column\": \"air.y.O2\"\n    },\n    {\n"
        "      \"name\": \"a,\\\"b\\\".x\",\n      \"unit\": \"m/s\",\n"
        "      \"description\": \"odd\\nname\",\n      \"subsystem\": \"odd\",\n"
        "      \"column\": \"a,\\\"b\\\".x [m/s]\"\n    }\n  ],\n"
        "  \"config\": \"[simulation]\\nstop = 1.0\\n\\nsignal = \\\"# signal x [y]\\\"\\n\"\n}\n");
}

TEST(flush_makes_rows_readable)
{
    const wr_recorder_options options = options_for("flush.csv");
    wrsim_error err;
    wr_writer *writer = wr_writer_csv.open(&options, &err);
    const double air[] = {1.0, 2.0}, cyl[] = {3.0};
    const double *const values[] = {air, cyl};
    wr_writer_csv.row(writer, 0.5, values, &err);
    wr_writer_csv.flush(writer, &err);
    wr_results *results = wr_results_load("flush.csv", &err);
    assert_non_null(results);
    assert_int_equal(results->n_row, 1);
    wr_results_destroy(&results);
    wr_recorder_stats stats = {0};
    wr_writer_csv.close(&writer, &stats, &err);
}

TEST(extensions)
{
    wrsim_error err = {0};
    assert_ptr_equal(wr_writer_find("a.b/c.csv", &err), &wr_writer_csv);
    assert_ptr_equal(wr_writer_find("C.CSV", &err), &wr_writer_csv);
    for (int i = 0; i < 2 && has_hdf5(); i++)
        assert_string_equal(wr_writer_find(i ? "x.H5" : "x.hdf5", &err)->help, "HDF5");
    assert_ptr_equal(wr_writer_find("", &err), &wr_writer_null);
    assert_int_equal(err.status, WRSIM_OK);
    const char *const wrong[] = {"x.xlsx", "x", "dir.csv/x", "csv"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_null(wr_writer_find(wrong[i], &err));
        assert_int_equal(err.status, WRSIM_E_ARG);
        assert_non_null(strstr(err.text, wrong[i]));
        assert_non_null(strstr(err.text, ".csv (text), .h5 ("));
        assert_non_null(strstr(err.text, ".hdf5 ("));
    }
}

TEST_FOLDER
