#include "record_test.h"

#include <limits.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "runtime/record/convert.h"

static void pause_ms(long ms)
{
    const struct timespec pause = {.tv_nsec = ms * 1000000};
    nanosleep(&pause, NULL);
}

static void push_row(wr_recorder *recorder, int i)
{
    const double air[] = {value_at(0, 0, i), value_at(0, 1, i)}, cyl[] = {value_at(1, 0, i)};
    assert_int_equal(wr_recorder_push(recorder, 0, 0, 0.1 * i, air), WRSIM_OK);
    assert_int_equal(wr_recorder_push(recorder, 1, 0, 0.1 * i, cyl), WRSIM_OK);
    if (i % 5 == 0)
        assert_int_equal(wr_recorder_push(recorder, 1, 1, 0.1 * i + 0.03, cyl), WRSIM_OK);
}

static void assert_points(const wr_results *results)
{
    assert_int_equal(results->n_signal, 3);
    for (int j = 0; j < 3; j++) {
        const wr_channel *const channel = j < 2 ? &air_channels[j] : &cyl_channels[0];
        assert_string_equal(results->name[j], channel->name);
        assert_string_equal(results->unit[j], channel->unit);
        for (int i = 0; i < results->n_row; i++)
            assert_true(results->value[j * results->n_row + i] == value_at(j / 2, j % 2, i));
    }
    for (int i = 0; i < results->n_row; i++)
        assert_true(results->time_s[i] == 0.1 * i);
}

/* Checks whole results. */
static void assert_sample(const wr_results *results)
{
    assert_points(results);
    assert_string_equal(results->config_text, CONFIG_TEXT);
    for (int j = 0; j < 3; j++) {
        const wr_channel *const channel = j < 2 ? &air_channels[j] : &cyl_channels[0];
        assert_string_equal(results->subsystem[j], two_streams[j / 2].name);
        if (j != 1) /* MAT has one line for a description */
            assert_string_equal(results->description[j],
                                channel->description ? channel->description : "");
    }
    assert_int_equal(results->n_stream, 2);
    assert_int_equal(results->stream[0].n_row, 0);
    const wr_results_stream *const cyl = &results->stream[1];
    assert_int_equal(cyl->n_signal, 1);
    assert_int_equal(cyl->signal[0], 2);
    for (int i = 0; i < cyl->n_row; i++) {
        assert_true(cyl->time_s[i] == 0.1 * (5 * i) + 0.03 && !cyl->is_right[i]);
        assert_true(cyl->value[i] == value_at(1, 0, 5 * i));
    }
}

/* Every double reads back to the bit, with names, units and the config. */
static void round_trip(const char *file)
{
    enum { N_ROW = 2500 };
    const wr_recorder_options options = options_for(file);
    wr_diag diag = {0};
    wr_recorder *recorder = wr_recorder_create(&options, &diag);
    assert_non_null(recorder);
    for (int i = 0; i < N_ROW; i++)
        push_row(recorder, i);
    wr_recorder_stats stats;
    wrsim_error err;
    assert_int_equal(wr_recorder_finish(recorder, &stats, &err), WRSIM_OK);
    wr_recorder_destroy(&recorder);
    assert_int_equal(stats.n_row, N_ROW);
    assert_int_equal(stats.n_event_row, N_ROW / 5);
    AUTO(wr_results_destroy) wr_results *results = wr_results_load_whole(file, &err);
    assert_non_null(results);
    assert_int_equal(results->n_row, N_ROW);
    assert_int_equal(results->stream[1].n_row, N_ROW / 5);
    assert_sample(results);
    wr_results_destroy(&results);
    assert_null(results);
}

