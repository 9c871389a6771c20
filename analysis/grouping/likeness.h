/* Which groups show the same waveforms some time apart: candidates for history_source and lag.
 *
 * Signals are sampled over the last period of a run in one subsystem; two groups are alike where what they publish has
 * the same names, in the same order, and the same values a fraction of a period later (up to a part of the
 * range, for what repeats is never quite the same).
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_LIKENESS_H
#define WR_LIKENESS_H

#include "analysis/grouping/parts.h"

typedef struct wr_likeness wr_likeness;

/* NULL in *ret where the config has no relaxation.history, or does not run for two periods. */
wrsim_status wr_likeness_find(const wr_settings *settings, const wr_parts *parts, wr_likeness **ret,
                              wrsim_error *err);
void wr_likeness_destroy(wr_likeness **likeness);

/* The best source for a group that publishes those outputs (component, output), among n_other groups with as many; -1: none
 * is alike. *ret_lag in units of the phase, the shortest of those that are equally good. */
typedef struct wr_likeness_group {
    int n;
    int *component, *output; /* [n] in the order in which they are published */
} wr_likeness_group;
int wr_likeness_source(const wr_likeness *likeness, const wr_likeness_group *groups, int n_group,
                       int i_group, double *ret_lag);

#endif
