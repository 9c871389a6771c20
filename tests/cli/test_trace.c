/* A trace with buffers that are too small for the run keeps the newest records, and its file says so. */
#include "prepared.h"

#include "cli/trace_file.h"
#include "runtime/sim/run_files.h"
#include "runtime/sim/simulation.h"

enum {
    N_RECORD = 150,
    MOST_BYTES = 60000 /* less than wr_test_read() returns */
};

static const char relaxed[] =
    "[simulation]\nstop = 20.0\ncommunication_step = 0.01\n[scheduler]\nworkers = 2\nmin_work = "
    "0\n"
    "[relaxation]\nwindow.control = \"fixed\"\nwindow.initial = 0.01\n[output]\nfile = \"\"\n"
    "[[component]]\nname = \"left\"\nmodel = \"oscillator.mass\"\nstart = { x = 1.0 }\n"
    "[[component]]\nname = \"right\"\nmodel = \"oscillator.mass\"\n"
    "[[connection]]\nfrom = \"left.x\"\nto = \"right.x_neighbour\"\n"
    "[[connection]]\nfrom = \"right.x\"\nto = \"left.x_neighbour\"\n";
static const char path[] = "t.json";
static const wr_trace_about about = {
    .config = "a \"b\"", .config_text = "rtol = 1e-4\n", .state = "complete"};

static int count(const char *text, const char *what)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, what)); at += strlen(what))
        n++;
    return n;
}

/* Returns the text of the file of a run to stop_s with buffers for n_record records. */
static const char *written(double stop_s, int n_record, int64_t *ret_n)
{
    wrsim_error err = {0};
    AUTO(wrsim_destroy) wrsim *sim = prepared(relaxed, NULL, 0);
    AUTO(wr_trace_destroy) wr_trace *trace = wr_trace_create(sim, n_record);
    assert_non_null(trace);
    assert_good(wrsim_observe(sim, wr_trace_observer(trace), &err), &err);
    assert_good(wrsim_advance(sim, stop_s, &err), &err);
    *ret_n = 0;
    for (int i = 0; i <= wr_trace_workers(trace); i++)
        *ret_n += wr_trace_buffer_of(trace, i)->n;
    assert_good(wr_trace_file_write(trace, sim, &about, path, &err), &err);
    return wr_test_read(path);
}

/* Returns the number of records in a text, without the windows and sweeps of workers, which are no records. */
static int n_records(const char *text)
{
    return count(text, "\"cat\":") - count(text, "\"args\":{\"window\":") -
           count(text, "\"args\":{\"sweep\":") - count(text, "\"cat\":\"omitted\"");
}

TEST(newest_part)
{
    int64_t n;
    const char *const text = written(20.0, N_RECORD, &n);
    char mark[64];
    assert_true(n > 30 * N_RECORD);
    assert_true(strlen(text) < MOST_BYTES);
    assert_non_null(strstr(text, "\"kept\":\"the newest records\""));
    snprintf(mark, sizeof mark, "\"omitted_records\":%d", (int)(n - n_records(text)));
    assert_non_null(strstr(text, mark));
    assert_int_equal(count(text, "older records are not in this file"), 1);
    assert_int_equal(count(text, "\"to s\":20,\"sweeps\""), 1); /* the last window */
    assert_null(strstr(text, "\"from s\":0,"));                 /* the first window */
    assert_true(n_records(text) > N_RECORD / 10);
}

TEST(whole_run)
{
    int64_t n;
    const char *const text = written(0.04, 10 * N_RECORD, &n);
    assert_non_null(strstr(text, "\"kept\":\"all records\",\n\"omitted_records\":0"));
    assert_int_equal(n_records(text), n);
    assert_non_null(strstr(text, "\"config\":\"a \\\"b\\\"\""));
}

/* A trace that has not begun is a valid file, which wrsim may replace. */
TEST(no_records)
{
    wrsim_error err = {0};
    AUTO(wrsim_destroy) wrsim *sim = prepared(relaxed, NULL, 0);
    assert_good(wr_trace_file_write(NULL, NULL, &about, path, &err), &err);
    const char *const text = wr_test_read(path);
    assert_non_null(strstr(text, "\"traceEvents\":["));
    assert_int_equal(wr_run_files_check_trace(sim->settings, path, path, NULL, &err), WRSIM_OK);
    assert_int_equal(wr_run_files_check_trace(sim->settings, path, path, path, &err), WRSIM_E_ARG);
}

TEST_FOLDER
