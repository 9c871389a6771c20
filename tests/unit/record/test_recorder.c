#include "record_test.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { N_ROW = 4000 };

typedef struct producer {
    wr_recorder *recorder;
    int i_stream;
    unsigned random; /* state of the generator of pauses */
} producer;

/* Pushes the rows of one stream, with random pauses. */
static void *produce(void *argument)
{
    producer *const p = argument;
    for (int i = 0; i < N_ROW; i++) {
        double values[2];
        for (int j = 0; j < 2; j++)
            values[j] = value_at(p->i_stream, j, i);
        wr_recorder_push(p->recorder, p->i_stream, 0, 0.1 * i, values);
        for (int j = 0; j < (i * (7 + p->i_stream)) % 3; j++) {
            const double t_s = 0.1 * i + 0.02 * (j + 1);
            wr_recorder_push(p->recorder, p->i_stream, 1, t_s, values);
            wr_recorder_push(p->recorder, p->i_stream, 2, t_s, values);
        }
        p->random = p->random * 1664525u + 1013904223u;
        const struct timespec pause = {.tv_nsec = p->random >> 14};
        if (p->random >> 25 == 0)
            nanosleep(&pause, NULL);
        else if (p->random >> 27 == 1)
            sched_yield();
    }
    return NULL;
}