/* A file that is converted to another format and back has the same bytes. */
TEST(conversions)
{
    static const char *const names[] = {"from.csv", "from.h5", "from.mat"};
    wrsim_error err = {0};
    wr_conversion done;
    if (!wr_writer_find("x.h5", &err) || !wr_writer_find("x.mat", &err))
        skip();
    for (size_t i = 0; i < WR_COUNT_OF(names); i++)
        round_trip(names[i]);
    for (size_t i = 0; i < WR_COUNT_OF(names); i++)
        for (size_t j = 0; j < WR_COUNT_OF(names); j++) {
            char to[32];
            snprintf(to, sizeof to, "to%s", strchr(names[j], '.'));
            assert_int_equal(wr_results_convert(names[i], to, "1.2.3", &done, &err), WRSIM_OK);
            assert_int_equal(done.n_row, 2500);
            assert_int_equal(done.n_event_row, 500);
            AUTO(wr_results_destroy) wr_results *results = wr_results_load_whole(to, &err);
            assert_non_null(results);
            assert_sample(results);
            if (strcmp(names[j], "from.csv") ==
                0) /* the other formats have the version of the program */
                assert_same_bytes(names[j], to);
        }
    assert_int_equal(wr_results_convert("from.csv", "./from.csv", "1.2.3", &done, &err),
                     WRSIM_E_ARG);
    write_text("foreign.csv", "a,b\n", 4);
    assert_int_equal(wr_results_convert("from.h5", "foreign.csv", "1.2.3", &done, &err),
                     WRSIM_E_IO);
    write_text("other.csv.json", "{}", 2);
    assert_int_equal(wr_results_convert("from.h5", "other.csv", "1.2.3", &done, &err), WRSIM_E_IO);
    assert_non_null(strstr(err.text, "'other.csv.json' exists and is not a description"));
}

/* A description beside another CSV file is refused, and only programs that need the description are affected. */
TEST(stale_description)
{
    wrsim_error err = {0};
    size_t n_bytes;
    round_trip("stale.csv");
    AUTO(wr_test_free) char *text = read_bytes("stale.csv", &n_bytes);
    /* Rows behind the checked bytes belong to the results. */
    for (size_t n_cut = 0; n_cut < 3; n_cut++) {
        static const char *const reason = "'stale.csv.json' does not describe 'stale.csv'";
        AUTO(wr_test_free) char *changed = strdup(text);
        changed[n_bytes / 2] ^= n_cut == 1;
        write_text("stale.csv", changed, n_bytes - (n_cut == 2));
        AUTO(wr_results_destroy) wr_results *points = wr_results_load("stale.csv", &err);
        AUTO(wr_results_destroy) wr_results *whole = wr_results_load_whole("stale.csv", &err);
        assert_true(points || n_cut == 1);
        assert_int_equal(whole != NULL, n_cut == 0);
        if (points && !whole)
            assert_non_null(strstr(err.text, reason));
    }
    write_text("stale.csv", text, n_bytes);
    FILE *const more = fopen("stale.csv", "a");
    fputs("1e9,c,1,2,3\n", more);
    fclose(more);
    AUTO(wr_results_destroy) wr_results *longer = wr_results_load_whole("stale.csv", &err);
    assert_non_null(longer);
    assert_int_equal(longer->n_row, 2501);
    write_text("stale.csv.json", "{\"program\": \"wrsim csv\"", 24);
    assert_null(wr_results_load_whole("stale.csv", &err));
    write_text("stale.csv.json", "{\"program\": \"another\"}", 22);
    AUTO(wr_results_destroy) wr_results *foreign = wr_results_load_whole("stale.csv", &err);
    assert_non_null(foreign);
    assert_string_equal(foreign->description[0], "");
    assert_int_equal(foreign->n_stream, 1);
}

/* MAT files above the limit of the format are refused, and the rows of a run stay in the HDF5 file. */
TEST(mat_too_large)
{
    wrsim_error err = {0};
    const wr_writer_ops *const mat = wr_writer_find("x.mat", &err);
    if (!mat)
        skip();
    char *texts[] = {"a.x"}, *none[] = {""};
    const wr_results huge = {.n_signal = 1,
                             .n_row = INT_MAX,
                             .name = texts,
                             .unit = none,
                             .description = none,
                             .config_text = texts[0]};
    assert_int_equal(mat->whole("huge.mat", &huge, "1", &err), WRSIM_E_ARG);
    assert_non_null(strstr(err.text, "at most 4.29 GB; use HDF5"));
}

