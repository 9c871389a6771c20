/* A grouping: the subsystem of each part, the level of each subsystem in a Gauss-Seidel sweep, and the solvers. This file also converts
 * groupings to settings and back.
 *
 * Thread: one owner. Real-time: no. */
#ifndef WR_GROUPING_H
#define WR_GROUPING_H

#include "base/heap_pool.h"
#include "offline/grouping/likeness.h"
#include "offline/grouping/parts.h"

/* Largest numbers of parts and groups (assumed). */
enum { WR_GROUPING_PARTS = 512, WR_GROUPING_GROUPS = 32 };

/* A grouping as plain data. Factors multiply values of the config. */
typedef struct wr_grouping_set {
    int n_part, n_group;
    unsigned char group[WR_GROUPING_PARTS];   /* [n_part] group of each part */
    unsigned char level[WR_GROUPING_GROUPS];  /* [n_group] level of each group */
    unsigned char solver[WR_GROUPING_GROUPS]; /* [n_group] row of wr_grouping_solvers */
    float tight[WR_GROUPING_GROUPS]; /* [n_group] factor on the tolerance of each group's solver */
    /* factors on the tolerance of all solvers, on relaxation.convergence, and on fixed windows */
    float tolerance, convergence, window;
} wr_grouping_set;

/* Kinds of solvers that a search tries for each group, ended by NULL. Row 0, "", is the config's kind. */
extern const char *const wr_grouping_solvers[];

/* Returns one group of all parts, with factors 1. */
wr_grouping_set wr_grouping_whole(int n_part);
/* Numbers the groups by their first parts, removes empty groups, and numbers the used levels from 0. */
void wr_grouping_tidy(wr_grouping_set *set);
int wr_grouping_is_same(const wr_grouping_set *a, const wr_grouping_set *b);

/* Data for converting groupings to settings and back. */
typedef struct wr_grouping_of {
    const wr_settings *settings;
    const wr_parts *parts;
    const wr_likeness *likeness; /* NULL: no history sources */
} wr_grouping_of;

/* Returns the settings with the subsystems of the grouping; `memory` owns new items. The name of a group is the name of its most expensive
 * component. */
wr_settings wr_grouping_settings(const wr_grouping_of *of, const wr_grouping_set *set,
                                 wr_heap_pool *memory);
/* Returns the most expensive component of a group. */
int wr_grouping_head(const wr_parts *parts, const wr_grouping_set *set, int i_group);

/* Converts the subsystems of a config to a grouping. If every group has a level in the config, the grouping has these levels, numbered
 * from 0. Otherwise the levels follow the connections. Returns WRSIM_OK, WRSIM_E_CONFIG if the subsystems divide a part, or
 * WRSIM_E_LIMIT for too many subsystems. */
wrsim_status wr_grouping_given(const wr_grouping_of *of, wr_grouping_set *ret_set,
                               wrsim_error *err);

/* Sets levels along the connections (base/order.h). */
void wr_grouping_order(const wr_parts *parts, wr_grouping_set *set);

#endif
