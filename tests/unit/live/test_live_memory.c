/* Rows and steps that a run writes while readers copy them. */
#include "wr_test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/live/live_memory.h"

enum { N_CHANNEL = 3, MOST_READ = 1 << 16 };

static const wr_channel first[] = {{.name = "a.x", .unit = "m"}, {.name = "a.\xc3\xa4\"</script>"}},
                        second[] = {{.name = "b.y", .unit = "1"}};
static const wr_stream_info streams[] = {{"a", 2, first}, {"none", 0, NULL}, {"b", 1, second}};

static wr_live *begin(double period_s)
{
    wr_live *const live = wr_live_create();
    assert_non_null(live);
    wr_live_begin(live, &(wr_live_run){.title = "t",
                                       .stop_s = 1.0,
                                       .rate = 1.0,
                                       .period_s = period_s,
                                       .n_stream = 3,
                                       .stream = streams});
    return live;
}

/* Values of row n, which a reader can check. */
static void push_row(wr_live *live, int64_t n)
{
    const double a[] = {(double)n + 0.25, -(double)n}, b[] = {(double)n * (double)n};
    wr_live_row(live, (double)n, (const double *const[]){a, NULL, n % 7 == 3 ? NULL : b});
}

static void check_row(const double *row)
{
    const double n = row[0];
    assert_true(row[1] >= n + 0.25 && row[1] <= n + 0.25);
    assert_true(row[2] >= -n && row[2] <= -n);
    assert_true((int64_t)n % 7 == 3 ? isnan(row[3]) : row[3] >= n * n && row[3] <= n * n);
}

static const int all_columns[] = {0, 1, 2, 3};

TEST(names)
{
    AUTO(wr_live_destroy) wr_live *live = begin(0.5);
    wr_live_view view;
    wr_live_view_get(live, &view);
    assert_int_equal(view.generation, 2);
    assert_int_equal(view.state, WR_LIVE_RUNNING);
    assert_int_equal(view.n_signal, N_CHANNEL);
    assert_int_equal(view.n_all_signal, N_CHANNEL);
    assert_string_equal(wr_live_name(live, 0), "a.x");
    assert_string_equal(wr_live_unit(live, 0), "m");
    assert_string_equal(wr_live_name(live, 1), "a.\xc3\xa4\"</script>");
    assert_string_equal(wr_live_unit(live, 1), "");
    assert_string_equal(wr_live_name(live, 2), "b.y");
    wr_live_end(live, "it is complete.");
    wr_live_view_get(live, &view);
    assert_int_equal(view.state, WR_LIVE_ENDED);
    assert_string_equal(view.text, "it is complete.");
}

/* The memory has the newest rows; a reader gets each row once. */
TEST(newest_rows)
{
    AUTO(wr_live_destroy) wr_live *live = begin(0.5);
    const int cap = wr_live_cap(live, WR_LIVE_ROWS);
    double *const value = calloc((size_t)MOST_READ * 4, sizeof *value);
    int64_t next = 0, at;
    assert_true(cap > 1000 && cap <= MOST_READ);
    for (int64_t n = 0; n < 3 * cap; n++) {
        push_row(live, n);
        if (n % 1000 != 0)
            continue;
        const int n_read = wr_live_read(live, WR_LIVE_ROWS, next, 4, all_columns, cap, value, &at);
        assert_int_equal(at, next);
        assert_int_equal(n_read, n + 1 - next);
        for (int i = 0; i < n_read; i++) {
            assert_int_equal((int64_t)value[4 * i], next + i);
            check_row(value + 4 * (size_t)i);
        }
        next += n_read;
    }
    assert_int_equal(wr_live_read(live, WR_LIVE_ROWS, 0, 1, all_columns, cap, value, &at), cap);
    assert_int_equal(at, 2 * cap);
    assert_int_equal(wr_live_read(live, WR_LIVE_ROWS, 9 * cap, 1, all_columns, cap, value, &at), 0);
    free(value);
}

/* Another run deletes the rows of the first run, and its signals. */
TEST(second_run)
{
    AUTO(wr_live_destroy) wr_live *live = begin(0.5);
    wr_live_view view;
    int64_t at;
    double value[16];
    for (int64_t n = 0; n < 10; n++)
        push_row(live, n);
    wr_live_begin(live, &(wr_live_run){.title = "u", .n_stream = 1, .stream = streams + 2});
    wr_live_view_get(live, &view);
    assert_int_equal(view.generation, 4);
    assert_int_equal(view.n_signal, 1);
    assert_int_equal(view.n_row, 0);
    assert_string_equal(wr_live_name(live, 0), "b.y");
    assert_int_equal(wr_live_read(live, WR_LIVE_ROWS, 0, 2, all_columns, 8, value, &at), 0);
}

