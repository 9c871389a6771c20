/* One run to a file: by whatever name, with a lock file that nothing else loses, and without one. */
#include "wr_test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file_claim.h"
#include "base/same_file.h"

static char folder[] = "test_file_claim.XXXXXX";

static char *path_of(const char *name)
{
    static char path[4][256];
    static int i;
    char *const at = path[i++ % 4];
    snprintf(at, sizeof path[0], "%s/%s", folder, name);
    return at;
}

static int setup(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    return rmdir(folder); /* each test removes its files */
}

static int is_there(const char *name) { return access(path_of(name), F_OK) == 0; }

static void make(const char *name, const char *text)
{
    FILE *const file = fopen(path_of(name), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static wr_file_claim *take(const char *name)
{
    wr_file_claim *claim;
    assert_int_equal(wr_file_claim_take(path_of(name), &claim), 0);
    assert_non_null(claim);
    return claim;
}

static void assert_taken(const char *name)
{
    wr_file_claim *claim;
    assert_int_equal(wr_file_claim_take(path_of(name), &claim), EAGAIN);
    assert_null(claim);
}

/* Before the file is there, through a link to nothing, and after it has been replaced. */
static void test_names_of_one_file(void **state)
{
    (void)state;
    char place[PATH_MAX], linked[PATH_MAX];
    assert_int_equal(symlink("a", path_of("link")), 0);
    assert_int_equal(wr_same_file_place(path_of("a"), place), 0);
    assert_int_equal(wr_same_file_place(path_of("link"), linked), 0);
    assert_string_equal(place, linked);
    assert_int_equal(place[0], '/');
    assert_true(wr_same_file(path_of("a"), path_of("link")));
    assert_false(wr_same_file(path_of("a"), path_of("b")));
    wr_file_claim *claim = take("a"), *other = take("b");
    assert_taken("a");
    assert_taken("./a");
    assert_taken("link");
    make("new", "text");
    assert_int_equal(rename(path_of("new"), path_of("a")), 0);
    assert_taken("a");
    wr_file_claim_release(&claim);
    assert_null(claim);
    wr_file_claim_release(&claim);
    claim = take("link");
    assert_taken("a");
    wr_file_claim_release(&claim);
    wr_file_claim_release(&other);
    unlink(path_of("a"));
    unlink(path_of("link"));
    assert_false(is_there("a.lock") || is_there("b.lock") || is_there("link.lock"));
}

/* The lock file of a process that was killed claims nothing; a process that was forked keeps no claim. */
static void test_processes(void **state)
{
    (void)state;
    int status;
    pid_t child = fork();
    if (child == 0) {
        (void)take("a");
        _exit(7);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WEXITSTATUS(status), 7);
    assert_true(is_there("a.lock"));
    wr_file_claim *claim = take("a");
    int hold[2];
    assert_int_equal(pipe(hold), 0);
    child = fork();
    if (child == 0) {
        char byte;
        close(hold[1]);
        _exit((int)read(hold[0], &byte, 1));
    }
    wr_file_claim_release(&claim);
    assert_false(is_there("a.lock"));
    claim = take("a");
    wr_file_claim_release(&claim);
    close(hold[0]);
    close(hold[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
}

/* Where no lock file can be made the file itself carries the lock; a file of the lock's name that is not empty stays. */
static void test_lock_files(void **state)
{
    (void)state;
    make("a", "text");
    assert_int_equal(mkdir(path_of("a.lock"), 0777), 0);
    wr_file_claim *claim = take("a");
    assert_taken("a");
    wr_file_claim_release(&claim);
    assert_true(is_there("a"));
    rmdir(path_of("a.lock"));
    make("a.lock", "text");
    claim = take("a");
    wr_file_claim_release(&claim);
    assert_true(is_there("a.lock"));
    unlink(path_of("a.lock"));
    unlink(path_of("a"));
}

/* What belongs to no run. */
static void test_unclaimed(void **state)
{
    (void)state;
    wr_file_claim *claim;
    assert_int_equal(mkfifo(path_of("pipe"), 0666), 0);
    const char *const names[] = {"/dev/null", "/dev/stdout", path_of("pipe"), path_of("no/such"),
                                 folder};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(wr_file_claim_take(names[i], &claim), 0);
        assert_null(claim);
    }
    unlink(path_of("pipe"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_of_one_file),
        cmocka_unit_test(test_processes),
        cmocka_unit_test(test_lock_files),
        cmocka_unit_test(test_unclaimed),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
