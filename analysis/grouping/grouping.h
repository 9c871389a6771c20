/* A grouping: which parts of a config are a subsystem, in which level of a Gauss-Seidel sweep each is, and how they are
 * solved; and the settings that it comes to.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_GROUPING_H
#define WR_GROUPING_H

#include "analysis/grouping/likeness.h"
#include "analysis/grouping/parts.h"
#include "runtime/config/settings_memory.h"

enum { WR_GROUPING_PARTS = 512, WR_GROUPING_GROUPS = 32 };

/* Copied by value. Factors are of what the config says: 1 leaves it. */
typedef struct wr_grouping_set {
    int n_part, n_group;
    unsigned char group[WR_GROUPING_PARTS];   /* [n_part] */
    unsigned char level[WR_GROUPING_GROUPS];  /* [n_group] */
    unsigned char solver[WR_GROUPING_GROUPS]; /* [n_group] row of wr_grouping_solvers */
    float tight[WR_GROUPING_GROUPS];          /* [n_group] of its solver's tolerance */
    float tolerance, convergence, window; /* of all solvers', of the agreement, of fixed windows */
} wr_grouping_set;

/* Kinds that are tried where the config's is one of them; row 0: the config's. Ends with NULL. */
extern const char *const wr_grouping_solvers[];

/* All of one group, factors 1. */
wr_grouping_set wr_grouping_whole(int n_part);
/* Numbers groups by their first part and levels from 0; empty groups go. */
void wr_grouping_tidy(wr_grouping_set *set);
int wr_grouping_is_same(const wr_grouping_set *a, const wr_grouping_set *b);

/* What it needs beside the settings. */
typedef struct wr_grouping_of {
    const wr_settings *settings;
    const wr_parts *parts;
    const wr_likeness *likeness; /* NULL: no history sources */
} wr_grouping_of;

/* The settings with these subsystems; what is new lives in memory. A group has the name of its costliest component. */
wr_settings wr_grouping_settings(const wr_grouping_of *of, const wr_grouping_set *set,
                                 wr_settings_memory *memory);
/* The number of the group's costliest component, whose name it has. */
int wr_grouping_head(const wr_parts *parts, const wr_grouping_set *set, int i_group);

/* The subsystems of a config as a grouping, with its levels if it has some, else those of the connections. WRSIM_E_CONFIG where
 * they part what must stay together. */
wrsim_status wr_grouping_given(const wr_grouping_of *of, wr_grouping_set *ret_set,
                               wrsim_error *err);

/* Levels along the connections (subsystems/order). */
void wr_grouping_order(const wr_parts *parts, wr_grouping_set *set);

#endif
