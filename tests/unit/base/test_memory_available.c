/* The available memory of the machine and of a control group, with its use and its cached files. */
#include "wr_test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

static size_t available(void) { return wr_memory_available_by("meminfo", "."); }

TEST(of_a_control_group)
{
    assert_true(available() == SIZE_MAX);
    wr_test_write("meminfo", "MemTotal:  100 kB\nMemAvailable:   50 kB\n");
    assert_int_equal(available(), 50 * 1024);
    wr_test_write("memory.max", "max\n");
    wr_test_write("memory.current", "7000\n");
    assert_int_equal(available(), 50 * 1024);
    wr_test_write("memory.max", "30000\n");
    assert_int_equal(available(), 23000);
    wr_test_write("memory.stat", "anon 4000\nfile 3000\ninactive_file 2000\nactive_file 500\n");
    assert_int_equal(available(), 25500);
    wr_test_write("memory.current", "40000\n");
    assert_int_equal(available(), 0);
    unlink("memory.current");
    assert_int_equal(available(), 30000);
}

TEST(this_machine) { assert_true(wr_memory_available() > 0); }

TEST_FOLDER
