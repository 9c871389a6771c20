/* Writes the event log of a subsystem of components. See ode_log.h. Thread: one at a time. Real-time: yes after placing. */
#include "subsystems/ode/ode_log.h"

#include <math.h>

#include "subsystems/event_log.h"
#include "subsystems/ode/algebraic_variables.h"
#include "subsystems/ode/event_instant.h"
#include "subsystems/ode/ode_clock.h"
#include "subsystems/ode/ode_output.h"
#include "subsystems/ode/ode_scratch.h"
#include "subsystems/ode/ode_tolerances.h"

/* Relative change of an output, or of an algebraic variable, that counts as rounding of a loop's solution (assumed). */
static const double ROUNDING = 1e-9;
/* Share of the limit of jumps below which the change of an input is an error of its wave (assumed). */
static const double JUMP_SHARE = 1e-3;
/* Least number of entries of a log (assumed). */
enum { LEAST_ENTRIES = 1024 };

/* An output whose values are recorded on both sides of a stop, or published. */
typedef struct watched_output {
    int is_recorded;
    int i;    /* column of the recorded row, or published signal */
    int item; /* number of the output's item */
} watched_output;

struct wr_ode_log {
    int i_row, i_node; /* recorded row and node of the wave on the left of the stop; -1: absent */
    double *external;  /* [n_external] inputs before the present round */
    double *x;         /* [n_x] states before the stop; only with algebraic variables, else NULL */
    unsigned char *is_set; /* [n_x] 1: an event of the stop has set the state; NULL as x */
    int n_output;
    watched_output *output; /* [n_output] */
};

static int place_outputs(const wr_subsystem *s, wr_arena *arena, struct wr_ode_log *log)
{
    const wr_ode_publication *const p = wr_ode_of(s)->publication;
    const int first = s->log->first[WR_LOG_OUTPUT];
    log->output = WR_NEW_ARRAY(arena, watched_output, s->n_recorded + s->n_published);
    if (!log->output)
        return -1;
    for (int i = 0; i < s->n_recorded && p->record_events; i++)
        if (p->recorded_kind[i] == WRSIM_OUTPUT)
            log->output[log->n_output++] =
                (watched_output){.is_recorded = 1, .i = i, .item = first + p->recorded_index[i]};
    const int n_recorded = log->n_output;
    for (int i = 0; i < s->n_published; i++) {
        int is_there = 0;
        for (int k = 0; k < n_recorded && !is_there; k++)
            is_there = log->output[k].item == first + p->published[i];
        if (!is_there)
            log->output[log->n_output++] =
                (watched_output){.i = i, .item = first + p->published[i]};
    }
    return 0;
}

int wr_ode_log_place(wr_subsystem *s, wr_arena *arena, int cap_row)
{
    const wr_group *const group = wr_ode_of(s)->group;
    const int n_item[WR_LOG_TYPE_COUNT] = {
        [WR_LOG_INDICATOR] = group->n_z, [WR_LOG_COMPONENT] = group->n_component,
        [WR_LOG_INPUT] = s->n_external,  [WR_LOG_STATE] = group->n_x,
        [WR_LOG_DISCRETE] = group->n_d,  [WR_LOG_OUTPUT] = group->n_y};
    wr_arena_cold(arena, 1);
    struct wr_ode_log *const log = WR_NEW(arena, struct wr_ode_log);
    int n_all = 0;
    for (int i = 0; i < WR_LOG_TYPE_COUNT; i++)
        n_all += n_item[i];
    s->log = wr_event_log_place(arena, n_item,
                                n_all + (cap_row > LEAST_ENTRIES ? cap_row : LEAST_ENTRIES));
    int is_placed = log && s->log && place_outputs(s, arena, log) == 0;
    if (is_placed) {
        log->external = WR_NEW_ARRAY(arena, double, s->n_external);
        log->x = WR_NEW_ARRAY(arena, double, group->mass ? group->n_x : 0);
        log->is_set = WR_NEW_ARRAY(arena, unsigned char, group->mass ? group->n_x : 0);
        is_placed = log->external && log->x && log->is_set;
        wr_ode_of(s)->log = log;
    }
    wr_arena_cold(arena, 0);
    return is_placed ? 0 : -1;
}

static void add(wr_subsystem *s, wr_log_kind kind, wr_log_type type, int i, int round,
                double before, double after)
{
    const wr_log_entry entry = {.t_s = s->t_s,
                                .before = before,
                                .after = after,
                                .item = s->log->first[type] + i,
                                .round = round,
                                .kind = (signed char)kind};
    wr_event_log_add(s->log, &entry);
}

static int differs(double a, double b) { return fabs(a - b) > ROUNDING * wr_max(fabs(a), fabs(b)); }

void wr_ode_log_add_stop(wr_subsystem *s)
{
    struct wr_ode_log *const log = wr_ode_of(s)->log;
    const wr_log_entry entry = {.t_s = s->t_s,
                                .before = (double)NAN,
                                .after = (double)NAN,
                                .item = -1,
                                .kind = WR_LOG_STOP};
    s->log->i_stop = s->log->n;
    wr_event_log_add(s->log, &entry);
    log->i_row = s->n_row - 1;
    log->i_node = s->wave->n_node - 1;
    wr_ode_copy(log->external, s->external, s->n_external);
    if (!wr_ode_has_mass(s))
        return;
    wr_ode_copy(log->x, s->x, s->n_x);
    memset(log->is_set, 0, (size_t)s->n_x);
}

