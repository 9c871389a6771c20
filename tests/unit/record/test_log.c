/* The log of a run: order, lost rows, both formats, damaged files. */
#include "record_test.h"

#include <string.h>

#include "runtime/record/log_csv.h"
#include "runtime/record/results_log.h"

enum { N_ENTRY = 20000, N_SUBSYSTEM = 2, LOST_REASON = 1 };

static const char *const subsystems[N_SUBSYSTEM] = {"air", "cyl, \"1\""};
static const unsigned char has_log[N_SUBSYSTEM] = {1, 1};
static const char *const reasons[] = {"accepted", "lost records"};
static const wr_log_item items[] = {{"air.p, [x]", "state", "Pa"},
                                    {"cyl \"1\".z", "indicator", "\u00b0C"}};
static const wr_log_info info = {.n_subsystem = N_SUBSYSTEM,
                                 .subsystem = subsystems,
                                 .has_log = has_log,
                                 .n_item = 2,
                                 .item = items,
                                 .has_windows = 1,
                                 .n_reason = 2,
                                 .reason = reasons,
                                 .cap_entry = 8};

/* Pushes stops and events of both subsystems, and windows, in batches. Subsystem 1 is ahead of subsystem 0. */
static void push_all(wr_recorder *recorder)
{
    for (int i = 0; i < N_ENTRY; i++) {
        for (int s = 0; s < N_SUBSYSTEM; s++) {
            const double stop[WR_LOG_ENTRY_VALUES] = {-1.0, 1.0, WR_LOGGED_CAUSE_STATE, (double)NAN,
                                                      (double)NAN};
            const double event[WR_LOG_ENTRY_VALUES] = {s, 0.0, s ? -1.0 : 1.0, 1.0 / 3.0, i};
            const double t_s = 0.1 * i + (s ? 0.05 : 0.0);
            assert_int_equal(wr_recorder_push_log(recorder, s, WR_LOGGED_STOP, t_s, stop), 0);
            assert_int_equal(wr_recorder_push_log(recorder, s, WR_LOGGED_STATE_EVENT, t_s, event),
                             0);
            wr_recorder_log_until(recorder, s, t_s);
        }
        const double window[WR_LOG_WINDOW_VALUES + N_SUBSYSTEM] = {
            0.1 * i + 0.1, 0.0, 2.0, (double)NAN, 0.5, 0.75, -1.0, i % 7, 1.0};
        assert_int_equal(wr_recorder_push_log(recorder, N_SUBSYSTEM, 0, 0.1 * i, window), 0);
        wr_recorder_log_until(recorder, N_SUBSYSTEM, 0.1 * i + 0.1);
    }
}

