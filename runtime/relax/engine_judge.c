/* The verdict on a sweep: accept the window, sweep again, check only, or reject. See engine.h.
 *
 * Thread: serial section. Real-time: yes.
 */
#include <math.h>

#include "runtime/relax/engine_work.h"

/* Most sweeps of a window that is as short as allowed or would not contract faster if it were shorter. MOST_ACCELERATED is
 * in units of relaxation.max_sweeps and holds with acceleration. */
enum { MOST_SWEEPS = 5000, MOST_ACCELERATED = 10 };
/* After MANY_SWEEPS the remaining residual is the noise of solvers and waves, amplified by a loop that hardly contracts. If
 * a shorter window does not help, an error of LEAST_ERROR tolerances is then accepted. */
enum { MANY_SWEEPS = 30 };
static const double LEAST_ERROR = 1.0;
static const double DIVERGING = 1.5; /* above this contraction rate more sweeps are pointless */
/* Below this rate sweeps go on up to MOST_SWEEPS, if a shorter window does not help. */
static const double ENDLESS_CONTRACTION = 0.9995;
/* Above this rate a window is rejected, if a shorter window may help. */
static const double CONTRACTION_LIMIT = 0.8;
/* First sweep at which the contraction rate is judged (docs/METHODS.md, Acceptance). In an algebraic loop it takes one sweep
 * more, as one of two successive rates may be 1. */
enum { SOONEST = 3, SOONEST_STATIC = 4 };

/* A contraction rate above this counts as 1. */
static const double MOST_CONTRACTION = 0.999999;
/* Residuals below this multiple of relaxation.convergence may be noise of the solvers. */
static const double SURE_DIFFERENCE = 10.0;
/* Weight of a window's rate in the expected rate; the rate that is assumed if residuals are noise and do not fall; the
 * expected rate above which a smaller rate is not believed if it comes from noise. */
static const double CONTRACTION_MEMORY = 0.1, UNSURE_CONTRACTION = 0.5, SLOW_CONTRACTION = 0.9;

/* ---- contraction ---- */

/* Contraction of a sweep: from this window if it has had two, else as in earlier ones; a longer window
 * contracts less, a shorter one not surely more. Negative: not known. */
double wr_engine_contraction(const wr_engine *e)
{
    if (!e->net.has_cycle)
        return 0.0;
    if (e->contraction.now > 0.0)
        return e->contraction.now;
    if (e->contraction.expected < 0.0)
        return -1.0;
    return e->contraction.expected * wr_max(1.0, e->window.length_s / e->contraction.length_s);
}

double wr_engine_ratio(const wr_engine *e)
{
    const double *const change = e->sweep.ring_end_change;
    if (e->sweep.i < 2 || !(change[1] > 0.0))
        return 0.0;
    if (e->sweep.i < 4 || !(change[2] > 0.0)) /* the first one is that of the prediction */
        return change[0] / change[1];
    return sqrt(change[0] / change[2]);
}

double wr_engine_accepted_effect(const wr_engine *e)
{
    const double r = wr_engine_contraction(e),
                 part = wr_min(1.0 - r, 1.0 / wr_max(e->loops.amplification, 1.0));
    return r < 0.0 || r > MOST_CONTRACTION ? 0.0 : wr_engine_accepted_error(e) * part;
}

/* Over two sweeps where there are three: what a change does to one and that one's to the other are two
 * factors, of which one may be large. */
void wr_engine_measure_contraction(wr_engine *e)
{
    const double *const change = e->sweep.ring_change;
    if (e->sweep.i < 2 || !(change[1] > 0.0))
        return;
    const double sure = SURE_DIFFERENCE * e->options.convergence;
    double ratio = change[0] / change[1];
    int is_sure = change[1] > sure;
    if (e->sweep.i > 2 && change[2] > 0.0) {
        ratio = sqrt(change[0] / change[2]);
        is_sure = change[2] > sure;
    }
    const double expected = e->contraction.expected < 1.0 ? e->contraction.expected : 0.0;
    if (is_sure)
        e->contraction.sure = ratio;
    else if (e->contraction.sure > 0.0 && e->contraction.sure < 1.0)
        ratio = wr_max(ratio < 1.0 ? ratio : 0.0, e->contraction.sure);
    else if (expected > SLOW_CONTRACTION)
        ratio = wr_max(ratio < 1.0 ? ratio : 0.0, expected);
    else if (!(ratio < UNSURE_CONTRACTION) && !(e->net.has_algebraic_cycle && ratio < 1.0))
        ratio =
            wr_max(UNSURE_CONTRACTION, expected); /* solvers blur it, but not a loop without any */
    e->contraction.now = wr_max(ratio, 1e-12);
    e->stats.contraction_mean += ratio;
    e->stats.n_contraction++;
}

/* The last ratio of a window says most: early ones are of what falls fast, or grows before it falls. */
void wr_engine_learn_contraction(wr_engine *e)
{
    const double ratio = e->contraction.sure > 0.0 ? e->contraction.sure : e->contraction.now;
    if (!(ratio > 0.0))
        return;
    if (e->contraction.expected < 0.0 || ratio > e->contraction.expected)
        e->contraction.expected = ratio;
    else
        e->contraction.expected += CONTRACTION_MEMORY * (ratio - e->contraction.expected);
    e->contraction.length_s = e->window.length_s;
}

