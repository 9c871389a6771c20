/* The order of the subsystems in a sweep. See engine_scheme.h. Thread: as in engine_scheme.h. Real-time: yes after placing. */
#include "runtime/relax/engine_scheme.h"

#include "base/check.h"
#include "base/rows.h"
#include "runtime/relax/engine_acceleration.h"
#include "runtime/relax/engine_batch.h"
#include "runtime/relax/engine_progress.h"

int wr_engine_place_levels(wr_engine *e, wr_arena *arena, int is_gauss_seidel, wr_net_levels *ret)
{
    int n_level = 0;
    for (int i = 0; i < e->n; i++) {
        const int level = is_gauss_seidel ? e->net->node[i].level : 0;
        n_level = level + 1 > n_level ? level + 1 : n_level;
    }
    const wr_rows levels = {WR_NEW_ARRAY(arena, int, n_level + 2), WR_NEW_ARRAY(arena, int, e->n)};
    if (!levels.start || !levels.item)
        return -1;
    for (int i = 0; i < e->n; i++)
        wr_rows_count(&levels, is_gauss_seidel ? e->net->node[i].level : 0);
    wr_rows_begin(&levels, n_level);
    for (int i = 0; i < e->n; i++)
        wr_rows_put(&levels, is_gauss_seidel ? e->net->node[i].level : 0, i);
    *ret = (wr_net_levels){.n = n_level, .start = levels.start, .item = levels.item};
    return 0;
}

/* Points the engine to the lists, the window rule and the rates of the present scheme. */
static void use(wr_engine *e)
{
    const wr_sweep_scheme *const s = e->scheme;
    const int order = s->choice.order;
    e->net->levels = s->levels[order];
    e->rule = s->rule[order];
    e->contraction = s->contraction[order];
}

/* Returns the reason for which the run cannot choose, or NULL. */
static const char *find_obstacle(const wr_engine *e)
{
    if (e->net->has_algebraic_cycle)
        return "outputs that depend directly on inputs form a ring of subsystems";
    if (e->mix->guess)
        return "relaxation.acceleration is on";
    if (e->net->n_once > 0)
        return "a subsystem has no rollback";
    return e->scheme->levels[WR_SWEEP_GAUSS_SEIDEL].n == 1 ? "all subsystems have one level" : NULL;
}

int wr_engine_place_scheme(wr_engine *e, wr_arena *arena)
{
    wr_sweep_scheme *const s = e->scheme;
    const wr_set_relaxation *const r = &e->options.relaxation;
    const int n_worker = r->scheme == WR_SCHEME_AUTO ? r->scheme_workers : 0;
    s->choice.order =
        wr_engine_options_are_levelled(&e->options) ? WR_SWEEP_GAUSS_SEIDEL : WR_SWEEP_JACOBI;
    if (n_worker == 0 || e->n == 1)
        return 0;
    s->levels[WR_SWEEP_JACOBI] = e->net->levels;
    if (wr_engine_place_levels(e, arena, 1, &s->levels[WR_SWEEP_GAUSS_SEIDEL]) != 0)
        return -1;
    if ((s->why = find_obstacle(e)))
        return 0;
    s->rule[WR_SWEEP_JACOBI] = e->rule;
    s->contraction[WR_SWEEP_JACOBI] = e->contraction;
    wr_window *const rule = s->rule[WR_SWEEP_GAUSS_SEIDEL] = WR_NEW(arena, wr_window);
    wr_contraction *const rates = s->contraction[WR_SWEEP_GAUSS_SEIDEL] =
        WR_NEW(arena, wr_contraction);
    if (!rule || !rates || WR_NEW_DOUBLES(arena, e->n, &s->work, &s->first) != 0)
        return -1;
    *rule = *e->rule;
    *rates = *e->contraction;
    wr_scheme_choice_init(&s->choice, n_worker);
    use(e);
    return 0;
}

void wr_engine_scheme_begin_run(wr_engine *e)
{
    wr_sweep_scheme *const s = e->scheme;
    wr_scheme_choice_begin_window(&s->choice);
    for (int i = 0; i < e->n && s->choice.is_on; i++)
        s->first[i] = 0.0;
}

void wr_engine_scheme_batch(wr_engine *e)
{
    wr_sweep_scheme *const s = e->scheme;
    int n = 0;
    if (!s->choice.is_measured)
        return;
    for (int k = 0; k < e->batch->n; k++) {
        const int i = e->batch->run[k];
        const wr_record *const r = &e->record[i];
        if (r->is_unchanged)
            continue;
        s->work[n++] = r->work;
        if (r->n_integrated == 1)
            s->first[i] = r->work;
    }
    wr_scheme_choice_add(&s->choice, s->work, n);
}

/* Collects the work of the first integrations in the window, for the next window. Returns their number. */
static int take_first(wr_engine *e)
{
    wr_sweep_scheme *const s = e->scheme;
    int n = 0;
    for (int i = 0; i < e->n && s->choice.is_measured; i++) {
        if (s->first[i] > 0.0)
            s->work[n++] = s->first[i];
        s->first[i] = 0.0;
    }
    return n;
}

void wr_engine_scheme_window(wr_engine *e, double longest_s)
{
    wr_sweep_scheme *const s = e->scheme;
    if (!s->choice.is_on)
        return;
    const int before = s->choice.order;
    wr_scheme_choice_next(&s->choice, s->work, take_first(e));
    if (s->choice.order == before)
        return;
    wr_window *const rule = s->rule[s->choice.order];
    if (s->choice.n_change ==
        1) /* the other order begins with the costs of this order as guesses */
        *rule = *s->rule[before];
    wr_window_forget(rule);
    use(e);
    e->rule->length_s = wr_min(e->rule->length_s, longest_s);
}

void wr_engine_scheme_state(wr_engine *e, wr_state_io *io)
{
    wr_sweep_scheme *const s = e->scheme;
    wr_state_agree(io, s->choice.is_on ? s->choice.n_worker : 0);
    if (!s->choice.is_on) {
        wr_state_agree(io, s->choice.order);
        wr_window_state(e->rule, io);
        wr_contraction_state(e->contraction, io);
        return;
    }
    wr_scheme_choice_state(&s->choice, io);
    for (int k = 0; k < WR_SWEEP_ORDERS; k++) {
        wr_window_state(s->rule[k], io);
        wr_contraction_state(s->contraction[k], io);
    }
    if (wr_state_reads(io))
        use(e);
}

const wr_sweep_scheme *wr_engine_scheme_get(const wr_engine *e) { return e->scheme; }
