/* A text file is written whole: no reader reads a part, and a failed write leaves the old file. */
#include "wr_test.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/open_file.h"
#include "base/text_file.h"

static int count_files(void)
{
    DIR *const open_folder = opendir(".");
    int n = 0;
    for (const struct dirent *e; (e = readdir(open_folder));)
        n += e->d_name[0] != '.';
    closedir(open_folder);
    return n;
}

TEST(whole_or_not_at_all)
{
    assert_int_equal(wr_text_file_write("a", "first"), 0);
    assert_string_equal(wr_test_read("a"), "first");
    struct stat before, after;
    assert_int_equal(chmod("a", 0604), 0);
    assert_int_equal(stat("a", &before), 0);
    FILE *const reader = fopen("a", "r"); /* continues to read the old file */
    assert_int_equal(wr_text_file_write("a", "second"), 0);
    char found[16] = "";
    assert_int_equal(fread(found, 1, sizeof found - 1, reader), 5);
    fclose(reader);
    assert_string_equal(found, "first");
    assert_string_equal(wr_test_read("a"), "second");
    assert_int_equal(stat("a", &after), 0);
    assert_true(after.st_ino != before.st_ino && (after.st_mode & 0777) == 0604);
    assert_int_equal(count_files(), 1);
}

TEST(links_stay)
{
    assert_int_equal(wr_text_file_write("b", "old"), 0);
    assert_int_equal(symlink("b", "link"), 0);
    assert_int_equal(symlink("target", "later"), 0);
    assert_int_equal(wr_text_file_write("link", "new"), 0);
    assert_string_equal(wr_test_read("b"), "new");
    assert_int_equal(wr_text_file_write("later", "there"), 0);
    assert_string_equal(wr_test_read("target"), "there");
    struct stat about;
    assert_true(lstat("link", &about) == 0 && S_ISLNK(about.st_mode));
    assert_true(lstat("later", &about) == 0 && S_ISLNK(about.st_mode));
}

TEST(files_that_cannot_be_written)
{
    assert_int_equal(wr_text_file_write("no/such", "x"), ENOENT);
    assert_int_equal(wr_text_file_write(".", "x"), EISDIR);
    assert_int_equal(wr_text_file_write("/dev/null", "x"), 0);
    if (access("/dev/full", W_OK) == 0)
        assert_int_equal(wr_text_file_write("/dev/full", "x"), ENOSPC);
}

/* All bytes or none are written. If no file can be created, the old file stays. */
TEST(kept_bytes)
{
    static const char bytes[] = "a\0b\0c";
    char found[16];
    struct stat about;
    const int n_before = count_files();
    assert_int_equal(wr_text_file_keep("kept", bytes, sizeof bytes), 0);
    assert_int_equal(count_files(), n_before + 1);
    FILE *const file = fopen("kept", "r");
    assert_int_equal(fread(found, 1, sizeof found, file), sizeof bytes);
    fclose(file);
    assert_memory_equal(found, bytes, sizeof bytes);
    assert_int_equal(wr_text_file_keep("no/such", bytes, sizeof bytes), ENOENT);
    if (geteuid() == 0)
        return; /* root may write anywhere */
    assert_int_equal(chmod(".", 0555), 0);
    assert_int_equal(wr_text_file_keep("kept", "other", 5), EACCES);
    assert_int_equal(chmod(".", 0755), 0);
    assert_true(stat("kept", &about) == 0 && about.st_size == sizeof bytes);
}

/* Writing to the name of a descriptor, also through links, keeps the earlier content of its file. */
TEST(descriptors)
{
    char name[64];
    FILE *const file = fopen("own", "w");
    assert_non_null(file);
    assert_int_equal(wr_open_file_descriptor("own"), -1);
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
    unlink("link");
    assert_int_equal(symlink(name, "link"), 0);
    assert_int_equal(wr_open_file_descriptor("link"), fileno(file));
    wr_text_file_remove("link");
    assert_int_equal(wr_text_file_write("link", "third"), 0);
    fclose(file);
    assert_string_equal(wr_test_read("own"), "first second third");
    assert_int_equal(wr_text_file_try(name), EBADF);
    FILE *const read_only = fopen("own", "r");
    assert_non_null(read_only);
    snprintf(name, sizeof name, "/dev/fd/%d", fileno(read_only));
    assert_int_equal(wr_text_file_try(name), EBADF);
    fclose(read_only);
}

TEST_FOLDER
