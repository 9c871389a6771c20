/* Finds groups whose waveforms are equal up to a shift in time and a constant offset, as candidates for history_source and lag. The search
 * samples signals over about the last period of a run in one subsystem. Two groups are alike if their outputs have the same names in the
 * same order, and equal values up to half a period later. A tolerance relative to the range allows for imperfect repetition.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_LIKENESS_H
#define WR_LIKENESS_H

#include "offline/grouping/parts.h"

typedef struct wr_likeness wr_likeness;

/* Samples a run. *ret is NULL if the config has no relaxation.history, or if the samples cover no period. For example, a period may take
 * more than half of the run. Returns WRSIM_OK, WRSIM_E_MEMORY, or an error of the run. */
wrsim_status wr_likeness_find(const wr_settings *settings, const wr_parts *parts, wr_likeness **ret,
                              wrsim_error *err);
void wr_likeness_destroy(wr_likeness **likeness);

/* Outputs of a group. */
typedef struct wr_likeness_group {
    int n;
    int *component, *output; /* [n] components and outputs in the order of publication */
} wr_likeness_group;
/* Returns the index of the group whose waveforms group i_group repeats, or -1. *ret_lag receives the shift, in the unit of
 * relaxation.history's period. */
int wr_likeness_source(const wr_likeness *likeness, const wr_likeness_group *groups, int n_group,
                       int i_group, double *ret_lag);

#endif
