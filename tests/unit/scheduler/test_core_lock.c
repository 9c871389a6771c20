/* wr_core_lock_take() refuses a core that another run or process has claimed, until the other run or process releases the core. */
#include "wr_test.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scheduler/core_choice.h"
#include "scheduler/core_lock.h"

static char folder[] = "/tmp/wrsim_claim_XXXXXX";

static void make_file(int cpu, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/cpu%d", folder, cpu);
    (void)mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/cpu%d/topology", folder, cpu);
    (void)mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/cpu%d/topology/%s", folder, cpu, name);
    FILE *const out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

/* Two cores of two hardware threads each, numbered as on many machines: 0, 2 and 1, 3. */
static int make_folder(void **state)
{
    if (!mkdtemp(folder))
        return -1;
    for (int cpu = 0; cpu < 4; cpu++) {
        make_file(cpu, "core_id", cpu % 2 == 0 ? "0\n" : "1\n");
        make_file(cpu, "thread_siblings_list", cpu % 2 == 0 ? "0,2\n" : "1,3\n");
    }
    return 0;
}

static int remove_folder(void **state)
{
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static wr_topology *read_machine(void)
{
    wr_diag diag = {0};
    wr_topology *const topology = wr_topology_create("core:2 pu:2", &diag);
    assert_non_null(topology);
    wr_diag_done(&diag);
    for (int i = 0; i < topology->n_pu; i++)
        topology->pu[i].os_cpu = topology->pu[i].core + 2 * topology->pu[i].sibling;
    return topology;
}

static int pick(const wr_topology *topology, int n_worker, int *ret_pu)
{
    wr_diag diag = {0};
    const int n = wr_core_choice_units(topology, n_worker, 0, NULL, 0, 0, ret_pu, 64, &diag);
    wr_diag_done(&diag);
    return n;
}

TEST(a_core_has_one_holder)
{
    AUTO(wr_topology_destroy) wr_topology *a = read_machine(), *b = read_machine();
    int pu[64];
    AUTO(wr_core_lock_destroy)
    wr_core_lock *one = wr_core_lock_create(a, folder), *two = wr_core_lock_create(b, folder);
    assert_int_equal(wr_core_lock_take(one, (int[]){0, -1}, 2), 0);
    assert_int_equal(wr_core_lock_take(one, (int[]){0, -1}, 2), 0); /* `one` has claimed core 0 */
    assert_int_equal(wr_core_lock_take(two, (int[]){0}, 1), 1);
    assert_true(b->pu[0].is_taken);
    assert_int_equal(wr_core_lock_take(two, (int[]){0}, 1), 0); /* claimed above by another run */
    const int n = pick(b, 1, pu);
    assert_int_equal(n, 1);
    assert_int_equal(b->pu[pu[0]].core, 1);
    assert_int_equal(pick(b, 0, pu), 1);
    assert_int_equal(pick(b, 3, pu), 3);
    assert_int_equal(pu[1], -1); /* no other core is free */
    assert_int_equal(wr_core_lock_take(two, (int[]){3}, 1),
                     0); /* the other hardware thread of the free core */
    assert_int_equal(wr_core_lock_take(one, (int[]){0, 2}, 2), 1);
    assert_int_equal(pick(a, 0, pu), 1);
    wr_core_lock_destroy(&one);
    a->pu[2].is_taken = a->pu[3].is_taken = 0;
    b->pu[0].is_taken = b->pu[1].is_taken = 0;
    assert_int_equal(wr_core_lock_take(two, (int[]){0}, 1), 0);
    assert_int_equal(wr_core_lock_take(two, NULL, 0), 0); /* releases core 0 */
    one = wr_core_lock_create(a, folder);
    assert_int_equal(wr_core_lock_take(one, (int[]){0}, 1), 0);
    wr_core_lock_destroy(&two);
}

/* Without topology files, as in some containers, all claims succeed. */
TEST(without_files_all_are_free)
{
    AUTO(wr_topology_destroy) wr_topology *topology = read_machine();
    AUTO(wr_core_lock_destroy) wr_core_lock *one = wr_core_lock_create(topology, "/nowhere");
    AUTO(wr_core_lock_destroy) wr_core_lock *two = wr_core_lock_create(topology, "/nowhere");
    assert_int_equal(wr_core_lock_take(one, (int[]){0, 2}, 2), 0);
    assert_int_equal(wr_core_lock_take(two, (int[]){0, 2}, 2), 0);
}

TEST(ended_processes_hold_no_core)
{
    AUTO(wr_topology_destroy) wr_topology *topology = read_machine();
    int pipe_to_child[2], pipe_to_parent[2];
    assert_int_equal(pipe(pipe_to_child) | pipe(pipe_to_parent), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    char byte = 0;
    if (child == 0) {
        wr_core_lock *const claim = wr_core_lock_create(topology, folder);
        byte = (char)wr_core_lock_take(claim, (int[]){0}, 1);
        (void)!write(pipe_to_parent[1], &byte, 1);
        (void)!read(pipe_to_child[0], &byte, 1);
        _exit(0); /* without releasing the core */
    }
    assert_int_equal(read(pipe_to_parent[0], &byte, 1), 1);
    assert_int_equal(byte, 0);
    AUTO(wr_core_lock_destroy) wr_core_lock *claim = wr_core_lock_create(topology, folder);
    assert_int_equal(wr_core_lock_take(claim, (int[]){0}, 1), 1);
    assert_int_equal(write(pipe_to_child[1], &byte, 1), 1);
    assert_int_equal(waitpid(child, NULL, 0), child);
    topology->pu[0].is_taken = 0;
    assert_int_equal(wr_core_lock_take(claim, (int[]){0}, 1), 0);
}

TEST_GROUP(make_folder, remove_folder)
