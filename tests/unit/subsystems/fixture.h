/* Shared by the tests of subsystems: a plain integrator, so that they do not depend on the real
 * ones, and a rig that puts components into a subsystem with few words.
 */
#ifndef WR_SUBSYSTEMS_FIXTURE_H
#define WR_SUBSYSTEMS_FIXTURE_H

#include "subsystems/ode/ode_subsystem.h"

/* Classic Runge-Kutta with constant step options.step_s, shortened at stops and while a right-hand
 * side asks for it; cubic Hermite dense output. Order 4 throughout. */
extern const wr_integrator_ops fixture_integrator;
/* The same, claiming a dense output of higher order, so that mid-step nodes are made. */
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

/* Sensible settings: step 0.01 s, communication step 0.1 s, event tolerance 1e-10 s. */
void rig_open(rig *r);
int rig_add(rig *r, const char *name, const wrsim_model *model);
void rig_connect(rig *r, int from, int i_output, int to, int i_input);
void rig_external(rig *r, int source, int signal, int to, int i_input);
void rig_publish(rig *r, int i_output);
void rig_record(rig *r, wrsim_kind kind, int index);
/* Asserts success. */
void rig_build_group(rig *r);
void rig_build(rig *r);
/* rig_build and init with external inputs of 0. */
void rig_start(rig *r);
/* One window from the present time, asserting success. */
void rig_advance(rig *r, double t_end_s);
void rig_close(rig *r);
/* A rig that is closed at the end of its scope. */
#define RIG(r)                                                                                     \
    AUTO(rig_close) rig r;                                                                         \
    rig_open(&(r))

/* Expects exactly one error in diag whose text contains all of the words (NULL-terminated). */
void expect_error(const wr_diag *diag, wrsim_status status, const char *const *words);
#define EXPECT_ERROR(diag, status, ...)                                                            \
    expect_error((diag), (status), (const char *const[]){__VA_ARGS__, NULL})

/* Shorthands for describe(). */
int add_variable(wrsim_description *to, wrsim_kind kind, const char *name, double start,
                 unsigned flags, int index);
#define MODEL_HEAD(model_name)                                                                     \
    .abi = WRSIM_MODEL_ABI, .struct_size = sizeof(wrsim_model), .name = (model_name)

/* Bouncing ball, reference/ivp.json "bouncing_ball": dropped from 1 m, 0.8 of its speed left at each
 * impact; states h and v, both published, d[0] counts impacts. */
extern const wrsim_model ball;
/* Relay with hysteresis, reference/ivp.json "relay_hysteresis": x' = -x + u, switching at ln 5 + k ln 4.
 * Its indicators have a direction, those of the other one have none. */
extern const wrsim_model relay, relay_both;

#endif
