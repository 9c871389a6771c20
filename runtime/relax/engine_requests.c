/* Requests to subsystems. See engine_requests.h. Thread: as in engine_requests.h. Real-time: yes. */
#include "runtime/relax/engine_requests.h"

#include <math.h>

#include "runtime/relax/engine_net.h"
#include "runtime/relax/engine_progress.h"
#include "runtime/relax/engine_run.h"
#include "subsystems/event_log.h"

static void note_fault(const wr_run *p, wr_record *r)
{
    r->fault_status = p->fault.status;
    r->i_fault_component = p->fault.i_component;
}

void wr_request_refresh(wr_engine *e, int i)
{
    const wr_run *const p = e->run[i];
    wr_record *const r = &e->record[i];
    wr_request_note_time(p);
    wr_record_note_comparison(r, p->converge);
    note_fault(p, r);
    r->has_effect = p->subsystem->has_effect != 0;
}

void wr_request_note_time(const wr_run *p)
{
    wr_record *const r = p->record;
    r->t_s = p->subsystem->t_s;
    if (p->node->ends_windows)
        r->next_event_s = wr_subsystem_next_event(p->subsystem, &r->event_gap_s);
}

/* ---- input changes ---- */

double wr_request_effect(wr_engine *e, int i)
{
    const wr_run *const p = e->run[i];
    wr_record *const r = &e->record[i];
    p->subsystem->has_effect = r->has_effect;
    const double effect =
        wr_subsystem_effect(p->subsystem, wr_record_input_shift(r, e->value[i]),
                            e->window->length_s, wr_record_weight(r, e->value[i]));
    r->has_effect = (unsigned char)p->subsystem->has_effect;
    return effect;
}

double wr_request_change_by(wr_engine *e, int i, int i_external, double shift_by, double length_s,
                            double *shift, double *effect)
{
    wr_subsystem *const s = e->run[i]->subsystem;
    const double *const weight = wr_record_weight(&e->record[i], e->value[i]);
    double *const effect_before = s->effect; /* the sweep still uses this array */
    const int has_effect = s->has_effect;
    s->effect = effect;
    shift[i_external] = shift_by;
    const double up = wr_subsystem_effect(s, shift, length_s, weight);
    shift[i_external] = -shift_by;
    const double down = wr_subsystem_effect(s, shift, length_s, weight);
    shift[i_external] = 0.0;
    s->effect = effect_before;
    s->has_effect = has_effect;
    return wr_max(up, down);
}

int wr_request_is_event_due(wr_engine *e, int i)
{
    wr_subsystem *const s = e->run[i]->subsystem;
    wr_record *const r = &e->record[i];
    const int64_t n_indicator = s->stats.n_indicator_evaluation;
    const int64_t n_value = wr_subsystem_count_values(s, 0);
    const int is_due = wr_subsystem_is_event_due(s, wr_record_input_shift(r, e->value[i]));
    r->early.n_indicator[0] = s->stats.n_indicator_evaluation - n_indicator;
    r->early.n_indicator[1] = wr_subsystem_count_values(s, 0) - n_value;
    return is_due;
}

/* Returns 1 if jumps of producers that have integrated since the last integration of subsystem i have another order. *ret_any: 1 if an
 * input jumps, or has jumped in the last integration; 0: no input needs a comparison. */
static int is_order_new(const wr_engine *e, int i, int *ret_any)
{
    const wr_net_node *const node = &e->net->node[i];
    const wr_run *const p = e->run[i];
    int any = wr_subsystem_has_jump_at_end(p->subsystem);
    for (int k = 0; k < node->n_source && !any; k++) {
        const wr_record *const producer = &e->record[node->producer[k]];
        any = producer->i_batch >= p->record->i_batch && (p->order[k] != 0 || producer->n_jump > 0);
    }
    *ret_any = any;
    for (int j = 0; j < node->n_source && any; j++) {
        const int by = node->producer[j];
        if (e->record[by].i_batch >= p->record->i_batch &&
            wr_subsystem_order(p->subsystem, j, e->waves[by].fresh) != p->order[j])
            return 1;
    }
    return 0;
}

static int has_missed_end(const wr_engine *e, int i)
{
    const wr_net_node *const node = &e->net->node[i];
    const wr_record *const r = &e->record[i];
    const wr_subsystem *const s = e->run[i]->subsystem;
    for (int j = 0; j < node->n_external; j++) {
        const wr_engine_read read = node->read[j];
        const wr_record *const producer = &e->record[read.i_producer];
        const wr_wave *const wave = e->waves[read.i_producer].fresh;
        if (producer->i_batch < r->i_batch || !wr_subsystem_follows_at_end(s, j, wave))
            continue;
        const double *const value =
            wave->value + (size_t)(wave->n_node - 1) * (size_t)wave->n_signal;
        const int n_round = wr_wave_rounds_at_end(wave);
        if (((n_round > 0 || wr_subsystem_has_jump_at_end(s)) &&
             wr_subsystem_is_jump(s, j, value[read.i_signal])) ||
            (n_round > 1 && producer->is_end_new))
            return 1;
    }
    return 0;
}

int wr_request_has_missed(wr_engine *e, int i)
{
    int any;
    return is_order_new(e, i, &any) || (any && has_missed_end(e, i));
}

