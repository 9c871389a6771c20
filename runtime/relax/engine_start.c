/* Start of the engine: values of all subsystems (initial.h), integrators and the first predictions. See engine_start.h.
 *
 * Thread: one owner. Real-time: no (setup).
 */
#include "runtime/relax/engine_start.h"

#include "runtime/relax/engine_loops.h"
#include "runtime/relax/engine_work.h"
#include "runtime/relax/initial.h"

static wrsim_status told(const wr_engine *e, int i, wrsim_status status, wrsim_error *err)
{
    if (status < 0)
        wr_subsystem_fault_text(e->run[i].subsystem, err);
    return status;
}

/* To all observers that want to know. */
static wrsim_status tell(void *engine, int i, const double *value)
{
    const wr_engine *const e = engine;
    for (const wr_observer *o = e->observer; o; o = o->next)
        if (o->start)
            WR_TRY(o->start(o->context, i, value));
    return WRSIM_OK;
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
    const wr_initial initial = {
        .part = e->run[0].link, /* side by side, as they were given to place() */
        .n_part = e->n,
        .max_event_iterations = e->options.max_event_iterations,
        .tell = tell,
        .context = e};
    WR_TRY(wr_initial_find(&initial, start, err));
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
    e->loops.arena = wr_arena_create_from(wr_arena_memory(e->run[0].link->arena), SIZE_MAX / 4);
    e->loops.start = e->loops.arena ? wr_start_place(e->loops.arena, e->run[0].link, e->n,
                                                     e->options.is_gauss_seidel)
                                    : NULL;
    wrsim_status status = WRSIM_E_MEMORY;
    if (e->loops.start)
        status = start_all(e, e->loops.start, err);
    else
        wr_error_set(err, WRSIM_E_MEMORY, "out of memory while start values are sought");
    if (status < 0 || !(e->contraction.amplification > 0.0))
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
