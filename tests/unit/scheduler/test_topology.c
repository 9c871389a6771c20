#include "wr_test.h"

#include <pthread.h>
#include <sched.h>

#include "scheduler/topology.h"

static void assert_is_sound(const wr_topology *topology)
{
    assert_true(topology->n_pu >= 1);
    int n_core = 0;
    for (int i = 0; i < topology->n_pu; i++) {
        const wr_pu *const pu = &topology->pu[i];
        assert_in_range(pu->package, 0, topology->n_package - 1);
        assert_in_range(pu->numa, 0, topology->n_numa - 1);
        assert_true(pu->l3 >= -1 && pu->l3 < topology->n_l3);
        if (pu->sibling == 0)
            n_core++;
        else
            assert_true(pu->core == pu[-1].core && pu->sibling == pu[-1].sibling + 1);
        if (i > 0)
            assert_true(pu->core >= pu[-1].core);
    }
    assert_int_equal(n_core, topology->n_core);
    assert_true(strlen(topology->name) > 0);
}

TEST(synthetic_machine)
{
    wr_diag diag = {0};
    AUTO(wr_topology_destroy)
    wr_topology *topology = wr_topology_create("pack:2 numa:1 l3:2 core:4 pu:2", &diag);
    assert_non_null(topology);
    assert_is_sound(topology);
    assert_true(topology->is_synthetic);
    assert_int_equal(topology->n_pu, 32);
    assert_int_equal(topology->n_core, 16);
    assert_int_equal(topology->n_package, 2);
    assert_int_equal(topology->n_numa, 2);
    assert_int_equal(topology->n_l3, 4);
    assert_int_equal(topology->pu[31].core, 15);
    assert_int_equal(topology->pu[31].sibling, 1);
    assert_int_equal(topology->pu[31].package, 1);
    assert_int_equal(topology->pu[31].l3, 3);
    assert_non_null(strstr(topology->name, "16 cores, 32 hardware threads, 2 packages"));
    assert_non_null(strstr(topology->name, "(synthetic)"));
    wr_topology_destroy(&topology);
    assert_null(topology);
}

TEST(machine_without_caches_or_cores)
{
    wr_diag diag = {0};
    AUTO(wr_topology_destroy) wr_topology *topology = wr_topology_create("pu:3", &diag);
    assert_non_null(topology);
    assert_is_sound(topology);
    assert_int_equal(topology->n_core, 3);
    assert_int_equal(topology->n_l3, 0);
    assert_int_equal(topology->pu[2].l3, -1);
}

TEST(wrong_descriptions)
{
    static const char *const wrong[] = {"nonsense", "pack:2 core:x pu:1", "pack:-1 pu:1", "core:"};
    for (size_t i = 0; i < WR_COUNT_OF(wrong); i++) {
        AUTO(wr_diag_done) wr_diag diag = {0};
        assert_null(wr_topology_create(wrong[i], &diag));
        assert_int_equal(diag.n_items, 1);
        assert_int_equal(diag.items[0].status, WRSIM_E_CONFIG);
        assert_non_null(strstr(diag.items[0].text, wrong[i]));
    }
}

TEST(huge_description_is_refused)
{
    static const char *const huge[] = {"pack:1000 core:1000 pu:1000", "pu:99999999999999999999",
                                       "l3:4(size=99) core:8192 pu:2"};
    for (size_t i = 0; i < WR_COUNT_OF(huge); i++) {
        AUTO(wr_diag_done) wr_diag diag = {0};
        assert_null(wr_topology_create(huge[i], &diag));
        assert_non_null(strstr(diag.items[0].text, "has more than 16384 hardware threads"));
    }
    wr_diag diag = {0};
    AUTO(wr_topology_destroy)
    wr_topology *topology = wr_topology_create("l3:4(size=99999) core:2 pu:2", &diag);
    assert_non_null(topology); /* the size of a cache is no number of threads */
    assert_int_equal(topology->n_pu, 16);
}

TEST(this_machine)
{
    for (int i = 0; i < 2; i++) {
        wr_diag diag = {0};
        AUTO(wr_topology_destroy) wr_topology *topology = wr_topology_create(i ? "" : NULL, &diag);
        assert_non_null(topology);
        assert_is_sound(topology);
        assert_false(topology->is_synthetic);
    }
}

/* Sets the module path to a folder without modules, or restores the path. A path that was not set becomes empty. */
static void hide_modules(int is_hidden)
{
    static char before[4096];
    const char *const given = getenv("WRSIM_MODULES");
    if (is_hidden) {
        snprintf(before, sizeof before, "%s", given ? given : "");
        setenv("WRSIM_MODULES", "/nowhere", 1);
    } else {
        setenv("WRSIM_MODULES", before, 1);
    }
}

