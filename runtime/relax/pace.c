/* Choosing between one worker and all. See pace.h.
 *
 * Thread: serial section of the engine. Real-time: yes.
 */
#include "runtime/relax/pace.h"

#include <math.h>

#include "runtime/base/check.h"

/* Workers together are taken to be faster than one, without a trial, where they do so much at once:
 * tasks take up to a fifth longer while other cores work, too. */
static const double CLEAR = 1.2;
/* So little at once, and such a part of what it was, calls for a trial now: a worker that waits for its CPU in
 * every window makes a run ten times longer (measured beside one process that computes). */
static const double POOR = 0.6, FALLEN = 0.5;
/* Stretches until the other is tried: where nothing is known yet or has just changed, and later; the
 * ratio from which trials become rarer still; what must be gained by leaving what runs. */
enum { FIRST_TRIAL = 3, NEXT_TRIAL = 24, LONGEST_WAIT = 384 };
static const double HOPELESS = 1.4, WORTH = 1.05, ALONE = 1.3;
static const double DEAR = 3.0;   /* trials that cost so much become rarer faster */
static const double MEMORY = 0.5; /* of a cost and of what is done at once, per stretch */

/* Do all clearly work side by side, so that they are taken to be faster? */
static int is_clear(const wr_pace *p) { return !p->is_alone && p->at_once >= CLEAR; }

static double blend(double known, double now, int is_new)
{
    return known > 0.0 && !is_new ? MEMORY * known + (1.0 - MEMORY) * now : now;
}

static void turn(wr_pace *p)
{
    p->is_alone = !p->is_alone;
    p->n_review = 0;
}

/* After a trial the better one goes on; the clearer the case, the longer until the next. */
static void conclude(wr_pace *p)
{
    const double before_s = p->cost_s[p->is_alone], trial_s = p->cost_s[!p->is_alone];
    /* What was measured far worse is worse, however many are at work at once. */
    const int is_taken = is_clear(p) && trial_s < CLEAR * before_s;
    p->is_trial = 0;
    p->n_review = 0;
    /* Who do less at once than one would alone must be clearly faster: one that is alone gets more of its CPU
     * after a while, when the machine has moved the others away from it. */
    const double handicap = p->at_once < 1.0 ? ALONE : 1.0;
    const double gain = (p->is_alone ? handicap : 1.0 / handicap) * before_s / trial_s;
    if (gain > WORTH || is_taken) {
        p->wait = before_s > DEAR * trial_s       ? 4 * NEXT_TRIAL
                  : before_s > HOPELESS * trial_s ? NEXT_TRIAL
                                                  : FIRST_TRIAL;
        return;
    }
    turn(p);
    if (p->wait < NEXT_TRIAL)
        p->wait = NEXT_TRIAL;
    else if (trial_s > HOPELESS * before_s && p->wait < LONGEST_WAIT)
        p->wait *= trial_s > DEAR * before_s ? 4 : 2;
}

int wr_pace_review(wr_pace *p, double elapsed_s, double useful_s, double work)
{
    if (!(work > 0.0) || !(elapsed_s > 0.0))
        return p->is_alone;
    double *const cost_s = &p->cost_s[!p->is_alone];
    *cost_s = blend(*cost_s, elapsed_s / work, p->is_trial);
    const double at_once = useful_s / elapsed_s;
    const int is_poor =
        !p->is_alone && at_once < POOR && (!(p->at_once > 0.0) || at_once < FALLEN * p->at_once);
    if (!p->is_alone)
        p->at_once = blend(p->at_once, at_once, p->is_trial);
    p->n_review++;
    if (p->wait == 0)
        p->wait = FIRST_TRIAL;
    if (p->is_trial) {
        conclude(p);
    } else if (is_poor || p->n_review >= (is_clear(p) ? LONGEST_WAIT : p->wait)) {
        p->is_trial = 1;
        turn(p);
    } else if (is_clear(p)) {
        p->wait = FIRST_TRIAL;
    }
    return p->is_alone;
}

int wr_pace_workers(const wr_pace *p, double work, double min_work, int most,
                    wr_pace_reason *ret_reason)
{
    const int n = (int)wr_clamp(ceil(work / min_work), 1.0, most);
    *ret_reason = n < most ? WR_PACE_WORK : WR_PACE_ALL;
    if (!p->is_alone || n == 1)
        return n;
    *ret_reason = p->is_trial ? WR_PACE_TRIAL : WR_PACE_SLOWER;
    return 1;
}

double wr_pace_best(const wr_pace *p)
{
    const double one_s = p->cost_s[0], all_s = p->cost_s[1];
    return one_s > 0.0 && !(all_s > 0.0 && all_s < one_s) ? one_s : all_s;
}
