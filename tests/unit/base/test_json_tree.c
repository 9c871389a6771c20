#include <unistd.h>

#include "wr_test.h"

#include "base/json_tree.h"

/* The reader enlarges its buffer: files below, at and above powers of two times 64 KiB. */
TEST(long_files)
{
    for (size_t size = 64 * 1024; size <= 256 * 1024; size *= 2)
        for (size_t n = size - 1; n <= size + 1; n++) {
            char *const text = malloc(n + 1);
            assert_non_null(text);
            memset(text, ' ', n);
            text[0] = '[';
            memcpy(text + n - 3, "25]", 4);
            wr_test_write("long.json", text);
            free(text);
            char why[256] = "";
            AUTO(wr_json_tree_free) wr_json_tree *tree = wr_json_tree_load("long.json", why);
            assert_string_equal(why, "");
            assert_non_null(tree->first);
            assert_true(tree->first->number == 25.0);
        }
}

TEST(files_that_are_refused)
{
    char why[256];
    assert_null(wr_json_tree_load("none.json", why));
    assert_string_equal(why, "cannot be read: No such file or directory");
    assert_null(wr_json_tree_load(".", why));
    assert_string_equal(why, "cannot be read: Is a directory");
    wr_test_write("large.json", "[1]");
    assert_int_equal(truncate("large.json", 64 << 20), 0);
    assert_null(wr_json_tree_load("large.json", why));
    assert_string_equal(why, "cannot be read: File too large");
    wr_test_write("bad.json", "[1,\n?]");
    assert_null(wr_json_tree_load("bad.json", why));
    assert_non_null(strstr(why, "cannot be read as JSON: line 2: "));
}

TEST_FOLDER