/* Reads while another process writes without end, kills the process, and reads again. */
static void read_while_written(const char *file)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* also when an assertion ends the test */
        const wr_recorder_options options = options_for(file);
        wr_diag diag = {0};
        wr_recorder *const recorder = wr_recorder_create(&options, &diag);
        for (int i = 0; recorder && i < 20000000; i++) {
            push_row(recorder, i);
            if (i % 10 == 0)
                pause_ms(1);
        }
        _exit(1);
    }
    int n_row = 0, n_round = 0;
    for (; n_row < 1500 && n_round < 4000; n_round++) {
        pause_ms(5);
        wrsim_error err;
        AUTO(wr_results_destroy) wr_results *results = wr_results_load_whole(file, &err);
        if (!results) {
            assert_int_equal(n_row, 0); /* a readable file stays readable */
            continue;
        }
        assert_sample(results);
        assert_true(results->n_row >= n_row);
        n_row = results->n_row;
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_true(n_row >= 1500);
    wrsim_error err;
    AUTO(wr_results_destroy) wr_results *results = wr_results_load_whole(file, &err);
    assert_non_null(results);
    assert_sample(results);
    assert_true(results->n_row >= n_row);
}

TEST(read_while_written_csv) { read_while_written("live.csv"); }

TEST(read_while_written_hdf5)
{
    if (!has_hdf5())
        skip();
    read_while_written("live.h5");
}

TEST(round_trip_mat)
{
    wrsim_error err;
    if (!has_hdf5() || !wr_writer_find("x.mat", &err))
        skip();
    round_trip("trip.mat");
    assert_int_equal(access("trip.mat.h5", F_OK), -1);
}

TEST(round_trip_csv) { round_trip("trip.csv"); }

TEST(round_trip_hdf5)
{
    if (!has_hdf5())
        skip();
    round_trip("trip.hdf5");
}

/* HDF5 loses objects of its free lists when it reads a damaged file. Unclosed handles are in global tables, so the suppression hides no
 * fault of wrsim. */
const char *__lsan_default_suppressions(void);
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5_serial";
}

/* A CSV file that is cut behind its header gives its complete rows. A cut or damaged HDF5 file gives rows or an error that names
 * the file. */
TEST(cut_off)
{
    size_t n_bytes;
    round_trip("whole.csv");
    AUTO(wr_test_free) char *text = read_bytes("whole.csv", &n_bytes);
    const size_t header = (size_t)(strstr(text, "\n0,c,") - text) + 1;
    for (size_t n = 0; n < header + 300; n += n < header ? 13 : 1) {
        write_text("cut.csv", text, n);
        wrsim_error err = {0};
        AUTO(wr_results_destroy) wr_results *results = wr_results_load("cut.csv", &err);
        if (n < header) {
            assert_null(results);
            assert_int_equal(err.status, WRSIM_E_IO);
            continue;
        }
        assert_non_null(results);
        assert_points(results);
        int n_row = 0;
        for (size_t i = header; i < n; i++)
            n_row += text[i] == '\n';
        assert_true(results->n_row <= n_row && results->n_row >= n_row - n_row / 5 - 2);
    }
    free(text);
    text = NULL;
    if (!has_hdf5())
        return;
    round_trip("whole.h5");
    text = read_bytes("whole.h5", &n_bytes);
    for (size_t i = 8; i < n_bytes; i += i < 200 ? 7 : n_bytes / 37) {
        char kept[4];
        write_text("cut.h5", text, i);
        wrsim_error err = {0};
        AUTO(wr_results_destroy) wr_results *cut = wr_results_load("cut.h5", &err);
        assert_true(cut || strstr(err.text, "cut.h5"));
        memcpy(kept, text + i, sizeof kept);
        memset(text + i, 0xff, sizeof kept);
        write_text("damaged.h5", text, n_bytes);
        memcpy(text + i, kept, sizeof kept);
        AUTO(wr_results_destroy) wr_results *damaged = wr_results_load("damaged.h5", &err);
        assert_true(damaged || strstr(err.text, "damaged.h5"));
    }
}

TEST(foreign_tables)
{
    const char *const text = "time,\"a [m]\",b [ ]\r\n0,1,nan\r\n\r\n1,,+2.5\r\n";
    write_text("foreign.csv", text, strlen(text));
    wrsim_error err;
    AUTO(wr_results_destroy) wr_results *results = wr_results_load_whole("foreign.csv", &err);
    assert_non_null(results);
    assert_int_equal(results->n_signal, 2);
    assert_int_equal(results->n_row, 2);
    assert_string_equal(results->name[0], "a");
    assert_string_equal(results->unit[0], "m");
    assert_string_equal(results->config_text, "");
    assert_true(results->time_s[1] == 1.0);
    assert_true(results->value[0] == 1.0 && isnan(results->value[1]));
    assert_true(isnan(results->value[2]) && results->value[3] == 2.5);
}

