/* Lengths of each task's periods. See slack.h. One tick is P / 2^k, the shortest possible period of a connection. Each period of a
 * task has a span of 2^m ticks and ends at a multiple of the span, unless the run cuts the period. The span is the shortest period of the
 * subsystem's connections. So the ends of a longer period are also ends of shorter periods.
 *
 * A limit (delay_settle.c) shortens a connection at its reader. The reader attaches the periods that it requests of its sources to
 * each version. A task whose connections may be shortened therefore selects versions of all its readers, also of readers that are
 * not among its sources. So the lengths depend only on the selected versions.
 *
 * Each version also contains the end of the next version, which shows readers whether another version ends by some time. A
 * published span is final, so a span changes one period after its cause.
 *
 * Thread: as in period_length.h. Real-time: yes after placing.
 */
#include <math.h>

#include "runtime/slack/period_length.h"

int wr_period_length_is_shortening(const wr_slack_options *o)
{
    return (o->slack.eps_loc > 0.0 && o->slack.on_loc == WR_ACTION_SHORTEN) ||
           (o->slack.eps_glo > 0.0 && o->slack.on_glo == WR_ACTION_SHORTEN);
}

/* ---- placing ---- */

/* Returns k of the period P / 2^k that is nearest to period_s; 0 if period_s is 0. */
static int halvings(const wr_slack_options *o, double period_s)
{
    const double k = period_s > 0.0 ? floor(log2(o->slack.period_s / period_s) + 0.5) : 0.0;
    return (int)wr_clamp(k, 0.0, WR_SLACK_MOST_HALVINGS);
}

static double period_of(const wr_wiring *link, int i_source)
{
    return link->period_s ? link->period_s[i_source] : 0.0;
}

int wr_period_length_wish(const wr_slack_plan *plan, const wr_wiring *link, int i_source)
{
    const double period_s = i_source < link->subsystem->n_source ? period_of(link, i_source) : 0.0;
    return plan->n_tick >> halvings(&plan->options, period_s);
}

static void cut_span(wr_period_task *part, int span)
{
    if (!part->out.is_played && span < part->span)
        part->span = span;
}

void wr_period_length_place(wr_slack_plan *plan)
{
    const wr_slack_options *const o = &plan->options;
    int most = wr_period_length_is_shortening(o) ? halvings(o, o->slack.shortest_period_s) : 0;
    for (int i = 0; i < plan->n; i++)
        for (int j = 0; j < plan->part[i].subsystem->n_source; j++) {
            const int k = halvings(o, period_of(&plan->link[i], j));
            most = k > most ? k : most;
        }
    plan->n_tick = 1 << most;
    plan->tick_s = o->slack.period_s / (double)plan->n_tick;
    for (int i = 0; i < plan->n; i++)
        plan->part[i].span = plan->n_tick;
    for (int i = 0; i < plan->n; i++)
        for (int j = 0; j < plan->part[i].subsystem->n_source; j++) {
            const int span = wr_period_length_wish(plan, &plan->link[i], j);
            cut_span(&plan->part[i], span);
            cut_span(&plan->part[plan->link[i].producer[j]], span);
        }
    for (int i = 0; i < plan->n; i++)
        plan->part[i].out.first_span = plan->part[i].next_span = plan->part[i].span;
}

int wr_period_length_place_readers(const wr_slack_plan *plan, wr_arena *arena)
{
    for (int i = 0; i < plan->n; i++) {
        wr_period_task *const p = &plan->part[i];
        p->reader = WR_NEW_ARRAY(arena, wr_version_reader, p->n_pick);
        if (!p->reader)
            return -1;
        for (int j = 0; j < p->n_pick && wr_period_length_is_shortening(&plan->options); j++) {
            const wr_period_task *const reader = &plan->part[p->source[j].producer->i];
            int place = 0;
            while (place < reader->n_source && reader->source[place].producer != &p->out)
                place++;
            if (place < reader->n_source)
                p->reader[p->n_reader++] = (wr_version_reader){.i_source = j, .i_place = place};
        }
    }
    return 0;
}

