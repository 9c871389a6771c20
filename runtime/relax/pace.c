/* Choosing between one worker and all. See pace.h.
 *
 * Thread: serial section of the engine. Real-time: yes.
 */
#include "runtime/relax/pace.h"

/* Stretches until one worker is tried first, and from then on; the share above which it is no use to
 * try; what must be gained by leaving what runs. */
enum { FIRST_TRIAL = 3, NEXT_TRIAL = 24, LONGEST_WAIT = 384 };
static const double HOPELESS = 1.4, WORTH = 1.05;
static const double MEMORY = 0.5; /* of a cost, per stretch */

static void learn(wr_pace *p, double cost_s)
{
    double *const known = &p->cost_s[!p->is_alone];
    *known = *known > 0.0 && !p->is_trial ? MEMORY * *known + (1.0 - MEMORY) * cost_s : cost_s;
}

/* After a trial the better one goes on; the clearer the case, the longer until the next. */
static void conclude(wr_pace *p)
{
    const double alone_s = p->cost_s[0], all_s = p->cost_s[1];
    const int was_alone = !p->is_alone; /* before the trial */
    p->is_trial = 0;
    p->is_alone = was_alone ? !(all_s * WORTH < alone_s) : alone_s * WORTH < all_s;
    const double ratio = p->is_alone ? all_s / alone_s : alone_s / all_s;
    if (p->is_alone != was_alone)
        p->wait = NEXT_TRIAL;
    else if (ratio > HOPELESS && p->wait < LONGEST_WAIT)
        p->wait *= 2;
    p->n_review = 0;
}

int wr_pace_review(wr_pace *p, double elapsed_s, double work)
{
    if (!(work > 0.0) || !(elapsed_s > 0.0))
        return p->is_alone;
    learn(p, elapsed_s / work);
    p->n_review++;
    if (p->wait == 0)
        p->wait = FIRST_TRIAL;
    if (p->is_trial) {
        conclude(p);
    } else if (p->n_review >= p->wait) {
        p->is_trial = 1;
        p->is_alone = !p->is_alone;
        if (p->wait == FIRST_TRIAL)
            p->wait = NEXT_TRIAL;
    }
    return p->is_alone;
}
