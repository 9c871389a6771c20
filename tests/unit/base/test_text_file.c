/* Files written whole: half of one is never seen, and what cannot be written leaves what was there. */
#include "wr_test.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/open_file.h"
#include "base/text_file.h"

static char folder[] = "test_text_file.XXXXXX";

static char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void assert_holds(const char *name, const char *text)
{
    char found[64] = "";
    FILE *const file = fopen(path_of(name), "r");
    assert_non_null(file);
    const size_t n = fread(found, 1, sizeof found - 1, file);
    fclose(file);
    found[n] = '\0';
    assert_string_equal(found, text);
}

static int count_files(void)
{
    DIR *const open_folder = opendir(folder);
    int n = 0;
    for (const struct dirent *e; (e = readdir(open_folder));)
        n += e->d_name[0] != '.';
    closedir(open_folder);
    return n;
}

static int setup(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
    static const char *const names[] = {"a", "b", "link", "later", "target", "kept", "own"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        unlink(path_of(names[i]));
    return rmdir(folder);
}

static void test_whole_or_not_at_all(void **state)
{
    (void)state;
    assert_int_equal(wr_text_file_write(path_of("a"), "first"), 0);
    assert_holds("a", "first");
    struct stat before, after;
    assert_int_equal(chmod(path_of("a"), 0604), 0);
    assert_int_equal(stat(path_of("a"), &before), 0);
    FILE *const reader = fopen(path_of("a"), "r"); /* goes on with what it opened */
    assert_int_equal(wr_text_file_write(path_of("a"), "second"), 0);
    char found[16] = "";
    assert_int_equal(fread(found, 1, sizeof found - 1, reader), 5);
    fclose(reader);
    assert_string_equal(found, "first");
    assert_holds("a", "second");
    assert_int_equal(stat(path_of("a"), &after), 0);
    assert_true(after.st_ino != before.st_ino && (after.st_mode & 0777) == 0604);
    assert_int_equal(count_files(), 1);
}

static void test_links_stay(void **state)
{
    (void)state;
    assert_int_equal(wr_text_file_write(path_of("b"), "old"), 0);
    assert_int_equal(symlink("b", path_of("link")), 0);
    assert_int_equal(symlink("target", path_of("later")), 0);
    assert_int_equal(wr_text_file_write(path_of("link"), "new"), 0);
    assert_holds("b", "new");
    assert_int_equal(wr_text_file_write(path_of("later"), "there"), 0);
    assert_holds("target", "there");
    struct stat about;
    assert_true(lstat(path_of("link"), &about) == 0 && S_ISLNK(about.st_mode));
    assert_true(lstat(path_of("later"), &about) == 0 && S_ISLNK(about.st_mode));
}

static void test_what_cannot_be_written(void **state)
{
    (void)state;
    assert_int_equal(wr_text_file_write(path_of("no/such"), "x"), ENOENT);
    assert_int_equal(wr_text_file_write(folder, "x"), EISDIR);
    assert_int_equal(wr_text_file_write("/dev/null", "x"), 0);
    if (access("/dev/full", W_OK) == 0)
        assert_int_equal(wr_text_file_write("/dev/full", "x"), ENOSPC);
}

/* Any bytes, whole or not at all; where no other file can be made what is there stays. */
static void test_kept_bytes(void **state)
{
    (void)state;
    static const char bytes[] = "a\0b\0c";
    char found[16];
    struct stat about;
    const int n_before = count_files();
    assert_int_equal(wr_text_file_keep(path_of("kept"), bytes, sizeof bytes), 0);
    assert_int_equal(count_files(), n_before + 1);
    FILE *const file = fopen(path_of("kept"), "r");
    assert_int_equal(fread(found, 1, sizeof found, file), sizeof bytes);
    fclose(file);
    assert_memory_equal(found, bytes, sizeof bytes);
    assert_int_equal(wr_text_file_keep(path_of("no/such"), bytes, sizeof bytes), ENOENT);
    if (geteuid() == 0)
        return; /* to whom nothing is closed */
    assert_int_equal(chmod(folder, 0555), 0);
    assert_int_equal(wr_text_file_keep(path_of("kept"), "other", 5), EACCES);
    assert_int_equal(chmod(folder, 0755), 0);
    assert_true(stat(path_of("kept"), &about) == 0 && about.st_size == sizeof bytes);
}

/* A name of a descriptor is that descriptor, through links, too: what it has got stays. */
static void test_descriptors(void **state)
{
    (void)state;
    char name[64];
    FILE *const file = fopen(path_of("own"), "w");
    assert_non_null(file);
    assert_int_equal(wr_open_file_descriptor(path_of("own")), -1);
    assert_int_equal(wr_open_file_descriptor("/dev/fd/x"), -1);
    assert_int_equal(wr_open_file_descriptor("/dev/fd/"), -1);
    assert_int_equal(wr_open_file_descriptor(""), -1);
    assert_int_equal(wr_open_file_descriptor("/dev/stderr"), 2);
    snprintf(name, sizeof name, "/dev/fd/%d", fileno(file));
    assert_int_equal(wr_open_file_descriptor(name), fileno(file));
    fputs("first ", file);
    fflush(file);
    assert_int_equal(wr_text_file_try(name), 0);
    assert_int_equal(wr_text_file_write(name, "second "), 0);
    unlink(path_of("link"));
    assert_int_equal(symlink(name, path_of("link")), 0);
    assert_int_equal(wr_open_file_descriptor(path_of("link")), fileno(file));
    wr_text_file_remove(path_of("link"));
    assert_int_equal(wr_text_file_write(path_of("link"), "third"), 0);
    fclose(file);
    assert_holds("own", "first second third");
    assert_int_equal(wr_text_file_try(name), EBADF);
    FILE *const read_only = fopen(path_of("own"), "r");
    assert_non_null(read_only);
    snprintf(name, sizeof name, "/dev/fd/%d", fileno(read_only));
    assert_int_equal(wr_text_file_try(name), EBADF);
    fclose(read_only);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_or_not_at_all),
        cmocka_unit_test(test_links_stay),
        cmocka_unit_test(test_what_cannot_be_written),
        cmocka_unit_test(test_kept_bytes),
        cmocka_unit_test(test_descriptors),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
