/* Number of workers, decided by measured cost. See worker_count.h. Thread: one owner. Real-time: yes. */
#include "scheduler/worker_count.h"

#include <math.h>

#include "base/check.h"

/* length of a sample, s (assumed), longer than the time slices of Linux of 3 to 4 ms */
static const double SAMPLE_S = 8e-3;
/* work per window that is enough for a second worker, as a share of min_work (assumed) */
static const double LEAST_WORK = 0.1;
enum { FIRST_WAIT = 2, NEXT_WAIT = 24, LONGEST_WAIT = 384, TRIAL = 4 };
/* Ratios of costs (assumed). A trial with a gain of more than WORTH changes the number. A ratio above CLEAR ends a trial after one sample;
 * after more samples a smaller ratio ends the trial. With more than one worker, two successive ratios above DOUBTFUL start a trial. */
static const double WORTH = 1.05, CLEAR = 1.4, DOUBTFUL = 2.0;
/* weight of the old cost in the running mean, per sample (assumed) */
static const double MEMORY = 0.75;

void wr_worker_count_init(wr_worker_count *c, int most, double min_work)
{
    *c = (wr_worker_count){.most = most, .min_work = min_work, .is_one = 1, .wait = FIRST_WAIT};
}

int wr_worker_count_is_fixed(const wr_worker_count *c)
{
    return c->most == 1 || !(c->min_work > 0.0);
}

static void change_number(wr_worker_count *c)
{
    c->is_one = !c->is_one;
    c->n_sample = 0;
}

/* Adds a sample to the trial, and ends the trial when its result is clear, or after TRIAL samples. */
static void add_to_trial(wr_worker_count *c, const wr_worker_count_sample *sample)
{
    if (c->n_sample == 1)
        c->trial = (wr_worker_count_sample){.work = 0.0};
    c->trial.elapsed_s += sample->elapsed_s;
    c->trial.work += sample->work;
    const double before = c->s_per_work[!c->is_one];
    const double now = c->trial.elapsed_s / c->trial.work;
    const double clear = 1.0 + (CLEAR - 1.0) / c->n_sample;
    c->s_per_work[c->is_one] = now;
    if (c->n_sample < TRIAL && now <= clear * before && before <= clear * now)
        return;
    c->is_trial = 0;
    if (WORTH * now < before) {
        c->n_sample = 0;
        c->wait = NEXT_WAIT;
        return;
    }
    change_number(c);
    c->wait = c->wait < NEXT_WAIT ? NEXT_WAIT : 4 * c->wait;
    c->wait = c->wait < LONGEST_WAIT ? c->wait : LONGEST_WAIT;
}

static void take_sample(wr_worker_count *c, const wr_worker_count_sample *sample)
{
    double *const known = &c->s_per_work[c->is_one];
    const double now = sample->elapsed_s / sample->work;
    c->n_sample++;
    if (c->is_trial) {
        add_to_trial(c, sample);
        return;
    }
    const int is_doubtful = !c->is_one && *known > 0.0 && now > DOUBTFUL * *known;
    c->n_doubtful = is_doubtful ? c->n_doubtful + 1 : 0;
    if (c->n_doubtful == 1) /* other load on the machine may make one sample slow */
        return;
    *known = *known > 0.0 && !is_doubtful ? MEMORY * *known + (1.0 - MEMORY) * now : now;
    if (c->n_sample >= c->wait || is_doubtful) {
        c->n_doubtful = 0;
        c->is_trial = 1;
        change_number(c);
    }
}

void wr_worker_count_note(wr_worker_count *c, double work, double elapsed_s)
{
    wr_worker_count_sample *const s = &c->sample;
    s->work += work;
    s->elapsed_s += elapsed_s;
    s->n_window++;
    if (wr_worker_count_is_fixed(c) || (s->elapsed_s < SAMPLE_S && c->by_work > 0))
        return;
    const wr_worker_count_sample sample = *s;
    const int is_as_decided = c->is_one || c->by_work > 1;
    c->window_work = s->work / s->n_window;
    c->by_work = c->window_work < LEAST_WORK * c->min_work
                     ? 1
                     : (int)wr_clamp(ceil(c->window_work / c->min_work), 2.0, (double)c->most);
    if (c->by_work == 1 && c->is_trial) { /* the trial ends without a result */
        c->is_trial = 0;
        change_number(c);
    }
    if (sample.elapsed_s < SAMPLE_S) /* the sample is too short; only the first call comes here */
        return;
    *s = (wr_worker_count_sample){.work = 0.0};
    if (is_as_decided && c->by_work > 1 && sample.work > 0.0)
        take_sample(c, &sample);
}

int wr_worker_count_get(const wr_worker_count *c)
{
    if (wr_worker_count_is_fixed(c))
        return c->most;
    return c->is_one ? 1 : c->by_work;
}

wr_worker_count_reason wr_worker_count_why(const wr_worker_count *c)
{
    if (wr_worker_count_get(c) == c->most)
        return WR_WORKER_COUNT_ALL;
    if (!c->is_one || c->by_work <= 1)
        return WR_WORKER_COUNT_WORK;
    if (c->is_trial)
        return WR_WORKER_COUNT_TRIAL;
    return c->s_per_work[0] > 0.0 ? WR_WORKER_COUNT_SLOWER : WR_WORKER_COUNT_BEGIN;
}