/* Signals above the limit are counted and omitted, and no row writes outside of its entry. */
TEST(many_signals)
{
    enum { N = 10000 };
    AUTO(wr_live_destroy) wr_live *live = wr_live_create();
    char(*const name)[16] = calloc(N, sizeof *name);
    wr_channel *const channel = calloc(N, sizeof *channel);
    double *const row = calloc(N, sizeof *row), value[2];
    int64_t at;
    for (int i = 0; i < N; i++) {
        snprintf(name[i], sizeof name[i], "c.x%d", i);
        channel[i] = (wr_channel){.name = name[i], .unit = "1"};
        row[i] = i;
    }
    const wr_stream_info many[] = {{"a", N / 2, channel}, {"b", N / 2, channel + N / 2}};
    wr_live_begin(live, &(wr_live_run){.title = "many", .n_stream = 2, .stream = many});
    wr_live_view view;
    wr_live_view_get(live, &view);
    assert_int_equal(view.n_signal, WR_LIVE_SIGNALS);
    assert_int_equal(view.n_all_signal, N);
    assert_true(wr_live_cap(live, WR_LIVE_ROWS) >= 1000);
    for (int i = 0; i < 2 * wr_live_cap(live, WR_LIVE_ROWS); i++)
        wr_live_row(live, i, (const double *const[]){row, row + N / 2});
    const int column[] = {0, WR_LIVE_SIGNALS};
    const int n = wr_live_read(live, WR_LIVE_ROWS, INT64_MAX - 1, 2, column, 1, value, &at);
    assert_int_equal(n, 0);
    assert_int_equal(wr_live_read(live, WR_LIVE_ROWS, 0, 2, column, 1, value, &at), 1);
    assert_int_equal((int)value[1], WR_LIVE_SIGNALS - 1);
    free(name);
    free(channel);
    free(row);
}

TEST(steps)
{
    AUTO(wr_live_destroy) wr_live *live = begin(0.5);
    static const int column[] = {WR_LIVE_TIME, WR_LIVE_COMPUTE, WR_LIVE_LATE, WR_LIVE_OVER};
    wr_live_view view;
    double value[3][WR_LIVE_STEP_COLUMNS];
    int64_t at;
    wr_live_step(live, &(wr_live_step_time){0.0, 10, 20, -30});
    wr_live_step(live, &(wr_live_step_time){0.5, 11, 21, 31});
    wr_live_step(live, &(wr_live_step_time){(double)NAN, 0, 0, INT64_MAX});
    wr_live_view_get(live, &view);
    assert_int_equal(view.n_step, 3);
    assert_int_equal(view.n_miss, 2);
    assert_int_equal(wr_live_read(live, WR_LIVE_STEPS, 0, 4, column, 3, &value[0][0], &at), 3);
    assert_int_equal((int)value[0][WR_LIVE_OVER], -30);
    assert_int_equal((int)value[1][WR_LIVE_COMPUTE], 11);
    assert_int_equal((int)value[1][WR_LIVE_LATE], 21);
    assert_true(isnan(value[2][WR_LIVE_TIME]) && isinf(value[2][WR_LIVE_OVER]));
}

/* ---- a writer that overtakes its readers ---- */

typedef struct reading {
    wr_live *live;
    atomic_int *is_ended; /* relaxed: ends the loop only */
    int64_t n_row;
} reading;

static void *read_rows(void *context)
{
    reading *const r = context;
    double *const value = calloc((size_t)MOST_READ * 4, sizeof *value);
    int64_t next = 0, at;
    while (!atomic_load_explicit(r->is_ended, memory_order_relaxed)) {
        const int n =
            wr_live_read(r->live, WR_LIVE_ROWS, next, 4, all_columns, MOST_READ, value, &at);
        for (int i = 0; i < n; i++) {
            assert_int_equal((int64_t)value[4 * i], at + i);
            check_row(value + 4 * (size_t)i);
        }
        r->n_row += n;
        next = n > 0 ? at + n : next;
    }
    free(value);
    return NULL;
}

/* Each copied row is whole, also if the writer replaces rows during the copy. */
TEST(overtaken_readers)
{
    AUTO(wr_live_destroy) wr_live *live = begin(0.5);
    atomic_int is_ended = 0;
    reading readers[2];
    pthread_t thread[2];
    for (int i = 0; i < 2; i++) {
        readers[i] = (reading){.live = live, .is_ended = &is_ended};
        assert_int_equal(pthread_create(&thread[i], NULL, read_rows, &readers[i]), 0);
    }
    for (int64_t n = 0; n < 600000; n++)
        push_row(live, n);
    atomic_store_explicit(&is_ended, 1, memory_order_relaxed);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    print_message("%lld and %lld rows read of 600000\n", (long long)readers[0].n_row,
                  (long long)readers[1].n_row);
}

/* A child process sees the rows of its parent. */
TEST(processes)
{
    AUTO(wr_live_destroy) wr_live *live = begin(0.5);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        wr_live_view view;
        do
            wr_live_view_get(live, &view);
        while (view.state != WR_LIVE_ENDED);
        _exit(view.n_row == 5 ? 0 : 1);
    }
    for (int64_t n = 0; n < 5; n++)
        push_row(live, n);
    wr_live_end(live, "end");
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}
