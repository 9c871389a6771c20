/* How much memory is available: of the machine, and of a control group with its use and its cached files. */
#include "wr_test.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

static char folder[] = "test_memory_available.XXXXXX";

static char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int setup(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
    static const char *const names[] = {"meminfo", "memory.max", "memory.current", "memory.stat"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        unlink(path_of(names[i]));
    return rmdir(folder);
}

static void make(const char *name, const char *text)
{
    FILE *const file = fopen(path_of(name), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static size_t available(void)
{
    char meminfo[256];
    snprintf(meminfo, sizeof meminfo, "%s", path_of("meminfo"));
    return wr_memory_available_by(meminfo, folder);
}

static void test_available(void **state)
{
    (void)state;
    assert_true(available() == SIZE_MAX);
    make("meminfo", "MemTotal:  100 kB\nMemAvailable:   50 kB\n");
    assert_int_equal(available(), 50 * 1024);
    make("memory.max", "max\n");
    make("memory.current", "7000\n");
    assert_int_equal(available(), 50 * 1024);
    make("memory.max", "30000\n");
    assert_int_equal(available(), 23000);
    make("memory.stat", "anon 4000\nfile 3000\ninactive_file 2000\nactive_file 500\n");
    assert_int_equal(available(), 25500);
    make("memory.current", "40000\n");
    assert_int_equal(available(), 0);
    unlink(path_of("memory.current"));
    assert_int_equal(available(), 30000);
}

static void test_this_machine(void **state)
{
    (void)state;
    assert_true(wr_memory_available() > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_available),
        cmocka_unit_test(test_this_machine),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
