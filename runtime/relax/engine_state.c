/* The engine's state between two runs, as bytes (base/state_io.h). See engine_state.h. Between two runs every subsystem is at the end of
 * the last window. All rows are committed. The last wave of a subsystem is not yet in the history. The published wave is
 * the prediction of the next window. So the state has two of the four waves of a subsystem: the last wave and the prediction.
 *
 * Thread: one owner, between two runs. Real-time: yes. */
#include "runtime/relax/engine_state.h"

#include "runtime/relax/contraction.h"
#include "runtime/relax/engine_acceleration.h"
#include "runtime/relax/engine_activity.h"
#include "runtime/relax/engine_ahead.h"
#include "runtime/relax/engine_batch.h"
#include "runtime/relax/engine_control.h"
#include "runtime/relax/engine_loops.h"
#include "runtime/relax/engine_progress.h"
#include "runtime/relax/engine_run.h"
#include "runtime/relax/engine_scheme.h"
#include "runtime/relax/engine_slope.h"
#include "runtime/relax/engine_window.h"
#include "runtime/relax/splitting_error.h"

int wr_engine_opaque(const wr_engine *e)
{
    for (int i = 0; i < e->n; i++)
        if (!wr_subsystem_has_state(e->run[i]->subsystem))
            return i;
    return -1;
}

/* Visits the stored fault of a subsystem, a candidate for the fault that ends a run, without the fault's message. */
static void fault_state(wr_engine *e, int i, wr_state_io *io)
{
    wr_run *const p = e->run[i];
    WR_STATE(io, p->fault.status);
    WR_STATE(io, p->fault.t_s);
    WR_STATE(io, p->fault.i_component);
    WR_STATE(io, p->fault.kind);
    WR_STATE(io, p->fault.i_variable);
    wr_record_fault_state(&e->record[i], io);
    if (wr_state_reads(io))
        p->fault.message = NULL;
}

/* Visits the last window's wave, and the published prediction with the number of its publication. */
static void waves_state(const wr_engine *e, int i, wr_state_io *io)
{
    const wr_run *const p = e->run[i];
    wr_waves *const w = &e->waves[i];
    /* relaxed: between two runs no worker uses the waves. */
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
        atomic_store_explicit(&w->publication.last, last, memory_order_relaxed);
    }
    wr_wave_state(p->subsystem->wave, io); /* wave of the last window */
    wr_wave_state(w->prediction[e->window->i_prediction], io);
}

static void run_state(wr_engine *e, int i, wr_state_io *io)
{
    wr_run *const p = e->run[i];
    wr_record *const r = &e->record[i];
    const int i_followed = p->link->history_source;
    wr_history *const own = e->waves[i].history;
    const wr_history *const history[WR_PREDICT_SOURCES] = {
        own, i_followed >= 0 ? e->waves[i_followed].history : NULL};
    wr_state_begin(io, "part", i);
    wr_subsystem_state(p->subsystem, io);
    fault_state(e, i, io);
    wr_record_state(r, io);
    WR_STATE(io, p->place);
    WR_STATE_ARRAY(io, wr_record_input_shift(r, e->value[i]), r->n_read);
    WR_STATE_ARRAY(io, p->order, p->subsystem->n_source);
    wr_sensitivity_state(&r->sensitivity, io);
    wr_wave_distance_state_io(p->converge, io);
    waves_state(e, i, io);
    wr_predict_state(p->predict, io, history);
    if (own)
        wr_history_state(own, io);
    if (e->account)
        wr_splitting_error_part_state(e->account, i, io, e->waves[i].fresh);
    wr_state_end(io);
}

static void clocks_state(wr_engine *e, wr_state_io *io)
{
    wr_state_begin(io, "clocks", 0); /* measured times differ between equal runs */
    WR_STATE(io, e->stats->bound_wall_s);
    WR_STATE(io, e->stats->bound_point_s);
    WR_STATE(io, e->stats->accepted_s);
    wr_state_end(io);
}

/* Visits the state of a run of one subsystem, which has no relaxation state. The function omits state of the last pause, which depends
 * on clocks. */
static void lone_state(wr_engine *e, wr_state_io *io)
{
    double t_s = e->window->t_s;
    wr_state_begin(io, "engine", e->n);
    WR_STATE(io, t_s);
    if (wr_state_reads(io))
        wr_engine_move_window(e, t_s);
    wr_control_state(e->control, io, e->n);
    wr_engine_stats_state(e->stats, io);
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
    wr_engine_scheme_state(e, io);
    wr_engine_window_state(e, io);
    wr_control_state(e->control, io, e->n);
    wr_mix_state(e->mix, io);
    wr_loops_state(e, io);
    wr_engine_slope_state(e, io);
    wr_batch_state(e->batch, io);
    wr_ahead_state(e, io);
    wr_activity_state(e, io);
    wr_engine_load_state(e, io);
    wr_engine_stats_state(e->stats, io);
    if (e->phase)
        wr_phase_state(e->phase, io);
    if (e->account)
        wr_splitting_error_state(e->account, io);
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
    for (int i = 0; i < e->n && wr_state_reads(io); i++)
        wr_record_clear(&e->record[i]);
}