/* ---- the grid ---- */

double wr_period_length_grid(const wr_slack_plan *plan, int64_t n_tick)
{
    return wr_time_at(plan->options.start_s, (double)n_tick, plan->tick_s);
}

int wr_period_length_is_end(const wr_slack_plan *plan, double t_s, double t_end_s)
{
    static const double LEAST = 2e-9; /* share of a period (assumed); shorter spans are rounding */
    return t_end_s - t_s <= LEAST * plan->options.slack.period_s || wr_time_close(t_end_s, t_s);
}

int64_t wr_period_length_end(int64_t n_tick, int span) { return (n_tick / span + 1) * span; }

int64_t wr_period_length_tick(const wr_slack_plan *plan, int64_t n_tick, double t_s)
{
    while (wr_period_length_is_end(plan, t_s, wr_period_length_grid(plan, n_tick + 1)))
        n_tick++;
    return n_tick;
}

double wr_period_length_meet(const wr_slack_plan *plan, double t_s)
{
    static const double ROUNDING =
        1e-6; /* share of a period (assumed); shorter spans are rounding */
    const wr_slack_options *const o = &plan->options;
    const double n = ceil((t_s - o->start_s) / o->slack.period_s - ROUNDING);
    return wr_period_length_grid(plan, (int64_t)n * plan->n_tick);
}

/* ---- from period to period ---- */

int wr_period_length_publish(const wr_slack_plan *plan, const wr_period_task *part,
                             wr_version *version)
{
    int span = part->span;
    for (int j = 0; j < part->n_source; j++) {
        version->wish[j] = part->source[j].wish;
        if (!part->source[j].is_played && part->source[j].wish < span)
            span = part->source[j].wish;
    }
    for (int r = 0; r < part->n_reader && !part->out.is_played; r++) {
        const wr_version_source *const reader = &part->source[part->reader[r].i_source];
        const int64_t v = reader->version;
        const int wish = v > 0 ? wr_version_of(reader, v)->wish[part->reader[r].i_place] : span;
        span = wish < span ? wish : span;
    }
    version->span = span;
    const int64_t n_tick = wr_period_length_tick(plan, part->n_tick, part->end_s);
    version->next_s = wr_period_length_grid(plan, wr_period_length_end(n_tick, span));
    return span;
}

int wr_period_length_known(const wr_version_source *source)
{
    const int64_t v = source->known;
    return v > 0 && v >= source->floor ? wr_version_of(source, v)->span
                                       : source->producer->first_span;
}

int wr_period_length_is_shortest(const wr_slack_plan *plan, const wr_version_source *source)
{
    return source->wish <= plan->n_tick >>
           halvings(&plan->options, plan->options.slack.shortest_period_s);
}

/* Shortens the requested periods of a source. Halving a period divides the error of a prediction of degree q by 2^(q + 1) (docs/METHODS.md,
 * Prediction). If the run chooses the degree, the formula uses q = 1. */
int wr_period_length_shorten(const wr_slack_plan *plan, wr_period_task *part, int i_source,
                             double factor)
{
    wr_version_source *const source = &part->source[i_source];
    const int theirs = wr_period_length_known(source),
              now = theirs > part->span ? theirs : part->span;
    const int degree = plan->options.fixed_degree < 0 ? 1 : plan->options.fixed_degree;
    const int shortest =
        plan->n_tick >> halvings(&plan->options, plan->options.slack.shortest_period_s);
    /* Other connections of the two subsystems may have shortened the periods. */
    const int before = source->wish = now < source->wish ? now : source->wish;
    int n = (int)wr_clamp(ceil(log2(factor) / (degree + 1)), 1.0, WR_SLACK_MOST_HALVINGS);
    for (; n > 0 && source->wish > shortest; n--)
        source->wish /= 2;
    return source->wish < before;
}

void wr_period_length_pass(const wr_slack_plan *plan, wr_state_io *io, int *span)
{
    const int64_t n = wr_state_count(io, *span - 1, plan->n_tick - 1);
    if (wr_state_reads(io))
        *span = (int)n + 1;
}
