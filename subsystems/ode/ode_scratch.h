/* Work arrays of a subsystem. An array keeps its values until another user of the array runs. Thread: one at a time. Real-time: yes after
 * creation. */
#ifndef WR_ODE_SCRATCH_H
#define WR_ODE_SCRATCH_H

#include "subsystems/ode/ode_parts.h"

/* Largest number of nested divisions of a step in the search for events (assumed). 20 halvings leave about 1e-6 of the step. */
enum { WR_LOOK_LEVELS = 20 };

/* Each row has an array's name, length, and 1 if the array is cold (seldom read). */
#define WR_SCRATCH_ARRAYS(X)                                                                       \
    X(WR_EXTERNAL_MOVED, s->n_external, 0)                                                         \
    X(WR_EXTERNAL_LEFT, s->n_external, 1) /* inputs at the end of the last window */               \
    X(WR_X_STEP, group->n_x, 0)           /* states at wr_ode_point_at() */                        \
    X(WR_DX_STEP, group->n_x, 0)          /* slopes at wr_ode_point_at() */                        \
    X(WR_X_MOVED, group->n_x, 0)                                                                   \
    X(WR_Z_PROBE_0, group->n_z, 0)                                                                 \
    X(WR_Z_PROBE_1, group->n_z, 0)                                                                 \
    X(WR_Z_WATCH, group->n_z, 0)                                                                   \
    X(WR_Z_LOOK, (WR_LOOK_LEVELS + 4) * group->n_z, 1)                                             \
    X(WR_LOOK, has_looks ? 4 * group->n_x : 0, 0) /* search for pulses */                          \
    X(WR_D_PROBE, group->n_d, 0)                                                                   \
    X(WR_TIME_WATCH, group->n_component, 0)                                                        \
    X(WR_Y_MOVED, group->n_y, is_y_cold)                                                           \
    X(WR_Y_BACK, group->n_y, is_y_cold)                                                            \
    X(WR_X_BEFORE, group->n_x, group->n_z == 0) /* states before an event */                       \
    X(WR_X_SHOWN, group->mass ? group->n_x : 0, 0)                                                 \
    X(WR_X_LEFT, group->mass ? group->n_x : 0, 1) /* states at the end of the last window */

#define WR_SCRATCH_NAME(name, length, is_cold) name,
typedef enum wr_scratch_array {
    WR_SCRATCH_ARRAYS(WR_SCRATCH_NAME) WR_SCRATCH_COUNT
} wr_scratch_array;

typedef struct wr_ode_scratch {
    double *array[WR_SCRATCH_COUNT];
    int *index;          /* [n_z] */
    unsigned char *mode; /* [n_z] */
} wr_ode_scratch;

/* Places the arrays. Setup only. Returns 0, or -1 when the arena is exhausted. */
int wr_ode_scratch_place(const wr_subsystem *s, wr_arena *arena, int has_looks);

static inline double *wr_scratch(const wr_subsystem *s, wr_scratch_array array)
{
    return wr_ode_of(s)->scratch->array[array];
}

/* Returns the work array of indices of indicators, [n_z]. */
static inline int *wr_scratch_index(const wr_subsystem *s) { return wr_ode_of(s)->scratch->index; }

/* Returns the work array of modes, [n_z]. */
static inline unsigned char *wr_scratch_mode(const wr_subsystem *s)
{
    return wr_ode_of(s)->scratch->mode;
}

#endif
