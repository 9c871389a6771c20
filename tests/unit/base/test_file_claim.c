/* Only one run may claim a file, under any name of the file. A claim works with and without a lock file. */
#include "wr_test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file_claim.h"
#include "base/same_file.h"

static int is_there(const char *name) { return access(name, F_OK) == 0; }

static wr_file_claim *take(const char *name)
{
    wr_file_claim *claim;
    assert_int_equal(wr_file_claim_take(name, &claim), 0);
    assert_non_null(claim);
    return claim;
}

static void assert_taken(const char *name)
{
    wr_file_claim *claim;
    assert_int_equal(wr_file_claim_take(name, &claim), EAGAIN);
    assert_null(claim);
}

/* A claim covers all names of a file: before the file exists, through a dangling link, and after a replacement of the file. */
TEST(names_of_one_file)
{
    char place[PATH_MAX], linked[PATH_MAX];
    assert_int_equal(symlink("a", "link"), 0);
    assert_int_equal(wr_same_file_place("a", place), 0);
    assert_int_equal(wr_same_file_place("link", linked), 0);
    assert_string_equal(place, linked);
    assert_int_equal(place[0], '/');
    assert_true(wr_same_file("a", "link"));
    assert_false(wr_same_file("a", "b"));
    wr_file_claim *claim = take("a"), *other = take("b");
    assert_taken("a");
    assert_taken("./a");
    assert_taken("link");
    wr_test_write("new", "text");
    assert_int_equal(rename("new", "a"), 0);
    assert_taken("a");
    wr_file_claim_release(&claim);
    assert_null(claim);
    wr_file_claim_release(&claim);
    claim = take("link");
    assert_taken("a");
    wr_file_claim_release(&claim);
    wr_file_claim_release(&other);
    unlink("a");
    unlink("link");
    assert_false(is_there("a.lock") || is_there("b.lock") || is_there("link.lock"));
}

/* The lock file of a killed process claims no file; a forked process keeps no claim. */
TEST(processes)
{
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

/* If no lock file can be made, the lock is on the file itself. A lock file that is not empty stays. */
TEST(lock_files)
{
    wr_test_write("a", "text");
    assert_int_equal(mkdir("a.lock", 0777), 0);
    wr_file_claim *claim = take("a");
    assert_taken("a");
    wr_file_claim_release(&claim);
    assert_true(is_there("a"));
    rmdir("a.lock");
    wr_test_write("a.lock", "text");
    claim = take("a");
    wr_file_claim_release(&claim);
    assert_true(is_there("a.lock"));
    unlink("a.lock");
    unlink("a");
}

/* Files that no run can claim. */
TEST(unclaimed)
{
    wr_file_claim *claim;
    assert_int_equal(mkfifo("pipe", 0666), 0);
    const char *const names[] = {"/dev/null", "/dev/stdout", "pipe", "no/such", "."};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(wr_file_claim_take(names[i], &claim), 0);
        assert_null(claim);
    }
    unlink("pipe");
}

TEST(nothing_is_left) { assert_int_equal(system("test -z \"$(ls -A)\""), 0); }

TEST_FOLDER