/* ---- the verdict ---- */

/* Would a shorter window contract no faster, or may there be none? */
static int is_short_enough(const wr_engine *e)
{
    return e->contraction.is_slow || wr_window_is_shortest(&e->rule, e->window.length_s);
}

double wr_engine_accepted_error(const wr_engine *e)
{
    return wr_max(e->options.convergence, e->contraction.is_noise ? LEAST_ERROR : 0.0);
}

/* Where a shorter window does not help, will more sweeps do, in the end? */
static int is_worth_going_on(const wr_engine *e)
{
    const double r = wr_engine_ratio(e);
    if (!is_short_enough(e) || e->sweep.i >= MOST_SWEEPS)
        return 0;
    if (e->sweep.i < MANY_SWEEPS && (r < DIVERGING || e->sweep.ring_end_change[0] <= LEAST_ERROR))
        return 1;
    const int is_accelerated = e->mix.method && e->mix.has_guesses; /* not monotone */
    return r < ENDLESS_CONTRACTION ||
           e->sweep.i < (is_accelerated ? MOST_ACCELERATED : 1) * e->options.max_sweeps;
}

/* No more sweeps in this window? What does not go round settles by itself. */
static int is_hopeless(const wr_engine *e)
{
    const int is_judged = e->sweep.i >= (e->net.has_algebraic_cycle ? SOONEST_STATIC : SOONEST);
    const int is_diverging = is_judged && !e->mix.method && e->net.has_cycle &&
                             wr_engine_ratio(e) > CONTRACTION_LIMIT &&
                             e->sweep.ring_end_change[0] > e->options.convergence;
    const int is_much = e->sweep.i >= (e->net.has_cycle ? e->options.max_sweeps : MOST_SWEEPS);
    return (is_much || is_diverging) && !is_worth_going_on(e);
}

/* After a round of checks, in which nobody has integrated. */
static wr_verdict judge_checks(wr_engine *e)
{
    e->sweep.i--;
    if (e->sweep.n_wanted == 0)
        return WR_VERDICT_ACCEPT;
    if (is_hopeless(e))
        return WR_VERDICT_REJECT;
    wr_engine_force_all(e);
    return WR_VERDICT_SWEEP;
}

/* The iterate as a whole. */
static wr_verdict judge_accelerated(wr_engine *e)
{
    wr_engine_accelerate_sweep(e);
    const int is_open = wr_engine_is_anything_open(e);
    if (e->mix.error <= wr_engine_accepted_error(e) && !is_open)
        return WR_VERDICT_ACCEPT;
    if (is_hopeless(e) || (e->loops.is_stuck && !is_short_enough(e)))
        return WR_VERDICT_REJECT;
    wr_engine_publish_guesses(e);
    wr_engine_force_all(e);
    return WR_VERDICT_SWEEP;
}

/* After the turn of those that cannot restore, which is no iteration: nothing is learned from it. */
static wr_verdict judge_once_turn(wr_engine *e)
{
    e->sweep.is_once_turn = 0;
    if (!e->mix.method)
        return wr_engine_find_active(e) == 0 ? WR_VERDICT_ACCEPT : WR_VERDICT_SWEEP;
    wr_accelerate_reset(e->mix.method);
    e->mix.has_guesses = e->loops.n_step = 0;
    wr_engine_force_all(e);
    return WR_VERDICT_SWEEP;
}

/* Can what is active still be found not to matter? */
static int may_not_matter(const wr_engine *e)
{
    for (int i = 0; i < e->n; i++)
        if (e->run[i].is_active && wr_engine_is_due(e, &e->run[i]))
            return 0;
    return 1;
}

wr_verdict wr_engine_judge(wr_engine *e)
{
    if (e->sweep.n_integrated == 0)
        return judge_checks(e);
    if (e->sweep.is_once_turn)
        return judge_once_turn(e);
    /* Once a sweep: checks before the next one and in it must agree. */
    e->contraction.is_noise = e->sweep.i >= MANY_SWEEPS && is_short_enough(e);
    if (!e->mix.method || !e->mix.has_guesses)
        wr_engine_measure_contraction(e);
    for (const wr_observer *o = e->observer; o; o = o->next)
        if (o->sweep)
            o->sweep(o->context, e->window.t_s, e->window.length_s, e->sweep.i, e->sweep.delta);
    e->sweep.is_forced = 0;
    if (e->mix.method)
        return judge_accelerated(e);
    if (wr_engine_find_active(e) == 0)
        return WR_VERDICT_ACCEPT;
    if (!is_hopeless(e))
        return e->options.has_active_set ? WR_VERDICT_SWEEP : WR_VERDICT_CHECK;
    if (may_not_matter(e))
        return WR_VERDICT_CHECK;
    wr_engine_take_back_checks(e);
    return WR_VERDICT_REJECT;
}
