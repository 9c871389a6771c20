/* Locks of cores. See core_lock.h. Thread: one owner. Real-time: no (setup only). */
#include "scheduler/core_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/check.h"

enum { HELD_WITHOUT_FILE = -2, NOT_HELD = -1 };

struct wr_core_lock {
    wr_topology *topology;
    const char *folder;
    /* [n_pu] at the first unit of each locked core: descriptor of the locked file, or HELD_WITHOUT_FILE; other units: NOT_HELD */
    int fd[];
};

/* Returns the first unit of a core in the topology. The lock of this unit represents all units of the core. */
static int first_of_core(const wr_topology *topology, int i_pu)
{
    int first = i_pu;
    while (first > 0 && topology->pu[first - 1].core == topology->pu[i_pu].core)
        first--;
    return first;
}

/* Returns the descriptor of the locked file, HELD_WITHOUT_FILE, or NOT_HELD if another run has locked the file. */
static int lock_core(const wr_core_lock *claim, int os_cpu)
{
    char path[PATH_MAX];
    /* The file of the first sibling represents the core in all processes, even if the processes may use different siblings. */
    snprintf(path, sizeof path, "%s/cpu%d/topology/thread_siblings_list", claim->folder, os_cpu);
    FILE *const in = fopen(path, "re");
    int cpu;
    if (!in || fscanf(in, "%d", &cpu) != 1)
        cpu = os_cpu;
    if (in)
        fclose(in);
    snprintf(path, sizeof path, "%s/cpu%d/topology/core_id", claim->folder, cpu);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return HELD_WITHOUT_FILE;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        return fd;
    const int is_taken = errno == EWOULDBLOCK;
    close(fd);
    return is_taken ? NOT_HELD : HELD_WITHOUT_FILE;
}

static void unlock_core(wr_core_lock *claim, int i_pu)
{
    if (claim->fd[i_pu] >= 0) {
        /* A forked child also has the descriptor, so closing alone does not unlock. */
        (void)flock(claim->fd[i_pu], LOCK_UN);
        close(claim->fd[i_pu]);
    }
    claim->fd[i_pu] = NOT_HELD;
}

wr_core_lock *wr_core_lock_create(wr_topology *topology, const char *folder)
{
    wr_core_lock *const claim =
        malloc(sizeof *claim + (size_t)topology->n_pu * sizeof claim->fd[0]);
    if (!claim)
        return NULL;
    claim->topology = topology;
    claim->folder = folder ? folder : "/sys/devices/system/cpu";
    for (int i = 0; i < topology->n_pu; i++)
        claim->fd[i] = NOT_HELD;
    return claim;
}

int wr_core_lock_take(wr_core_lock *claim, const int *pu, int n)
{
    wr_topology *const topology = claim->topology;
    int n_refused = 0;
    for (int i = 0; i < topology->n_pu; i++) {
        int is_listed = 0;
        for (int k = 0; k < n && claim->fd[i] != NOT_HELD; k++)
            is_listed |= pu[k] >= 0 && first_of_core(topology, pu[k]) == i;
        if (claim->fd[i] != NOT_HELD && !is_listed)
            unlock_core(claim, i);
    }
    for (int i = 0; i < n; i++) {
        const int first = pu[i] >= 0 ? first_of_core(topology, pu[i]) : -1;
        if (first < 0 || claim->fd[first] != NOT_HELD || topology->pu[first].is_taken)
            continue;
        claim->fd[first] = lock_core(claim, topology->pu[first].os_cpu);
        n_refused += claim->fd[first] == NOT_HELD;
        for (int k = first; k < topology->n_pu && claim->fd[first] == NOT_HELD &&
                            topology->pu[k].core == topology->pu[first].core;
             k++)
            topology->pu[k].is_taken = 1;
    }
    return n_refused;
}

void wr_core_lock_destroy(wr_core_lock **claim)
{
    if (!claim || !*claim)
        return;
    for (int i = 0; i < (*claim)->topology->n_pu; i++)
        unlock_core(*claim, i);
    free(*claim);
    *claim = NULL;
}