static void record_with_two_threads(const char *file, unsigned seed)
{
    const wr_recorder_options options = options_for(file);
    wr_diag diag = {0};
    AUTO(wr_recorder_destroy) wr_recorder *recorder = wr_recorder_create(&options, &diag);
    assert_non_null(recorder);
    producer p[2] = {{recorder, 0, seed}, {recorder, 1, seed * 77 + 5}};
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, produce, &p[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    wr_recorder_stats stats;
    wrsim_error err;
    assert_int_equal(wr_recorder_finish(recorder, &stats, &err), WRSIM_OK);
    assert_int_equal(wr_recorder_finish(recorder, &stats, &err), WRSIM_OK); /* a second call */
    assert_int_equal(stats.n_row, N_ROW);
    size_t n_bytes;
    free(read_bytes(file, &n_bytes));
    assert_int_equal(stats.file_bytes, n_bytes);
    wr_recorder_destroy(&recorder);
    assert_null(recorder);
}

TEST(same_bytes_at_any_timing)
{
    const char *const files[][2] = {{"first.csv", "again.csv"}, {"first.h5", "again.h5"}};
    for (int i = 0; i < (has_hdf5() ? 2 : 1); i++) {
        record_with_two_threads(files[i][0], 1);
        for (unsigned seed = 2; seed < 6; seed++) {
            record_with_two_threads(files[i][1], seed);
            assert_same_bytes(files[i][0], files[i][1]);
        }
    }
    /* The rows are in order of time. */
    size_t n_bytes;
    AUTO(wr_test_free) char *text = read_bytes("first.csv", &n_bytes);
    double before = -1.0;
    for (const char *line = strstr(text, "\n0,c,"); line && line[1];
         line = strchr(line + 1, '\n')) {
        const double t_s = strtod(line + 1, NULL);
        assert_true(t_s >= before);
        before = t_s;
    }
    assert_true(before > 0.1 * (N_ROW - 1) - 1e-9);
}

/* A child process inherits the open files of its parent, but does not lock a result file against the next run. */
TEST(forked_child_keeps_no_lock)
{
    for (int i = 0; i < (has_hdf5() ? 2 : 1); i++) {
        const wr_recorder_options options = options_for(i ? "forked.h5" : "forked.csv");
        wr_diag diag = {0};
        AUTO(wr_recorder_destroy) wr_recorder *recorder = wr_recorder_create(&options, &diag);
        assert_non_null(recorder);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            for (;;)
                pause();
        wr_recorder_destroy(&recorder);
        recorder = wr_recorder_create(&options, &diag);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        assert_non_null(recorder);
    }
}

/* One stream may be far ahead of another stream: no stream waits for another. */
TEST(streams_do_not_block_each_other)
{
    const wr_recorder_options options = options_for("");
    wr_diag diag = {0};
    AUTO(wr_recorder_destroy) wr_recorder *recorder = wr_recorder_create(&options, &diag);
    const double values[2] = {1.0, 2.0};
    for (int i_stream = 0; i_stream < 2; i_stream++)
        for (int i = 0; i < 20000; i++)
            assert_int_equal(wr_recorder_push(recorder, i_stream, 0, i, values), WRSIM_OK);
    wr_recorder_stats stats;
    wrsim_error err;
    assert_int_equal(wr_recorder_finish(recorder, &stats, &err), WRSIM_OK);
    assert_int_equal(stats.n_row, 20000);
    assert_int_equal(stats.file_bytes, 0);
}

/* The clock of the thread advances while the thread takes 100,000 rows, and has no time after the thread's end. */
TEST(cpu_time_of_the_thread)
{
    const wr_recorder_options options = options_for("");
    wr_diag diag = {0};
    AUTO(wr_recorder_destroy) wr_recorder *recorder = wr_recorder_create(&options, &diag);
    const double values[2] = {1.0, 2.0};
    const int64_t before_ns = wr_recorder_cpu_ns(recorder);
    for (int i = 0; i < 50000; i++)
        for (int i_stream = 0; i_stream < 2; i_stream++)
            assert_int_equal(wr_recorder_push(recorder, i_stream, 0, i, values), WRSIM_OK);
    assert_true(wr_recorder_hurry(recorder, 60000000000));
    assert_true(before_ns >= 0 && wr_recorder_cpu_ns(recorder) > before_ns);
    wrsim_error err;
    assert_int_equal(wr_recorder_finish(recorder, NULL, &err), WRSIM_OK);
    assert_int_equal(wr_recorder_cpu_ns(recorder), 0);
}

/* ---- a disk that stalls ---- */

typedef struct pipe_end {
    int fd;
    char *text; /* [n_bytes + 1] */
    size_t n_bytes;
} pipe_end;

/* Reads the pipe until the recorder has closed its end. */
static void *read_all(void *argument)
{
    pipe_end *const end = argument;
    char part[4096];
    for (ssize_t n; (n = read(end->fd, part, sizeof part)) > 0;) {
        end->text = realloc(end->text, end->n_bytes + (size_t)n + 1);
        memcpy(end->text + end->n_bytes, part, (size_t)n);
        end->n_bytes += (size_t)n;
        end->text[end->n_bytes] = '\0';
    }
    return NULL;
}

/* No thread reads the pipe during the pushes, so a push that waits would hang. The file then has whole rows in order, each with the pushed
 * values of its time in all streams. */
TEST(stalled_disk_drops_rows)
{
    enum { N = 60000 };
    wr_recorder_options options = options_for("stalled.csv");
    options.is_dropping = 1;
    assert_int_equal(mkfifo(options.file, 0600), 0);
    pipe_end end = {.fd = open(options.file, O_RDONLY | O_NONBLOCK)};
    assert_true(end.fd >= 0);
    wr_diag diag = {0};
    wr_recorder *recorder = wr_recorder_create(&options, &diag);
    for (int i = 0; i < diag.n_items; i++)
        print_error("%s\n", diag.items[i].text);
    assert_non_null(recorder);
    for (int i = 0; i < N; i++)
        for (int i_stream = 0; i_stream < 2; i_stream++) {
            const double values[2] = {i, 2.0 * i};
            if (i_stream == 0 || i % 1000 < 900) /* stream 1 has gaps of its own */
                assert_int_equal(wr_recorder_push(recorder, i_stream, 0, i, values), WRSIM_OK);
        }
    fcntl(end.fd, F_SETFL, 0);
    pthread_t reader;
    assert_int_equal(pthread_create(&reader, NULL, read_all, &end), 0);
    wr_recorder_stats stats;
    wrsim_error err;
    assert_int_equal(wr_recorder_finish(recorder, &stats, &err), WRSIM_OK);
    wr_recorder_destroy(&recorder);
    pthread_join(reader, NULL);
    close(end.fd);
    assert_true(stats.n_dropped > 0 && stats.n_wait == 0);
    assert_true(stats.n_row > 100 && stats.n_row < N);
    int64_t n_row = 0;
    double before = -1.0;
    for (const char *line = strstr(end.text, "\n0,c,"); line && line[1];
         line = strchr(line + 1, '\n')) {
        double t_s, air[2], cyl;
        assert_int_equal(sscanf(line + 1, "%lf,c,%lf,%lf,%lf", &t_s, &air[0], &air[1], &cyl), 4);
        assert_true(t_s > before && air[0] == t_s && air[1] == 2.0 * t_s && cyl == t_s);
        before = t_s;
        n_row++;
    }
    assert_int_equal(n_row, stats.n_row);
    free(end.text);
    unlink(options.file);
}

TEST(decimation_and_start)
{
    wr_recorder_options options = options_for("thin.csv");
    options.decimation = 4;
    options.start_s = 1.0;
    wr_diag diag = {0};
    wr_recorder *recorder = wr_recorder_create(&options, &diag);
    assert_non_null(recorder);
    const double values[2] = {1.0, 2.0};
    for (int i = 0; i <= 20; i++)
        for (int i_stream = 0; i_stream < 2; i_stream++) {
            wr_recorder_push(recorder, i_stream, 0, 0.1 * i, values);
            wr_recorder_push(recorder, i_stream, 1, 0.1 * i + 0.05, values);
        }
    wr_recorder_stats stats;
    wrsim_error err;
    assert_int_equal(wr_recorder_finish(recorder, &stats, &err), WRSIM_OK);
    wr_recorder_destroy(&recorder);
    assert_int_equal(stats.n_row, 3);            /* rows 12, 16, 20 */
    assert_int_equal(stats.n_event_row, 2 * 11); /* 1.05 .. 2.05 */
    AUTO(wr_results_destroy) wr_results *results = wr_results_load("thin.csv", &err);
    assert_non_null(results);
    assert_int_equal(results->n_row, 3);
    for (int i = 0; i < 3; i++)
        assert_close(results->time_s[i], 1.2 + 0.4 * i, 1e-15, 0.0);
}

static void create_fails(const char *file, wrsim_status status, const char *part)
{
    const wr_recorder_options options = options_for(file);
    AUTO(wr_diag_done) wr_diag diag = {0};
    assert_null(wr_recorder_create(&options, &diag));
    assert_int_equal(diag.n_items, 1);
    assert_int_equal(diag.items[0].status, status);
    assert_non_null(strstr(diag.items[0].text, file));
    assert_non_null(strstr(diag.items[0].text, part));
}

TEST(create_failures)
{
    create_fails("x.xlsx", WRSIM_E_ARG, ".csv");
    create_fails("not/there/x.csv", WRSIM_E_IO, "No such file");
    assert_int_equal(symlink("/dev/full", "full_at_once.csv"), 0);
    create_fails("full_at_once.csv", WRSIM_E_DISK, "free space");
    if (!has_hdf5())
        return;
    create_fails("not/there/x.h5", WRSIM_E_IO, "cannot be written");
    write_text("mine.h5", "", 0);
    assert_int_equal(chmod("mine.h5", 0), 0);
    if (access("mine.h5", W_OK) != 0) /* root may write any file */
        create_fails("mine.h5", WRSIM_E_IO, "ermission denied");
}

/* If the disk fills up during the run, pushes report the full disk, no call hangs, and the rows written before are readable. */
static void disk_fills_up(const char *file, const char *rows_file, int n_at_least)
{
    const wr_recorder_options options = options_for(file);
    wr_diag diag = {0};
    wr_recorder *recorder = wr_recorder_create(&options, &diag);
    assert_non_null(recorder);
    wrsim_error err = {0};
    assert_int_equal(wr_recorder_status(recorder, &err), WRSIM_OK);
    struct rlimit before, limit;
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = 200000;
    setrlimit(RLIMIT_FSIZE, &limit);
    wrsim_status status = WRSIM_OK;
    const double values[2] = {1.0 / 3.0, 2.0 / 3.0};
    for (int i = 0; status == WRSIM_OK && i < 2000000; i++)
        for (int i_stream = 0; i_stream < 2 && status == WRSIM_OK; i_stream++)
            status = wr_recorder_push(recorder, i_stream, 0, 0.1 * i, values);
    assert_int_equal(status, WRSIM_E_DISK);
    assert_int_equal(wr_recorder_push(recorder, 1, 0, 1e9, values), WRSIM_E_DISK);
    assert_int_equal(wr_recorder_status(recorder, &err), WRSIM_E_DISK);
    assert_non_null(strstr(err.text, file));
    wr_recorder_stats stats;
    memset(&err, 0, sizeof err);
    assert_int_equal(wr_recorder_finish(recorder, &stats, &err), WRSIM_E_DISK);
    assert_int_equal(err.status, WRSIM_E_DISK);
    wr_recorder_destroy(&recorder);
    setrlimit(RLIMIT_FSIZE, &before);
    AUTO(wr_results_destroy) wr_results *results = wr_results_load(rows_file, &err);
    assert_non_null(results);
    assert_true(results->n_row >= n_at_least);
    for (int i = 0; i < results->n_row; i++)
        assert_true(results->time_s[i] == 0.1 * i && results->value[i] == 1.0 / 3.0);
}

TEST(disk_fills_up)
{
    disk_fills_up("fills.csv", "fills.csv", 2000); /* a row takes at most 80 bytes */
    if (has_hdf5())
        disk_fills_up("fills.h5", "fills.h5", 1024);
    wrsim_error err;
    if (has_hdf5() && wr_writer_find("x.mat", &err))
        disk_fills_up("fills.mat", "fills.mat.h5", 1024);
}

TEST_FOLDER