void wr_request_check(wr_engine *e, int i)
{
    const wr_subsystem *const s = e->run[i]->subsystem;
    wr_record *const r = &e->record[i];
    const int64_t n_rhs = wr_subsystem_n_rhs(s);
    r->early.had_effect = r->has_effect;
    r->early.effect = wr_request_effect(e, i);
    r->early.n_rhs = wr_subsystem_n_rhs(s) - n_rhs;
    r->early.n_indicator[0] = r->early.n_indicator[1] = 0;
}

void wr_request_undo_check(wr_engine *e, int i)
{
    wr_subsystem *const s = e->run[i]->subsystem;
    wr_record *const r = &e->record[i];
    r->has_effect = (unsigned char)r->early.had_effect;
    s->stats.n_effect_rhs -= r->early.n_rhs;
    s->stats.n_indicator_evaluation -= r->early.n_indicator[0];
    (void)wr_subsystem_count_values(s, -r->early.n_indicator[1]);
    r->early.n_indicator[0] = r->early.n_indicator[1] = 0;
}

/* ---- instants and algebraic loops ---- */

wr_instant_kind wr_request_instant_at(const wr_engine *e, int i, double t_s)
{
    return wr_subsystem_instant_at(e->run[i]->subsystem, t_s);
}

int wr_request_is_event_near(const wr_engine *e, int i)
{
    return wr_subsystem_is_event_near(e->run[i]->subsystem);
}

int wr_request_next_answer(const wr_engine *e, int i, int i_instant, double *ret_t_s)
{
    return wr_subsystem_next_answer(e->run[i]->subsystem, i_instant, ret_t_s);
}

int wr_request_is_held(const wr_engine *e, int i)
{
    return (e->net->node[i].flags & WR_SUBSYSTEM_DEFERS) &&
           e->run[i]->subsystem->held.t_s < (double)INFINITY;
}

const wr_held_event *wr_request_held(const wr_engine *e, int i)
{
    return &e->run[i]->subsystem->held;
}

const wr_run_end *wr_request_run_end(const wr_engine *e, int i)
{
    return &e->run[i]->subsystem->end;
}

void wr_request_set_amplification(const wr_engine *e, int i, double amplification)
{
    wr_subsystem_set_amplification(e->run[i]->subsystem, amplification);
}

/* ---- failures ---- */

void wr_request_restore(wr_engine *e, int i)
{
    wr_subsystem_restore(e->run[i]->subsystem);
    wr_request_note_time(e->run[i]);
}

wrsim_status wr_request_accept(wr_engine *e, int i)
{
    double sound_s = (double)NAN;
    const wrsim_status status = wr_subsystem_accept(e->run[i]->subsystem, &sound_s);
    if (status >= 0)
        return status;
    wr_request_keep_fault(e, i);
    e->record[i].fault_s = wr_max(sound_s, e->window->t_s); /* NaN: t_s */
    return status;
}

void wr_request_cut_rows(wr_engine *e, int i, double t_s)
{
    wr_subsystem *const s = e->run[i]->subsystem;
    wr_wave *const wave = s->wave;
    while (s->n_row > 0 && s->row_time_s[s->n_row - 1] > t_s &&
           !wr_time_close(s->row_time_s[s->n_row - 1], t_s))
        s->n_row--;
    while (wave->n_node > 0 && wave->t_s[wave->n_node - 1] > t_s)
        wave->n_node--;
    if (s->log)
        wr_event_log_cut(s->log, t_s);
    e->record[i].has_rows = 1;
}

void wr_request_keep_fault(wr_engine *e, int i)
{
    e->run[i]->fault = e->run[i]->subsystem->fault;
    note_fault(e->run[i], &e->record[i]);
}

void wr_request_locate_fault(wr_engine *e, int i)
{
    wr_record *const r = &e->record[i];
    r->fault_s = wr_subsystem_close_in(e->run[i]->subsystem, r->tolerance_factor);
    if (r->status == WRSIM_E_LIMIT && !e->lone->is_on)
        r->fault_s = e->window->t_s;
    wr_request_note_time(e->run[i]);
    wr_request_keep_fault(e, i);
}

void wr_request_keep_advance(wr_engine *e, int i)
{
    e->record[i].has_rows = 1;
    e->record[i].is_saved = 0; /* prevents a rollback of the subsystem */
}

wr_runaway wr_request_find_runaway(wr_engine *e, int i)
{
    wr_run *const p = e->run[i];
    if (e->record[i].is_saved && !e->record[i].is_once)
        wr_request_restore(e, i);
    p->runaway = p->fault;
    return wr_subsystem_runs_away(p->subsystem, &p->runaway);
}

void wr_request_take_runaway(wr_engine *e, int i, int i_failed)
{
    wr_run *const p = e->run[i];
    const wr_run *const failed = e->run[i_failed];
    p->fault = p->runaway;
    p->fault.status = failed->fault.status;
    p->fault.message = failed->fault.message;
    p->fault.t_s = failed->fault.t_s;
    note_fault(p, p->record);
    p->record->status = p->record->fault_status;
    p->record->fault_s = failed->record->fault_s;
}

void wr_request_fault_text(wr_engine *e, int i, wrsim_error *ret_err)
{
    wr_run *const p = e->run[i];
    if (p->fault.status < 0)
        p->subsystem->fault = p->fault;
    wr_subsystem_fault_text(p->subsystem, ret_err);
}

/* ---- counters, between runs ---- */

wr_predict_count wr_request_predicted(const wr_engine *e, int i)
{
    return wr_predict_counted(e->run[i]->predict);
}
