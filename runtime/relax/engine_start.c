/* Start values of all subsystems: as one solver with all components would find them. See engine.h.
 *
 * 1. States and discrete states, from descriptions and init().
 * 2. Modes: outputs that indicators need are evaluated in the order of their dependencies over all
 *    subsystems (start.h), then all indicators; again until no mode changes.
 * 3. Values before the initial events: all that is published, in order.
 * 4. Initial events, all at these values.
 * 5. What they set off, in rounds of all subsystems: values after them, in order; everybody looks at its
 *    indicators; again until no event is left.
 * 6. Integrators and the first predictions.
 *
 * Thread: one owner. Real-time: no (setup).
 */
#include "runtime/relax/engine_work.h"

static wrsim_status told(const wr_engine *e, int i, wrsim_status status, wrsim_error *err)
{
    if (status < 0)
        wr_subsystem_fault_text(e->run[i].subsystem, err);
    return status;
}

static wrsim_status begin_all(wr_engine *e, wrsim_error *err)
{
    for (int i = 0; i < e->n; i++)
        WR_TRY(told(e, i, wr_subsystem_begin(e->run[i].subsystem), err));
    return WRSIM_OK;
}

/* Modes that never agree with their indicators are settled by the initial events. */
static wrsim_status find_modes(wr_engine *e, wr_start *start, wrsim_error *err)
{
    for (int iteration = 0, n_changed = 1;
         n_changed > 0 && iteration <= e->options.max_event_iterations; iteration++) {
        n_changed = 0;
        WR_TRY(wr_start_propagate(start, WR_START_INDICATORS, err));
        for (int i = 0; i < e->n; i++) {
            int n = 0;
            const wrsim_status status =
                wr_subsystem_find_modes(e->run[i].subsystem, wr_start_inputs(start, i), &n);
            WR_TRY(told(e, i, status, err));
            n_changed += n;
        }
    }
    return WRSIM_OK;
}

/* A round of all; returns in *n_due how many time events are due at once then. */
static wrsim_status fire_all(wr_engine *e, wr_start *start, int is_initial, int *n_due,
                             wrsim_error *err)
{
    *n_due = 0;
    for (int i = 0; i < e->n; i++) {
        wr_subsystem *const s = e->run[i].subsystem;
        int n = 0;
        const wrsim_status status =
            is_initial ? wr_subsystem_fire_initial(s, wr_start_inputs(start, i), &n)
                       : wr_subsystem_fire_next(s, &n);
        WR_TRY(told(e, i, status, err));
        *n_due += n;
    }
    return WRSIM_OK;
}

static wrsim_status tell_values(const wr_engine *e, const wr_start *start, wrsim_error *err)
{
    for (const wr_observer *o = e->observer; o; o = o->next)
        for (int i = 0; o->start && i < e->n; i++) {
            const wrsim_status status = o->start(o->context, i, wr_start_outputs(start, i));
            if (status < 0) {
                wr_error_set(err, status, "what is published at the start cannot be recorded: %s",
                             wrsim_status_text(status));
                return status;
            }
        }
    return WRSIM_OK;
}

/* Modes after a round, until none changes; returns in *n_flip how many have. */
static wrsim_status follow_all(wr_engine *e, wr_start *start, int *n_flip, wrsim_error *err)
{
    *n_flip = 0;
    for (int n_changed = 1, look = 0; n_changed > 0; look++) {
        n_changed = 0;
        WR_TRY(wr_start_propagate(start, WR_START_ALL, err));
        for (int i = 0; i < e->n; i++) {
            int n = 0;
            const wrsim_status status =
                wr_subsystem_follow(e->run[i].subsystem, wr_start_inputs(start, i), &n);
            WR_TRY(told(e, i, status, err));
            n_changed += n;
        }
        *n_flip += n_changed;
        if (look > e->options.max_event_iterations) {
            wr_error_set(err, WRSIM_E_CHATTER,
                         "modes of several subsystems set one another off at the start and do not "
                         "come to rest");
            return WRSIM_E_CHATTER;
        }
    }
    return WRSIM_OK;
}

/* The instant at which the simulation starts, round by round: initial events, and all that they set off. */
static wrsim_status pass_instant(wr_engine *e, wr_start *start, wrsim_error *err)
{
    for (int round = 0;; round++) {
        int n_due, n_flip;
        WR_TRY(tell_values(e, start, err));
        WR_TRY(fire_all(e, start, round == 0, &n_due, err));
        WR_TRY(follow_all(e, start, &n_flip, err));
        if (n_due + n_flip == 0) /* who never comes to rest has its own limit */
            return WRSIM_OK;
    }
}

static wrsim_status start_one(wr_engine *e, int i, wrsim_error *err)
{
    wr_run *const p = &e->run[i];
    double *const value = p->converge->y_now, *const slope = p->converge->y_before;
    wrsim_status status = wr_subsystem_start(p->subsystem);
    if (status >= 0)
        status = wr_subsystem_published(p->subsystem, value, slope);
    if (status >= 0)
        status = wr_predict_start(p->predict, e->window.t_s, value, p->prediction[0]);
    return told(e, i, status, err);
}

static wrsim_status start_all(wr_engine *e, wr_start *start, wrsim_error *err)
{
    WR_TRY(begin_all(e, err));
    WR_TRY(find_modes(e, start, err));
    WR_TRY(wr_start_propagate(start, WR_START_ALL, err));
    WR_TRY(pass_instant(e, start, err));
    for (int i = 0; i < e->n; i++)
        WR_TRY(start_one(e, i, err));
    for (int i = 0; i < e->n; i++)
        wr_engine_show(e, &e->run[i], e->run[i].prediction[0]);
    int n_loop;
    (void)wr_start_loops(start, &n_loop);
    if (n_loop > 0) {
        for (int i = 0; i < e->n; i++)
            wr_converge_begin(e->run[i].converge, e->run[i].prediction[0]);
        if (wr_engine_place_loops(e) < 0) {
            wr_error_set(err, WRSIM_E_MEMORY, "out of memory for algebraic loops");
            return WRSIM_E_MEMORY;
        }
        wr_engine_ask_loops(e);
    }
    return WRSIM_OK;
}

wrsim_status wr_engine_start(wr_engine *e, wrsim_error *err)
{
    /* Memory of its own, given back where there are no loops: plans for every output of a large model are much.
     * The parts lie side by side, as they were given to wr_engine_place(). */
    e->loops.arena = wr_arena_create(SIZE_MAX / 4);
    e->loops.start = e->loops.arena ? wr_start_place(e->loops.arena, e->run[0].link, e->n,
                                                     e->options.is_gauss_seidel)
                                    : NULL;
    wrsim_status status = WRSIM_E_MEMORY;
    if (e->loops.start)
        status = start_all(e, e->loops.start, err);
    else
        wr_error_set(err, WRSIM_E_MEMORY, "out of memory while start values are sought");
    if (status < 0 || !(e->loops.amplification > 0.0))
        wr_engine_close(e);
    else
        wr_arena_seal(e->loops.arena);
    return status;
}

void wr_engine_close(wr_engine *e)
{
    if (!e)
        return;
    wr_arena_destroy(&e->loops.arena);
    e->loops.start = NULL;
}
