#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "wr_test.h"

#include "scheduler/machine.h"

static void assert_one_line(const char *text)
{
    assert_true(strlen(text) > 0 && strlen(text) < WR_MACHINE_TEXT_BYTES);
    assert_null(strpbrk(text, "\n\t"));
}

static void test_all_texts_are_filled(void **state)
{
    (void)state;
    wr_diag diag = {0};
    wr_topology *topology = wr_topology_create("pack:1 core:3 pu:1", &diag);
    assert_non_null(topology);
    wr_machine machine;
    memset(&machine, 'x', sizeof machine);
    wr_machine_read(&machine, topology);
    assert_string_equal(machine.cores, topology->name);
    assert_one_line(machine.cpu);
    assert_one_line(machine.kernel);
    assert_one_line(machine.compiler);
    assert_one_line(machine.flags);
    assert_non_null(strstr(machine.kernel, "Linux"));
    assert_true(strncmp(machine.compiler, "gcc", 3) == 0 ||
                strncmp(machine.compiler, "clang", 5) == 0);
    assert_non_null(strstr(machine.flags, " -O"));
    wr_machine_read(&machine, NULL);
    assert_string_equal(machine.cores, "unknown");
    wr_topology_destroy(&topology);
}

enum { N_THREAD = 3 };

typedef struct {
    atomic_int n_started, is_over;
} computing;

static void *compute(void *context)
{
    computing *const c = context;
    /* relaxed: only the counts themselves matter. */
    atomic_fetch_add_explicit(&c->n_started, 1, memory_order_relaxed);
    while (!atomic_load_explicit(&c->is_over, memory_order_relaxed))
        continue;
    return NULL;
}

/* Who is just created may sleep for a moment (a sanitizer's lock, a page), and a group with a share of
 * the CPUs is stopped for a part of each period: asked again until all are seen, or till 20 s are over. */
static void test_who_runs_is_counted(void **state)
{
    (void)state;
    FILE *const file = fopen("/proc/loadavg", "r");
    if (!file)
        skip(); /* a system that does not tell */
    fclose(file);
    assert_true(wr_machine_running() >= 1);
    pthread_t thread[N_THREAD];
    computing c;
    atomic_init(&c.n_started, 0);
    atomic_init(&c.is_over, 0);
    for (int i = 0; i < N_THREAD; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, compute, &c), 0);
    int n_running = 0;
    for (int i = 0; n_running < 1 + N_THREAD && i < 2000; i++) {
        const int n_started = atomic_load_explicit(&c.n_started, memory_order_relaxed);
        n_running = n_started == N_THREAD ? wr_machine_running() : 0;
        if (n_running < 1 + N_THREAD)
            nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    atomic_store_explicit(&c.is_over, 1, memory_order_relaxed);
    for (int i = 0; i < N_THREAD; i++)
        pthread_join(thread[i], NULL);
    assert_true(n_running >= 1 + N_THREAD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_texts_are_filled),
                                       cmocka_unit_test(test_who_runs_is_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
