#include "wr_test.h"

#include "scheduler/machine.h"

static void assert_one_line(const char *text)
{
    assert_true(strlen(text) > 0 && strlen(text) < WR_MACHINE_TEXT_BYTES);
    assert_null(strpbrk(text, "\n\t"));
}

TEST(all_texts_are_filled)
{
    wr_diag diag = {0};
    AUTO(wr_topology_destroy)
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
}
