/* The hybrid ODE of a config for other solvers. See peer_problem.h. Thread: main. Real-time: no. */
#include "bench/peers/peer_problem.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "subsystems/ode/event_indicators.h"
#include "subsystems/ode/event_instant.h"
#include "subsystems/ode/ode_clock.h"
#include "subsystems/ode/ode_operations.h"
#include "subsystems/ode/ode_output.h"
#include "subsystems/ode/ode_parts.h"
#include "subsystems/ode/ode_scratch.h"

static int fail(peer_problem *p)
{
    wrsim_error err = {0};
    if (wr_ode_group(p->s)->fault.status < 0 && p->s->fault.status >= 0)
        p->s->fault = wr_ode_group(p->s)->fault;
    wr_subsystem_fault_text(p->s, &err);
    snprintf(p->why, sizeof p->why, "%.400s", err.text);
    return -1;
}

static int open_settings(peer_problem *p, const char *config, const char *const *overrides,
                         int n_override, wr_diag *diag)
{
    static const char monolithic[] = "simulation.monolithic=true";
    wr_override *const list = calloc((size_t)n_override + 1, sizeof *list);
    if (!list)
        return -1;
    for (int i = 0; i < n_override; i++)
        list[i].text = overrides[i];
    list[n_override].text = monolithic;
    p->settings = wr_settings_load(config, list, n_override + 1, diag);
    free(list);
    p->assembly = p->settings ? wr_build_components_create(p->settings, NULL, NULL, diag) : NULL;
    return p->assembly ? 0 : -1;
}

int peer_problem_open(peer_problem *p, const char *config, const char *const *overrides,
                      int n_override)
{
    wr_diag diag = {0};
    *p = (peer_problem){.result = NULL};
    if (open_settings(p, config, overrides, n_override, &diag) != 0) {
        snprintf(p->why, sizeof p->why, "%.400s",
                 diag.n_items > 0 ? diag.items[0].text : "out of memory");
        wr_diag_done(&diag);
        return -1;
    }
    wr_diag_done(&diag);
    const wr_set_simulation *const set = &p->settings->simulation;
    p->s = p->assembly->setup[0].subsystem;
    p->arena = p->assembly->arena;
    p->n_x = wr_ode_group(p->s)->n_x;
    p->n_z = wr_ode_group(p->s)->n_z;
    p->nominal = wr_ode_group(p->s)->nominal_x;
    p->factor = wr_ode_group(p->s)->tolerance_factor;
    p->start_s = set->start_s;
    p->stop_s = set->stop_s;
    p->rtol = set->rtol;
    p->atol_factor = set->atol_factor;
    if (p->n_x == 0) {
        snprintf(p->why, sizeof p->why, "the config has no states; name another config");
        return -1;
    }
    return wr_ode_init(p->s, NULL) < 0 ? fail(p) : 0;
}

void peer_problem_close(peer_problem *p)
{
    wr_build_components_destroy(&p->assembly);
    wr_settings_destroy(&p->settings);
}

static wr_group_point point_at(const peer_problem *p, double t_s, const double *x)
{
    return (wr_group_point){.t_s = t_s,
                            .x = x,
                            .d = p->s->d,
                            .external = p->s->external,
                            .mode = wr_ode_of(p->s)->mode};
}

int peer_rhs(peer_problem *p, double t_s, const double *x, double *ret_dx)
{
    const wr_group_point point = point_at(p, t_s, x);
    p->counts.n_rhs++;
    return wr_group_rhs(wr_ode_group(p->s), &point, ret_dx);
}

int peer_indicators(peer_problem *p, double t_s, const double *x, double *ret_z)
{
    const wr_group_point point = point_at(p, t_s, x);
    p->counts.n_indicator++;
    return wr_group_indicators(wr_ode_group(p->s), &point, ret_z);
}

double peer_next_time(const peer_problem *p) { return wr_ode_next_time(p->s); }

/* Marks the time events that are due at t_s, within rounding. Returns the number of these events. */
static int mark_times(peer_problem *p, double t_s)
{
    wr_ode *const work = wr_ode_of(p->s);
    int n = 0;
    for (int c = 0; c < wr_ode_group(p->s)->n_component; c++) {
        const double due_s = work->instant->time_next[c];
        const int is_now = due_s <= t_s || wr_time_close(due_s, t_s);
        work->instant->due[c] = is_now ? WR_DUE_TIME : 0;
        n += is_now;
    }
    return n;
}

