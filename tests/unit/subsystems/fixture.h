/* Fixtures for tests of subsystems: a rig that places components in a subsystem, a check of errors, and models. A plain integrator
 * makes the tests independent of the library's integrators. */
#ifndef WR_SUBSYSTEMS_FIXTURE_H
#define WR_SUBSYSTEMS_FIXTURE_H

#include "subsystems/ode/ode_subsystem.h"

/* Classic Runge-Kutta with constant step options.step_s, shorter at stops and on request of a right-hand side. The dense output is cubic
 * Hermite. Order 4 throughout. */
extern const wr_integrator_ops fixture_integrator;
/* The same method with a declared dense output of order 4, which causes mid-step nodes. */
extern const wr_integrator_ops fixture_integrator_dense;

enum { RIG_MAX = 64 };

typedef struct rig {
    wr_arena *arena;
    wr_diag diag;
    wr_component *component[RIG_MAX];
    wr_group_edge edge[RIG_MAX];
    int source[RIG_MAX], source_signal[RIG_MAX], published[RIG_MAX];
    int recorded_kind[RIG_MAX], recorded_index[RIG_MAX];
    wr_ode_config config;
    wr_subsystem *s;
    wr_group *group; /* the group of rig_build_group(), or of the subsystem */
} rig;

/* Sets step 0.01 s, communication step 0.1 s, event tolerance 1e-10 s. */
void rig_open(rig *r);
int rig_add(rig *r, const char *name, const wrsim_model *model);
void rig_connect(rig *r, int from, int i_output, int to, int i_input);
void rig_external(rig *r, int source, int signal, int to, int i_input);
void rig_publish(rig *r, int i_output);
void rig_record(rig *r, wrsim_kind kind, int index);
/* Asserts success. */
void rig_build_group(rig *r);
void rig_build(rig *r);
/* Calls rig_build and init with external inputs of 0. */
void rig_start(rig *r);
/* Advances by one window from the present time and asserts success. */
void rig_advance(rig *r, double t_end_s);
void rig_close(rig *r);
/* Declares a rig that closes at the end of its scope. */
#define RIG(r)                                                                                     \
    AUTO(rig_close) rig r;                                                                         \
    rig_open(&(r))

/* Expects exactly one error in diag whose text contains all of the words (NULL-terminated). */
void expect_error(const wr_diag *diag, wrsim_status status, const char *const *words);
#define EXPECT_ERROR(diag, status, ...)                                                            \
    expect_error((diag), (status), (const char *const[]){__VA_ARGS__, NULL})

/* Adds a variable in describe() and returns the result of add(). */
int add_variable(wrsim_description *to, wrsim_kind kind, const char *name, double start,
                 unsigned flags, int index);
#define MODEL_HEAD(model_name)                                                                     \
    .abi = WRSIM_MODEL_ABI, .struct_size = sizeof(wrsim_model), .name = (model_name)

/* Bouncing ball: the ball drops from 1 m and keeps 0.8 of its speed at each impact. h and v are states
 * and published; d[0] counts impacts. */
extern const wrsim_model ball;
/* Relay with hysteresis: x' = -x + u, switching at ln 5 + k ln 4. Indicators of relay have a
 * direction, indicators of relay_both none. */
extern const wrsim_model relay, relay_both;

#endif
