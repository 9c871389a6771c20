/* The engine's state between two runs, as bytes (base/state_io.h). See engine_state.h.
 *
 * Between two runs every subsystem stands at the end of the last window. The rows of the subsystem are handed over, its
 * wave is not yet in its history, and the published wave is the prediction of the next window. So two of its four waves
 * count: the last wave and the prediction. Workers of subsystems and measured times are left out, because only speed
 * depends on them.
 *
 * Thread: one owner, between two runs. Real-time: yes.
 */
#include "runtime/relax/engine_state.h"

#include "runtime/relax/account.h"
#include "runtime/relax/contraction.h"
#include "runtime/relax/engine_batch.h"
#include "runtime/relax/engine_iterates.h"
#include "runtime/relax/engine_progress.h"
#include "runtime/relax/engine_run.h"
#include "runtime/relax/engine_slope.h"
#include "runtime/relax/engine_stats.h"
#include "runtime/relax/phase.h"

int wr_engine_opaque(const wr_engine *e)
{
    for (int i = 0; i < e->n; i++)
        if (!wr_subsystem_has_state(e->run[i]->subsystem))
            return i;
    return -1;
}

/* ---- all together ---- */

static void window_state(wr_window_now *w, wr_state_io *io)
{
    const int i_prediction = (int)wr_state_count(io, w->i_prediction, 1);
    if (wr_state_reads(io))
        w->i_prediction = i_prediction;
    WR_STATE(io, w->t_s);
    WR_STATE(io, w->length_s);
    WR_STATE(io, w->t_end_s);
    WR_STATE(io, w->phase);
    WR_STATE(io, w->is_tight);
    WR_STATE(io, w->is_held);
    WR_STATE(io, w->once_length_s);
}

/* How the last run ended. After reading, no run has failed. */
static void control_state(wr_engine *e, wr_state_io *io)
{
    wr_control *const c = e->control;
    WR_STATE(io, c->sound_s);
    WR_STATE(io, c->n_fault);
    WR_STATE(io, c->is_stopped);
    if (!wr_state_reads(io))
        return;
    c->status = WRSIM_OK;
    c->i_failed = -1;
}

static void mix_state(wr_mix *mix, wr_state_io *io)
{
    const int is_fallen = mix->last && mix->method == mix->last;
    const int is_last = (int)wr_state_count(io, is_fallen, mix->last != NULL);
    if (wr_state_reads(io)) {
        mix->method = is_last ? mix->last : mix->asked;
        mix->fallback = is_last ? NULL : mix->last;
    }
    if (mix->asked)
        wr_accelerate_state(mix->asked, io);
    if (mix->last)
        wr_accelerate_state(mix->last, io);
}

static void loops_state(wr_engine *e, wr_state_io *io)
{
    wr_loops *const loops = e->loops;
    wr_state_agree(io, loops->start != NULL);
    WR_STATE(io, e->contraction->amplification);
    WR_STATE(io, loops->is_solved);
    WR_STATE(io, loops->residual);
    if (loops->start)
        wr_start_state(loops->start, io);
}

/* All counters, except the workers and measured times. */
static void stats_state(wr_engine_stats *s, wr_state_io *io)
{
    WR_STATE(io, s->n_window);
    WR_STATE(io, s->n_rejected);
    WR_STATE(io, s->n_sweep);
    WR_STATE(io, s->n_integration);
    WR_STATE(io, s->n_skipped);
    WR_STATE(io, s->n_wasted);
    WR_STATE(io, s->n_one_sweep);
    WR_STATE(io, s->n_event_check);
    WR_STATE(io, s->n_event_refuted);
    WR_STATE(io, s->contraction_mean);
    WR_STATE(io, s->n_contraction);
    WR_STATE(io, s->fallback_s);
    WR_STATE(io, s->n_rhs_accepted);
    WR_STATE(io, s->window_shortest_s);
    WR_STATE(io, s->window_longest_s);
}

/* ---- one subsystem ---- */

/* Faults of a subsystem, from which the fault that ends a run is chosen. Messages are not kept. */
static void fault_state(wr_engine *e, int i, wr_state_io *io)
{
    wr_run *const p = e->run[i];
    WR_STATE(io, p->fault.status);
    WR_STATE(io, p->fault.t_s);
    WR_STATE(io, p->fault.i_component);
    WR_STATE(io, p->fault.kind);
    WR_STATE(io, p->fault.i_variable);
    WR_STATE(io, e->record[i].fault_s);
    if (wr_state_reads(io))
        p->fault.message = NULL;
}