/* Adds roots that the root finder reports without a change of sign. The root finder may stop on the root, or one rounding before the
 * root. */
static void mark_found(peer_problem *p, const int *found)
{
    wr_subsystem *const s = p->s;
    wr_ode *const work = wr_ode_of(s);
    for (int i = 0; i < p->n_z; i++) {
        if (!found[i] || work->instant->fired[i] || (found[i] > 0) == wr_ode_of(s)->mode[i])
            continue;
        const unsigned char direction = wr_ode_group(s)->direction_z[i];
        if (direction == 0 || (direction == 1) == (found[i] > 0)) {
            work->instant->fired[i] = (signed char)found[i];
            work->instant->fired_index[work->instant->n_fired++] = i;
        } else {
            wr_ode_of(s)->mode[i] = found[i] > 0;
        }
    }
}

int peer_event(peer_problem *p, double t_s, double *x, const int *found)
{
    wr_subsystem *const s = p->s;
    int n_state = 0;
    s->t_s = t_s;
    memcpy(s->x, x, (size_t)p->n_x * sizeof *x);
    if (p->n_z > 0) {
        if (peer_indicators(p, t_s, x, wr_ode_z(s)) != 0)
            return fail(p);
        wr_ode *const work = wr_ode_of(s);
        int n_silent, *const index = wr_scratch_index(s);
        const int n = wr_ode_take_modes(s, index, &n_silent);
        wr_ode_set_fired(s, index, n, wr_ode_z(s));
        if (found)
            mark_found(p, found);
        /* The possible distance of the indicator from zero comes from the width of the root finder's bracket. */
        for (int i = 0; i < p->n_z; i++)
            work->indicators->z_moved[i] = work->instant->fired[i] ? fabs(wr_ode_z(s)[i]) : 0.0;
        n_state = work->instant->n_fired;
    }
    if (n_state + mark_times(p, t_s) == 0)
        return 0;
    p->counts.n_event++;
    if (wr_ode_fire(s, n_state > 0 ? wr_ode_z_moved(s) : NULL) < 0)
        return fail(p);
    wr_group_keep_loops(wr_ode_group(s));
    memcpy(x, s->x, (size_t)p->n_x * sizeof *x);
    return 1;
}

int peer_record_open(peer_problem *p, const char *file, double grid_s)
{
    const wr_setup *const m = &p->assembly->setup[0];
    p->result = fopen(file, "w");
    if (!p->result) {
        snprintf(p->why, sizeof p->why, "'%.200s' cannot be written: %s", file, strerror(errno));
        return -1;
    }
    p->grid_s = grid_s;
    fprintf(p->result, "# wrsim peer\ntime [s],kind");
    for (int i = 0; i < m->n_recorded; i++)
        fprintf(p->result, ",\"%s [%s]\"", m->channel[i].name,
                m->channel[i].unit && *m->channel[i].unit ? m->channel[i].unit : "1");
    fputc('\n', p->result);
    return 0;
}

double peer_next_row(const peer_problem *p)
{
    if (!p->result)
        return (double)INFINITY;
    const double t_s = p->start_s + (double)p->i_row * p->grid_s;
    return t_s <= p->stop_s || wr_time_close(t_s, p->stop_s) ? t_s : (double)INFINITY;
}

int peer_record(peer_problem *p, double t_s, const double *x)
{
    wr_subsystem *const s = p->s;
    const wr_group_point point = point_at(p, t_s, x);
    s->n_row = 0;
    if (wr_ode_append_row(s, &point, WR_ROW_COMMUNICATION, t_s) < 0)
        return fail(p);
    fprintf(p->result, "%.17g,c", p->start_s + (double)p->i_row * p->grid_s);
    for (int i = 0; i < s->n_recorded; i++)
        fprintf(p->result, ",%.17g", s->row_value[i]);
    fputc('\n', p->result);
    p->i_row++;
    return 0;
}

int peer_record_close(peer_problem *p)
{
    FILE *const file = p->result;
    p->result = NULL;
    if (!file || (!ferror(file) && fclose(file) == 0))
        return 0;
    snprintf(p->why, sizeof p->why, "the results cannot be written");
    return -1;
}
