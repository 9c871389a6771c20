/* The table of operations of a kind of subsystems. subsystem.h documents each operation beside the function that calls it.
 * Thread: one at a time. Real-time: as in subsystem.h. */
#ifndef WR_SUBSYSTEM_OPS_H
#define WR_SUBSYSTEM_OPS_H

#include <stdint.h>

#include "base/arena.h"
#include "base/sparse.h"
#include "base/state_io.h"
#include "subsystems/model_host/ahead_turn.h"
#include "subsystems/model_host/fault.h"
#include "subsystems/model_host/own_state.h"
#include "subsystems/step_watch.h"
#include "subsystems/waves/wave.h"

typedef struct wr_subsystem wr_subsystem;

/* Activity of a subsystem at an instant of its last advance. */
typedef enum wr_instant_kind {
    WR_INSTANT_NONE,
    WR_INSTANT_ANSWERED, /* only responses to jumps of inputs: events, or jumps of outputs */
    WR_INSTANT_GROUNDED  /* an own event, announced, or located with values from before all jumps */
} wr_instant_kind;

/* A plan to compute some published outputs from the inputs at one instant; defined by the kind. */
typedef struct wr_output_plan wr_output_plan;

/* Accuracy of the time of a fault if simulation.event_tolerance is "auto", as a share of a communication step (assumed). Two faults at a
 * shorter distance count as one fault. */
#define WR_FAULT_SHARE 1e-8

/* No state diverges; other states or inputs make a state diverge; a state makes itself diverge (stall_diagnosis.c). */
typedef enum wr_runaway { WR_RUNAWAY_NONE, WR_RUNAWAY_DRIVEN, WR_RUNAWAY_OWN } wr_runaway;

/* The operations. Every kind has begin(), published() and advance(). Other members may be NULL. The functions of subsystem.h then return
 * the documented default, or require a kind with the member. An operation that returns a negative status has set subsystem->fault. */
typedef struct wr_subsystem_ops {
    const char *kind; /* "components", "stepper", "replay" or "port" */
    wrsim_status (*begin)(wr_subsystem *);
    wrsim_status (*published)(wr_subsystem *, double *ret_value, double *ret_slope);
    wrsim_status (*advance)(wr_subsystem *, double t_end_s, double tolerance_factor);
    void (*destroy)(wr_subsystem *);

    wrsim_status (*accept)(wr_subsystem *, double *ret_sound_s);
    void (*save)(wr_subsystem *);
    void (*restore)(wr_subsystem *);
    void (*state)(wr_subsystem *, wr_state_io *);
    void (*keep)(wr_subsystem *, wr_state_io *, wr_own_slot);
    void (*turn_ahead)(wr_subsystem *, wr_ahead_turn);
    /* start */
    wrsim_status (*find_modes)(wr_subsystem *, const double *external, int *ret_n_changed);
    wrsim_status (*init_from_inputs)(wr_subsystem *, const double *external, int *ret_has_changed);
    wrsim_status (*fire_initial)(wr_subsystem *, const double *external, int *ret_n_due);
    wrsim_status (*follow)(wr_subsystem *, const double *external, int *ret_n_flip);
    wrsim_status (*fire_next)(wr_subsystem *, int *ret_n_due);
    int (*is_stale)(const wr_subsystem *, int i_signal);
    wrsim_status (*start)(wr_subsystem *);
    /* outputs one by one */
    const wr_output_plan *(*plan)(wr_subsystem *, wr_arena *, int i_signal, int is_whole);
    void (*plan_reads)(const wr_subsystem *, const wr_output_plan *, unsigned char *ret_is_read);
    void (*plan_gives)(const wr_subsystem *, const wr_output_plan *, unsigned char *ret_is_given);
    wrsim_status (*outputs)(wr_subsystem *, const wr_output_plan *, const double *external,
                            double *ret_value);
    void (*path_text)(const wr_subsystem *, int i_external, int i_signal, char *text,
                      size_t text_bytes);
    void (*set_amplification)(wr_subsystem *, double amplification);
    /* effects of input changes */
    double (*effect)(wr_subsystem *, const double *change, double length_s,
                     const double *output_weight);
    int (*tangent)(wr_subsystem *, const double *x_change, const double *u_change, double *ret_dx);
    int (*tangent_outputs)(wr_subsystem *, const double *x_change, const double *u_change,
                           double *ret_dy);
    int (*tangent_discrete)(wr_subsystem *, const double *d_change, double *ret_dx, double *ret_dy);
    const wr_matrix *(*pattern)(const wr_subsystem *, wr_arena *);
    int (*place_watch)(const wr_subsystem *, wr_arena *, int has_points, int cap_event,
                       wr_step_watch *);
    int (*rhs_at)(wr_subsystem *, const wr_step_point *, const double *external, double *ret_dx);
    int (*outputs_at)(wr_subsystem *, const wr_step_point *, const double *external, double *ret_y);
    int (*row_at)(wr_subsystem *, const wr_step_point *, const double *external, double *ret_row);
    double (*event_shift)(wr_subsystem *, const wr_event_point *, const double *x_error,
                          const double *u_error, const double *d_error, double most_s,
                          double *ret_margin);
    int (*event_after)(wr_subsystem *, const wr_event_point *, const double *const change[3],
                       double by, double by_s, double *ret_x, double *ret_d);
    int (*passes_on)(const wr_subsystem *, int i_external);
    int (*is_event_due)(wr_subsystem *, const double *change);
    int64_t (*count_values)(wr_subsystem *, int64_t by);
    int (*is_jump)(const wr_subsystem *, int i_external, double value);
    int (*follows_at_end)(const wr_subsystem *, int i_external, const wr_wave *);
    int (*has_jump_at_end)(const wr_subsystem *);
    uint64_t (*order)(const wr_subsystem *, int i_source, const wr_wave *);
    double (*next_event)(const wr_subsystem *, double *ret_gap_s);
    int (*place_causes)(wr_subsystem *, wr_arena *, int i_member);
    int (*confirms)(const wr_subsystem *);
    double (*checked_span)(const wr_subsystem *);
    wr_instant_kind (*instant_at)(const wr_subsystem *, double t_s);
    int (*is_event_near)(wr_subsystem *);
    int (*next_answer)(const wr_subsystem *, int i_instant, double *ret_t_s);
    /* faults, counters */
    double (*close_in)(wr_subsystem *, double tolerance_factor);
    wr_runaway (*runs_away)(wr_subsystem *, wr_fault *ret_fault);
    void (*fault_text)(const wr_subsystem *, wrsim_error *ret_err);
    int64_t (*n_rhs)(const wr_subsystem *);
    double (*point_cost)(const wr_subsystem *);
} wr_subsystem_ops;

#endif