void wr_ode_log_add_round(wr_subsystem *s)
{
    const wr_ode *const work = wr_ode_of(s);
    const wr_ode_instant *const at = work->instant;
    const double none = (double)NAN, *const x = wr_scratch(s, WR_X_BEFORE);
    for (int k = 0; k < at->n_fired; k++) {
        const int i = at->fired_index[k];
        const wr_log_entry entry = {.t_s = s->t_s,
                                    .before = (at->fired[i] < 0),
                                    .after = (at->fired[i] > 0),
                                    .item = s->log->first[WR_LOG_INDICATOR] + i,
                                    .round = at->n_round,
                                    .kind = WR_LOG_STATE_EVENT,
                                    .direction = at->fired[i]};
        wr_event_log_add(s->log, &entry);
    }
    for (int c = 0; c < work->group->n_component; c++)
        if (at->due[c] & WR_DUE_TIME)
            add(s, WR_LOG_TIME_EVENT, WR_LOG_COMPONENT, c, at->n_round, none, none);
    for (int i = 0; i < s->n_x; i++) {
        if (!(x[i] < s->x[i] || x[i] > s->x[i]))
            continue;
        add(s, WR_LOG_VALUE, WR_LOG_STATE, i, at->n_round, x[i], s->x[i]);
        if (wr_ode_has_mass(s))
            work->log->is_set[i] = 1;
    }
    for (int i = 0; i < s->n_d; i++)
        if (at->d_before[i] < s->d[i] || at->d_before[i] > s->d[i])
            add(s, WR_LOG_VALUE, WR_LOG_DISCRETE, i, at->n_round, at->d_before[i], s->d[i]);
}

void wr_ode_log_add_jumps(wr_subsystem *s, int round)
{
    double *const before = wr_ode_of(s)->log->external;
    for (int i = 0; i < s->n_external; i++) {
        if (fabs(s->external[i] - before[i]) > JUMP_SHARE * wr_ode_jump_limit(s, i, 1.0))
            add(s, WR_LOG_INPUT_JUMP, WR_LOG_INPUT, i, round, before[i], s->external[i]);
        before[i] = s->external[i];
    }
}

void wr_ode_log_add_slopes(wr_subsystem *s, const double *left, int is_left_exact)
{
    const wr_ode *const work = wr_ode_of(s);
    /* The slope of a dense output has an error of about a tolerance per step. */
    const double span_s = is_left_exact ? wr_ode_communication_step(s)
                                        : wr_min(wr_ode_communication_step(s), wr_ode_last_step(s));
    for (int i = 0; i < s->n_x; i++) {
        const double tolerance =
            wr_ode_coupling_rtol(s) * wr_ode_size(s, s->x[i], work->group->nominal_x[i]);
        if (span_s * fabs(work->dx[i] - left[i]) > tolerance && differs(work->dx[i], left[i]))
            add(s, WR_LOG_SLOPE, WR_LOG_STATE, i, -1, left[i], work->dx[i]);
    }
}

/* Logs the algebraic variables that follow an event. */
static void add_settled(wr_subsystem *s)
{
    const struct wr_ode_log *const log = wr_ode_of(s)->log;
    for (int i = 0; i < s->n_x; i++)
        if (!log->is_set[i] && differs(log->x[i], s->x[i]))
            add(s, WR_LOG_VALUE, WR_LOG_STATE, i, -1, log->x[i], s->x[i]);
}

static void add_outputs(wr_subsystem *s)
{
    const struct wr_ode_log *const log = wr_ode_of(s)->log;
    const int has_rows = log->i_row >= 0 && s->n_row - 1 > log->i_row,
              has_nodes = log->i_node >= 0 && s->wave->n_node - 1 > log->i_node;
    for (int k = 0; k < log->n_output; k++) {
        const watched_output *const y = &log->output[k];
        if (!(y->is_recorded ? has_rows : has_nodes))
            continue;
        const size_t n = (size_t)(y->is_recorded ? s->n_recorded : s->n_published);
        const double *const value = (y->is_recorded ? s->row_value : s->wave->value) + y->i;
        const double before = value[n * (size_t)(y->is_recorded ? log->i_row : log->i_node)],
                     after = value[n * (size_t)((y->is_recorded ? s->n_row : s->wave->n_node) - 1)];
        if (differs(before, after))
            add(s, WR_LOG_VALUE, WR_LOG_OUTPUT, y->item - s->log->first[WR_LOG_OUTPUT], -1, before,
                after);
    }
}

void wr_ode_log_end_stop(wr_subsystem *s, unsigned causes)
{
    wr_event_log *const log = s->log;
    if (wr_ode_has_mass(s))
        add_settled(s);
    if (causes != WR_LOG_CAUSE_START)
        add_outputs(s);
    else if (log->i_stop >= 0 && log->n - log->i_stop == 1 && log->n_lost == 0)
        log->n = log->i_stop; /* no event of the start changes a value */
    if (log->i_stop >= 0 && log->i_stop < log->n) {
        log->entry[log->i_stop].direction = (signed char)causes;
        log->entry[log->i_stop].round = wr_ode_of(s)->instant->n_round;
    }
    log->i_stop = -1;
}