/* Writes a log, and checks that each pushed row is in the file or counted as lost. */
static void write_and_read(const char *file, int is_dropping)
{
    wr_recorder_options options = options_for(file);
    options.is_dropping = is_dropping;
    options.log = &info;
    wr_diag diag = {0};
    AUTO(wr_recorder_destroy) wr_recorder *recorder = wr_recorder_create(&options, &diag);
    assert_non_null(recorder);
    push_all(recorder);
    wr_recorder_stats stats;
    wrsim_error err = {0};
    assert_int_equal(wr_recorder_finish(recorder, &stats, &err), WRSIM_OK);
    wr_run_log log;
    assert_int_equal(wr_results_log_load(file, &log, &err), WRSIM_OK);
    double n_event = 0.0, n_window = 0.0, n_lost = 0.0, last_s = -1.0;
    for (int i = 0; i < log.event.n_row; i++) {
        const int kind = (int)log.event.column[WR_EVENT_KIND][i],
                  item = (int)log.event.column[WR_EVENT_ITEM][i];
        const double t_s = log.event.column[WR_EVENT_TIME][i];
        n_event += kind == WR_LOGGED_LOST ? log.event.column[WR_EVENT_AFTER][i] : 1.0;
        n_lost += kind == WR_LOGGED_LOST ? log.event.column[WR_EVENT_AFTER][i] : 0.0;
        assert_true(is_dropping || t_s >= last_s);
        last_s = t_s;
        if (kind != WR_LOGGED_STATE_EVENT)
            continue;
        const int s = (int)log.event.column[WR_EVENT_SUBSYSTEM][i];
        const int is_cyl = strcmp(log.subsystem.text[s], subsystems[1]) == 0;
        assert_string_equal(log.item_name.text[item], items[is_cyl].name);
        assert_string_equal(log.item_type.text[item], items[is_cyl].type);
        assert_string_equal(log.item_unit.text[item], items[is_cyl].unit);
        assert_true(log.event.column[WR_EVENT_BEFORE][i] == 1.0 / 3.0);
        assert_true(log.event.column[WR_EVENT_DIRECTION][i] == (is_cyl ? -1.0 : 1.0));
    }
    for (int i = 0; i < log.window.n_row; i++) {
        const int is_lost = strcmp(log.reason.text[(int)log.window.column[WR_WINDOW_REASON][i]],
                                   reasons[LOST_REASON]) == 0;
        n_window += is_lost ? log.window.column[WR_WINDOW_SWEEP_COUNT][i] : 1.0;
        n_lost += is_lost ? log.window.column[WR_WINDOW_SWEEP_COUNT][i] : 0.0;
    }
    assert_true(n_lost == (double)stats.n_dropped); /* the test pushes rows of the log only */
    assert_true(n_event == 2.0 * N_SUBSYSTEM * N_ENTRY);
    assert_true(n_window == N_ENTRY);
    if (!is_dropping) {
        assert_int_equal(log.window.n_row, N_ENTRY);
        assert_true(log.event.column[WR_EVENT_STOP][log.event.n_row - 1] ==
                    N_SUBSYSTEM * N_ENTRY - 1.0);
        for (int i = 0; i < N_ENTRY; i++)
            assert_true(log.window.column[WR_WINDOW_INTEGRATIONS][i * N_SUBSYSTEM] == i % 7);
    }
    wr_run_log_done(&log);
}

TEST(each_row_is_written_or_counted)
{
    for (int is_dropping = 0; is_dropping < 2; is_dropping++) {
        write_and_read("log.csv", is_dropping);
        if (has_hdf5())
            write_and_read("log.h5", is_dropping);
    }
}

static void write_file(const char *file, const char *text)
{
    FILE *const stream = fopen(file, "w");
    assert_non_null(stream);
    fputs(text, stream);
    fclose(stream);
}

/* Damaged logs are errors. An incomplete last line is left out. */
TEST(damaged)
{
    static const char *const bad[] = {"",
                                      "time [s]\n",
                                      WR_LOG_CSV_EVENTS "\n1,2\n",
                                      WR_LOG_CSV_EVENTS "\nx,0,a,stop,,,,1,0,,\n",
                                      WR_LOG_CSV_EVENTS "\n1,0,a,halt,,,,1,0,,\n",
                                      WR_LOG_CSV_EVENTS "\n1,0,a,stop,,,,1,0,,,\n"};
    write_file("bad.csv", "time [s],kind\n");
    wr_run_log log;
    wrsim_error err;
    assert_int_equal(wr_results_log_load("bad.csv", &log, &err), WRSIM_E_IO); /* no log */
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_file("bad.events.csv", bad[i]);
        assert_int_equal(wr_results_log_load("bad.csv", &log, &err), WRSIM_E_IO);
    }
    write_file("bad.events.csv",
               WR_LOG_CSV_EVENTS "\n1,0,a,stop,,,,1,1,,\n1,0,a,state event,indicator,a.z,,0,1,0");
    assert_int_equal(wr_results_log_load("bad.csv", &log, &err), WRSIM_OK);
    assert_int_equal(log.event.n_row, 1);
    wr_run_log_done(&log);
    write_file("bad.mat", "01234567890123456789Aclass");
    FILE *const mat = fopen("bad.mat", "a");
    assert_non_null(mat);
    fputc('\0', mat); /* the name of the first matrix ends with NUL */
    fclose(mat);
    /* A MAT file does not have the log of a CSV file with the same name. */
    assert_int_equal(wr_results_log_load("bad.mat", &log, &err), WRSIM_E_IO);
    assert_non_null(strstr(err.text, "MAT file"));
}

TEST_FOLDER