static void judged_state(wr_engine *e, int i, wr_state_io *io)
{
    wr_record *const r = &e->record[i];
    wr_run *const p = e->run[i];
    WR_STATE(io, r->i_batch);
    WR_STATE(io, r->input_change);
    WR_STATE(io, r->prediction_error);
    WR_STATE(io, r->change);
    WR_STATE(io, r->work);
    WR_STATE(io, r->n_rhs);
    WR_STATE(io, r->step_rhs);
    WR_STATE(io, r->n_restart_rhs);
    WR_STATE(io, r->tolerance_factor);
    WR_STATE(io, r->factor_before);
    WR_STATE(io, r->effect);
    WR_STATE(io, r->has_wave);
    WR_STATE(io, p->place);
    WR_STATE_ARRAY(io, wr_record_input_shift(r, e->value[i]), r->n_read);
    WR_STATE_ARRAY(io, p->order, p->subsystem->n_source);
    wr_sensitivity_state(&r->sensitivity, io);
    wr_converge_state_io(p->converge, io);
}

/* The last window's wave, and the published prediction with the number of the last batch. */
static void waves_state(const wr_engine *e, int i, wr_state_io *io)
{
    const wr_run *const p = e->run[i];
    wr_waves *const w = &e->waves[i];
    /* relaxed: between two runs there is one thread. */
    int64_t last = atomic_load_explicit(&w->publication.last, memory_order_relaxed);
    int i_fresh = !w->fresh ? -1 : w->fresh == p->iterate[1];
    wr_state_index(io, &i_fresh, 2);
    WR_STATE(io, last);
    if (wr_state_reads(io)) {
        w->fresh = i_fresh < 0 ? NULL : p->iterate[i_fresh];
        p->subsystem->wave = p->iterate[i_fresh < 0 ? 0 : i_fresh];
        w->predicted = w->prediction[e->window->i_prediction];
        w->publication.wave[last & 1] = w->predicted;
        w->publication.wave[1 - (last & 1)] = w->fresh;
        atomic_store_explicit(&w->publication.last, last, memory_order_relaxed); /* as above */
    }
    wr_wave_state(p->subsystem->wave, io); /* the last window's */
    wr_wave_state(w->prediction[e->window->i_prediction], io);
}

static void run_state(wr_engine *e, int i, wr_state_io *io)
{
    const wr_run *const p = e->run[i];
    const int i_followed = p->link->history_source;
    wr_history *const own = e->waves[i].history;
    const wr_history *const history[WR_PREDICT_SOURCES] = {
        own, i_followed >= 0 ? e->waves[i_followed].history : NULL};
    wr_state_begin(io, "part", i);
    wr_subsystem_state(p->subsystem, io);
    fault_state(e, i, io);
    judged_state(e, i, io);
    waves_state(e, i, io);
    wr_predict_state(p->predict, io, history);
    if (own)
        wr_history_state(own, io);
    if (e->account)
        wr_account_part_state(e->account, i, io, e->waves[i].fresh);
    wr_state_end(io);
}

static void clocks_state(wr_engine *e, wr_state_io *io)
{
    wr_state_begin(io, "clocks", 0); /* measured times differ between equal runs */
    WR_STATE(io, e->stats->bound_wall_s);
    WR_STATE(io, e->stats->accepted_s);
    wr_state_end(io);
}

/* A run of one subsystem has no relaxation state. Its other state belongs to the last pause, which depends on clocks. */
static void lone_state(wr_engine *e, wr_state_io *io)
{
    wr_state_begin(io, "engine", e->n);
    WR_STATE(io, e->window->t_s);
    control_state(e, io);
    stats_state(e->stats, io);
    wr_state_end(io);
    clocks_state(e, io);
    wr_state_begin(io, "part", 0);
    wr_subsystem_state(e->run[0]->subsystem, io);
    fault_state(e, 0, io);
    wr_state_end(io);
}

static void relaxed_state(wr_engine *e, wr_state_io *io)
{
    wr_state_begin(io, "engine", e->n);
    wr_state_agree(io, e->options.is_gauss_seidel);
    window_state(e->window, io);
    control_state(e, io);
    wr_window_state(e->rule, io);
    wr_contraction_state(e->contraction, io);
    mix_state(e->mix, io);
    loops_state(e, io);
    wr_engine_slope_state(e, io);
    WR_STATE(io, e->batch->number);
    WR_STATE_ARRAY(io, e->batch->notified_in, e->n);
    WR_STATE(io, e->load->expected_sweeps);
    WR_STATE(io, e->load->work_per_window);
    stats_state(e->stats, io);
    if (e->phase)
        wr_phase_state(e->phase, io);
    if (e->account)
        wr_account_state(e->account, io);
    wr_state_end(io);
    clocks_state(e, io);
    for (int i = 0; i < e->n; i++)
        run_state(e, i, io);
}

void wr_engine_state(wr_engine *e, wr_state_io *io)
{
    if (e->lone->is_on)
        lone_state(e, io);
    else
        relaxed_state(e, io);
    for (int i = 0; i < e->n && wr_state_reads(io); i++) {
        wr_record *const p = &e->record[i];
        p->status = p->commit_status = WRSIM_OK;
        p->has_rows = p->is_saved = p->checked = 0;
    }
}
