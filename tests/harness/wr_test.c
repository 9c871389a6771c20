#include "wr_test.h"

#include <execinfo.h>
#include <unistd.h>

static struct CMUnitTest tests[64];
static int n_test;
static CMFixtureFunction group_setup, group_teardown, each_setup, each_teardown;
static char **arguments;
static int n_argument;

void wr_test_add(const char *name, CMUnitTestFunction test)
{
    if (n_test == (int)(sizeof tests / sizeof tests[0]))
        abort();
    tests[n_test++] = (struct CMUnitTest){
        .name = name, .test_func = test, .setup_func = each_setup, .teardown_func = each_teardown};
}

void wr_test_group(CMFixtureFunction setup, CMFixtureFunction teardown)
{
    group_setup = setup;
    group_teardown = teardown;
}

void wr_test_each(CMFixtureFunction setup, CMFixtureFunction teardown)
{
    each_setup = setup;
    each_teardown = teardown;
}

static char folder[256];

int wr_test_enter_folder(void **state)
{
    (void)state;
    const char *const parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/wr_test_XXXXXX", parent ? parent : "/tmp");
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

int wr_test_leave_folder(void **state)
{
    (void)state;
    char command[300];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return chdir("/") == 0 ? system(command) : -1;
}

void wr_test_write(const char *file, const char *text)
{
    FILE *const stream = fopen(file, "w");
    assert_non_null(stream);
    assert_true(fputs(text, stream) >= 0);
    assert_int_equal(fclose(stream), 0);
}

const char *wr_test_read(const char *file)
{
    static char text[65536];
    FILE *const stream = fopen(file, "r");
    assert_non_null(stream);
    text[fread(text, 1, sizeof text - 1, stream)] = 0;
    fclose(stream);
    return text;
}

static pid_t running; /* the process that runs the tests; 0: no test runs */

/* After a fault of a thread that is not the test's own, cmocka ends the program without a message. The stack then contains the fault. */
static void report_early_end(void)
{
    void *frames[64];
    if (running != getpid())
        return;
    fputs("The program ended during a test. Callers (addr2line -e PROGRAM +OFFSET shows lines):\n",
          stderr);
    backtrace_symbols_fd(frames, backtrace(frames, 64), STDERR_FILENO);
}

int wr_test_run(void)
{
    running = getpid();
    atexit(report_early_end);
    const int n_failed =
        _cmocka_run_group_tests("tests", tests, (size_t)n_test, group_setup, group_teardown);
    running = 0;
    return n_failed;
}

const char *wr_test_arg(int i)
{
    if (i >= n_argument) {
        fprintf(stderr, "argument %d of the test program is missing; tests/meson.build has it\n",
                i);
        exit(2);
    }
    return arguments[i];
}

int64_t wr_test_number(int i, int64_t otherwise)
{
    return i < n_argument ? atoll(arguments[i]) : otherwise;
}

/* glibc passes the arguments of main() to constructors, so a main() elsewhere needs no call. */
__attribute__((constructor)) static void take_arguments(int argc, char **argv)
{
    n_argument = argc;
    arguments = argv;
}