/* The system's files and the module give the same topology. */
TEST(same_machine_without_the_module)
{
    AUTO(wr_diag_done) wr_diag diag = {0};
    AUTO(wr_topology_destroy) wr_topology *by_hwloc = wr_topology_create(NULL, &diag);
    hide_modules(1);
    AUTO(wr_topology_destroy) wr_topology *by_files = wr_topology_create(NULL, &diag);
    wr_topology *described = wr_topology_create("pu:3", &diag);
    hide_modules(0);
    assert_non_null(by_hwloc);
    assert_non_null(by_files);
    assert_is_sound(by_files);
    assert_string_equal(by_files->name, by_hwloc->name);
    assert_int_equal(by_files->n_pu, by_hwloc->n_pu);
    for (int i = 0; i < by_files->n_pu; i++) {
        const wr_pu *const a = &by_files->pu[i], *const b = &by_hwloc->pu[i];
        assert_int_equal(a->os_cpu, b->os_cpu);
        assert_int_equal(a->core, b->core);
        assert_int_equal(a->sibling, b->sibling);
        assert_int_equal(a->package, b->package);
        assert_int_equal(a->numa, b->numa);
        assert_int_equal(a->l3, b->l3);
    }
    /* A description of another machine needs the module. */
    assert_null(described);
    assert_int_equal(diag.n_items, 1);
    assert_non_null(strstr(diag.items[0].text, "wrsim_hwloc.so"));
}

static char machine[64]; /* a folder like /sys/devices/system */

/* Writes one line into MACHINE/cpu/cpuN/LEAF and makes the folder. */
static void write_leaf(int cpu, const char *leaf, const char *text)
{
    char command[512];
    snprintf(command, sizeof command,
             "f=%s/cpu/cpu%d/%s; mkdir -p \"${f%%/*}\" && echo '%s' > \"$f\"", machine, cpu, leaf,
             text);
    assert_int_equal(system(command), 0);
}

/* CPUs 0 and 1 are two threads of one core, with a cache. No file describes CPU 2. */
TEST(files_of_a_machine)
{
    cpu_set_t mask;
    if (sched_getaffinity(0, sizeof mask, &mask) != 0 || !CPU_ISSET(0, &mask) ||
        !CPU_ISSET(1, &mask))
        skip();
    snprintf(machine, sizeof machine, "/tmp/wr_topology_XXXXXX");
    assert_non_null(mkdtemp(machine));
    for (int cpu = 0; cpu < 2; cpu++) {
        write_leaf(cpu, "topology/core_id", "7");
        write_leaf(cpu, "topology/physical_package_id", "3");
        write_leaf(cpu, "cache/index2/level", "3");
        write_leaf(cpu, "cache/index2/size", "2048K");
        write_leaf(cpu, "cache/index2/shared_cpu_list", "0-1");
        write_leaf(cpu, "node5/distance", "10");
    }
    wr_topology_reading reading;
    assert_int_equal(wr_topology_sysfs_read(machine, &reading), WRSIM_OK);
    assert_true(reading.n_pu >= 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(reading.pu[i].core, 0);
        assert_int_equal(reading.pu[i].sibling, i);
        assert_int_equal(reading.pu[i].package, 3);
        assert_int_equal(reading.pu[i].numa, 5);
        assert_int_equal(reading.pu[i].l3, 0);
    }
    assert_true(reading.l3_bytes == 2 << 20);
    for (int i = 2; i < reading.n_pu; i++) {
        assert_int_equal(reading.pu[i].core, i - 1);
        assert_int_equal(reading.pu[i].l3, -1);
    }
    free(reading.pu);
    char command[80];
    snprintf(command, sizeof command, "rm -r %s", machine);
    assert_int_equal(system(command), 0);
}

/* Expects that a process bound to one CPU finds a topology of one CPU. */
static void is_affinity_honoured(void)
{
    cpu_set_t old, one;
    if (sched_getaffinity(0, sizeof old, &old) != 0)
        skip(); /* a machine with more CPUs than the mask holds */
    int cpu = CPU_SETSIZE - 1;
    while (cpu > 0 && !CPU_ISSET((size_t)cpu, &old))
        cpu--;
    CPU_ZERO(&one);
    CPU_SET((size_t)cpu, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0)
        skip(); /* the system refuses pinning */
    wr_diag diag = {0};
    AUTO(wr_topology_destroy) wr_topology *topology = wr_topology_create(NULL, &diag);
    sched_setaffinity(0, sizeof old, &old);
    assert_non_null(topology);
    assert_is_sound(topology);
    assert_int_equal(topology->n_pu, 1);
    assert_int_equal(topology->pu[0].os_cpu, cpu);
}

TEST(affinity_is_honoured)
{
    is_affinity_honoured();
    hide_modules(1);
    is_affinity_honoured();
    hide_modules(0);
}
