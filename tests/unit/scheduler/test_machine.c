#include <pthread.h>
#include <stdatomic.h>

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

static void *compute(void *is_over)
{
    /* relaxed: only the flag itself matters. */
    while (!atomic_load_explicit((atomic_int *)is_over, memory_order_relaxed))
        continue;
    return NULL;
}

static void test_who_runs_is_counted(void **state)
{
    (void)state;
    FILE *const file = fopen("/proc/loadavg", "r");
    if (!file)
        skip(); /* a system that does not tell */
    fclose(file);
    enum { N_THREAD = 3 };
    assert_true(wr_machine_running() >= 1);
    pthread_t thread[N_THREAD];
    atomic_int is_over;
    atomic_init(&is_over, 0);
    for (int i = 0; i < N_THREAD; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, compute, &is_over), 0);
    const int n_running = wr_machine_running();
    atomic_store_explicit(&is_over, 1, memory_order_relaxed);
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