TEST(other_separators_and_units_of_time)
{
    static const char *const texts[] = {"time [ms];a [N,m];b\n0;1;\n1500;-2e1;3\n",
                                        "time [ms]\ta [N,m]\tb\n0\t1\t\n1500\t-2e1\t3\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        write_text("other.csv", texts[i], strlen(texts[i]));
        wrsim_error err;
        AUTO(wr_results_destroy) wr_results *results = wr_results_load_whole("other.csv", &err);
        assert_non_null(results);
        assert_int_equal(results->n_signal, 2);
        assert_int_equal(results->n_row, 2);
        assert_string_equal(results->name[0], "a");
        assert_string_equal(results->unit[0], "N,m");
        assert_string_equal(results->unit[1], "");
        assert_true(results->time_s[0] == 0.0 && results->time_s[1] == 1.5);
        assert_true(results->value[1] == -20.0 && isnan(results->value[2]));
    }
}

TEST(wrong_files)
{
    static const struct {
        const char *text, *message;
        int line;
    } cases[] = {
        {"", "it has no header", 0},
        {"hello\n", "must be a header such as 'time [s],speed [rad/s],pedal'", 1},
        {"# wrsim 1\n# x\n", "it has no header", 0},
        {"time a\n0 1\n", "line 1 must be a header", 1},
        {"time;a\n0;1,5\n", "line 2: '1,5' is not a number; write a point instead", 2},
        {"time;a,b\n0,1\n", "line 2 must have 2 values", 2},
        {"time [Pa],a\n0,1\n", "the column 'time' has the unit 'Pa'; choose s", 1},
        {"time [tick],a\n0,1\n", "the column 'time' has the unit 'tick'; choose s", 1},
        {"a,time\n1,0\n", "line 1 must be a header", 1},
        {"time,a,b,a\n0,1,1,1\n", "two signals with the name 'a'; rename or remove one of them", 0},
        {"time,,a,\n0,1,1,\n", "columns 2 and 4 of 'wrong.dat' have no name; name them", 1},
        {"time,kind,a\n0,c,1\n1,,1\n", "line 3: the kind of row '' is unknown; choose c, l or r",
         3},
        {"time,kind,a\n0,c,1\n1,word,1\n", "line 3: the kind of row 'word' is unknown", 3},
        {"time,kind,a\n0,z,1\n", "line 2: the kind of row 'z' is unknown", 2},
        {"time,a\nsoon,1\n", "line 2: 'soon' is not a number", 2},
        {"time,a\n0,1\ntime,a\n", "line 3: 'time' is not a number", 3},
        {"time,a\n\"0\",\"1\"\n", "line 2: '\"0\"' is not a number", 2},
        {"time,a\n0,1e999\n", "line 2: '1e999' is not a number", 2},
        {"time,a\n0,1\n# note\n", "line 3 must have 2 values", 3},
        {"# wrsim 1\n# x\nt,a\n", "line 3 must be a header", 3},
        {"time [s],kind,a\n0,c,1\n0.1,c,1,2\n", "line 3 must have 3 values", 3},
        {"time [s],kind,a\n0,c\n", "line 2 must have 3 values", 2},
        {"time [s],a\n0,1\n1,x7\n", "line 3: 'x7' is not a number", 3},
        {"\x89HDF\r\n\x1a\n no more", "is an HDF5 file but not a result file of wrsim, or it is",
         0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        write_text("wrong.dat", cases[i].text, strlen(cases[i].text));
        wrsim_error err = {0};
        assert_null(wr_results_load("wrong.dat", &err));
        assert_int_equal(err.status, WRSIM_E_IO);
        if (has_hdf5() || cases[i].text[0] != '\x89')
            assert_non_null(strstr(err.text, cases[i].message));
        assert_string_equal(err.file, "wrong.dat");
        assert_int_equal(err.line, cases[i].line);
    }
    wrsim_error err = {0};
    assert_null(wr_results_load("not_there.h5", &err));
    assert_non_null(strstr(err.text, "No such file"));
    assert_null(wr_results_load(".", &err));
    assert_int_equal(err.status, WRSIM_E_IO);
}

TEST_FOLDER
