/* Choosing between one worker and all. See pace.h.
 *
 * Thread: serial section of the engine. Real-time: yes.
 */
#include "runtime/relax/pace.h"

#include <math.h>

#include "base/check.h"

/* Workers together are taken to be faster than one, without a trial, where they do so much at once:
 * tasks take up to a fifth longer while other cores work, too. */
static const double CLEAR = 1.2;
/* So little at once, and such a part of what it was, calls for a trial now: a worker that waits for its CPU in
 * every window makes a run ten times longer (measured beside one process that computes). */
static const double POOR = 0.6, FALLEN = 0.5;
/* Who is alone has its CPU for itself when it does so much. */
static const double OWN_CPU = 0.9;
/* Stretches until the other is tried: where nothing is known yet or has just changed, and later; at most,
 * where that is close, and where it is far worse. */
enum { FIRST_TRIAL = 2, NEXT_TRIAL = 24, LONG_WAIT = 96, LONGEST_WAIT = 384 };
/* Stretches of a trial, and how long it takes, at most. */
enum { TRIAL = 4 };
static const double TRIAL_S = 0.1;
/* What must be gained by leaving what runs; from which ratio on the case is clear; and on which it is clearer
 * still. */
static const double WORTH = 1.05, PLAIN = 1.4, DEAR = 3.0;
/* Windows of little work: when two are tried first, and the part of min_work below which they never are. */
enum { LITTLE_TRIAL = 4 };
static const double LEAST = 0.1;
static const double MEMORY = 0.75; /* of a cost and of what is done at once, per stretch */

/* Do all clearly work side by side, so that they are taken to be faster? With little work what is fetched from
 * each other's caches and handed over in every window takes its part, so that only measured cost counts. */
static int is_clear(const wr_pace *p)
{
    return !p->is_of_little && !p->is_alone && p->at_once >= CLEAR;
}

static double blend(double known, double now, int is_new)
{
    return known > 0.0 && !is_new ? MEMORY * known + (1.0 - MEMORY) * now : now;
}

static void turn(wr_pace *p)
{
    p->is_alone = !p->is_alone;
    p->n_review = 0;
}

/* After a trial the better one goes on. Every trial that is lost makes the next one rarer, the more so the worse
 * it went. */
static void conclude(wr_pace *p)
{
    const double gain = p->cost_s[p->is_alone] / p->cost_s[!p->is_alone];
    /* What was measured far worse is worse, however many are at work at once. */
    const int is_taken = is_clear(p) && gain > 1.0 / CLEAR;
    p->is_trial = 0;
    p->n_review = 0;
    if (gain > WORTH || is_taken) {
        p->wait = gain > DEAR ? LONG_WAIT : NEXT_TRIAL;
        return;
    }
    turn(p);
    const int longest = gain < 1.0 / PLAIN ? LONGEST_WAIT : LONG_WAIT;
    const int longer = (gain < 1.0 / DEAR ? 4 : 2) * p->wait;
    if (p->wait < NEXT_TRIAL)
        p->wait = NEXT_TRIAL;
    else if (p->wait < longest)
        p->wait = longer < longest ? longer : longest;
}

/* One stretch more of a trial: is it over? The first one alone, where it is short, counts only if it is far worse:
 * it takes the machine some milliseconds to move other processes away from a CPU. */
static int is_trial_over(wr_pace *p, double elapsed_s, double work)
{
    const double before_s = p->cost_s[p->is_alone];
    double *const cost_s = &p->cost_s[!p->is_alone];
    if (p->n_review == 1)
        p->trial_s = p->trial_work = 0.0;
    if (p->n_review == 1 && p->is_alone && elapsed_s < TRIAL_S) {
        *cost_s = elapsed_s / work;
        return *cost_s > DEAR * before_s;
    }
    p->trial_s += elapsed_s;
    p->trial_work += work;
    *cost_s = p->trial_s / p->trial_work;
    const double plain = 1.0 + (PLAIN - 1.0) / p->n_review;
    return p->n_review >= TRIAL || p->trial_s > TRIAL_S || *cost_s > plain * before_s ||
           before_s > plain * *cost_s;
}

int wr_pace_review(wr_pace *p, wr_stretch stretch)
{
    if (!(stretch.work > 0.0) || !(stretch.elapsed_s > 0.0))
        return p->is_alone;
    const double at_once = stretch.useful_s / stretch.elapsed_s;
    const int is_poor =
        !p->is_alone && at_once < POOR && (!(p->at_once > 0.0) || at_once < FALLEN * p->at_once);
    p->n_review++;
    if (!p->is_alone)
        p->at_once = blend(p->at_once, at_once, p->is_trial && p->n_review == 1);
    if (p->wait == 0)
        p->wait = p->is_alone && at_once < OWN_CPU ? NEXT_TRIAL : FIRST_TRIAL;
    if (p->is_trial) {
        if (is_trial_over(p, stretch.elapsed_s, stretch.work))
            conclude(p);
        return p->is_alone;
    }
    double *const cost_s = &p->cost_s[!p->is_alone];
    *cost_s = blend(*cost_s, stretch.elapsed_s / stretch.work, 0);
    if (is_poor || p->n_review >= (is_clear(p) ? LONGEST_WAIT : p->wait)) {
        p->is_trial = 1;
        turn(p);
    } else if (is_clear(p)) {
        p->wait = FIRST_TRIAL;
    }
    return p->is_alone;
}

wr_pace wr_pace_of_enough(int is_crowded)
{
    return (wr_pace){.is_alone = is_crowded, .is_crowded = is_crowded};
}

wr_pace wr_pace_of_little(int is_crowded)
{
    return (wr_pace){.is_alone = 1,
                     .is_of_little = 1,
                     .is_crowded = is_crowded,
                     .wait = is_crowded ? LONGEST_WAIT : LITTLE_TRIAL};
}

int wr_pace_is_little(double work, double min_work) { return work <= min_work; }

int wr_pace_by_work(double work, double min_work, int most)
{
    const double least = work < LEAST * min_work ? 1.0 : 2.0;
    return (int)wr_clamp(ceil(work / min_work), least, most);
}

int wr_pace_workers(const wr_pace *p, int n, int most, wr_pace_reason *ret_reason)
{
    *ret_reason = n < most ? WR_PACE_WORK : WR_PACE_ALL;
    if (!p->is_alone || n == 1)
        return n;
    const int is_tried = p->cost_s[1] > 0.0;
    if (p->is_trial)
        *ret_reason = WR_PACE_TRIAL;
    else if (is_tried)
        *ret_reason = p->is_of_little ? WR_PACE_WAITS : WR_PACE_SLOWER;
    else
        *ret_reason = p->is_crowded ? WR_PACE_CROWD : WR_PACE_WORK;
    return 1;
}

void wr_pace_drop_trial(wr_pace *p)
{
    if (!p->is_trial)
        return;
    p->is_trial = 0;
    turn(p);
}

int wr_pace_roams(const wr_pace *p)
{
    return p->is_alone && (!p->is_of_little || p->is_crowded || p->cost_s[1] > 0.0);
}

double wr_pace_best(const wr_pace *p)
{
    const double one_s = p->cost_s[0], all_s = p->cost_s[1];
    return one_s > 0.0 && !(all_s > 0.0 && all_s < one_s) ? one_s : all_s;
}
