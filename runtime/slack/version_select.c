/* Selects the version of each source that a period reads. See version_select.h.
 *
 * Thread: the worker that has claimed the task. Real-time: yes.
 */
#include "runtime/slack/version_select.h"
#include "runtime/slack/period_length.h"

/* Times that differ by less than this share of a period (assumed) are equal up to rounding. */
static const double CLOSE = 1e-9;

/* Returns the end of a version, s; version 0 ends at the start of the run. */
static double end_of(const wr_slack_plan *plan, const wr_version_source *source, int64_t version)
{
    return version > 0 ? wr_version_of(source, version)->end_s : plan->options.start_s;
}

/* Returns the last final version up to `newest` that ends by t_s, but no version older than source->floor. Versions of earlier sweeps are
 * for readers in the same period. */
static int64_t last_by(const wr_slack_plan *plan, const wr_version_source *source, int64_t newest,
                       double t_s)
{
    const double by_s = t_s + CLOSE * plan->options.slack.period_s;
    for (int64_t v = newest; v > source->floor; v--) {
        const wr_version *const version = wr_version_of(source, v);
        if (version->is_final && version->end_s <= by_s)
            return v;
    }
    return newest > source->floor ? source->floor : newest;
}

/* Returns the splitmix64 hash (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014) of z. z identifies the
 * read, so a draw does not depend on earlier draws. */
static uint64_t mixed(uint64_t z)
{
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Selects the last version that ends by t_s. Returns 1 if the version ends at least_s or later, or if the next version ends after t_s. If
 * the version is not final, selects nothing and returns 0. */
static int pick_by(const wr_slack_plan *plan, wr_version_source *source, double t_s, double least_s)
{
    const int64_t newest = wr_wave_store_written(source->producer->store);
    const int64_t v = last_by(plan, source, newest, t_s);
    if (v > 0 && !wr_version_of(source, v)->is_final)
        return 0;
    source->version = v;
    const double close_s = CLOSE * plan->options.slack.period_s;
    const double next_s = v > 0 ? wr_version_of(source, v)->next_s
                                : wr_period_length_grid(plan, source->producer->first_span);
    return end_of(plan, source, v) >= least_s - close_s || next_s > t_s + close_s;
}

/* Selects the last version that ends a fixed or drawn number of periods before the period's start, or earlier. The number is 0 if the task
 * awaits the source. If no version is that old, selects version 0. Returns 1, or 0 if the version is not published. */
static int pick_delayed(const wr_slack_plan *plan, const wr_period_task *part, int j)
{
    const wr_slack_options *const o = &plan->options;
    wr_version_source *const source = &part->source[j];
    int64_t delay = source->is_awaited ? 0 : o->slack.delay;
    if (delay > 0 && o->slack.delays == WR_DELAYS_DRAWN) {
        const uint64_t place =
            mixed(mixed((uint64_t)o->slack.seed ^ (uint64_t)part->i) ^ (uint64_t)j);
        delay = (int64_t)(mixed(place ^ (uint64_t)part->n_tick) % (uint64_t)(o->slack.delay + 1));
    }
    const int64_t n = part->n_tick - delay * part->span;
    const double t_s = n > 0 ? wr_period_length_grid(plan, n) : o->start_s;
    return pick_by(plan, source, t_s, t_s);
}

/* Selects the version of a played source whose period contains the reader's period. The reader's period is at most as long. Returns 1, or 0
 * if the version is not published. */
static int pick_played(const wr_period_task *part, wr_version_source *source)
{
    const int64_t first = source->floor > 1 ? source->floor : 1;
    int64_t v = wr_wave_store_written(source->producer->store) + 1;
    const int64_t end = v;
    while (v > first && wr_version_of(source, v - 1)->end_s >= part->end_s)
        v--;
    source->version = v;
    return v < end;
}

/* Selects the wave of the same period from the previous sweep. Returns 1, or 0 if the wave is not published. */
static int pick_present(const wr_period_task *part, wr_version_source *source)
{
    const int sweep = part->sweep - 1;
    const int64_t first = source->floor > 1 ? source->floor : 1;
    for (int64_t v = wr_wave_store_written(source->producer->store); v >= first; v--) {
        const wr_version *const version = wr_version_of(source, v);
        if (version->end_s < part->end_s)
            return 0;
        if (version->end_s > part->end_s || version->sweep > sweep)
            continue;
        source->version = v;
        /* A producer with fewer sweeps publishes no later version. */
        return version->sweep == sweep || version->is_final;
    }
    return 0;
}

static int pick_one(const wr_slack_plan *plan, wr_period_task *part, int j)
{
    const wr_slack_options *const o = &plan->options;
    wr_version_source *const source = &part->source[j];
    if (source->is_played)
        return pick_played(part, source);
    if (part->sweep > 0)
        return pick_present(part, source);
    switch (o->slack.delays) {
    case WR_DELAYS_FIXED:
    case WR_DELAYS_DRAWN:
        return pick_delayed(plan, part, j);
    case WR_DELAYS_REPLAYED:
        source->version = part->version[j];
        return wr_wave_store_written(source->producer->store) >= source->version;
    case WR_DELAYS_LIVE:
        break;
    }
    const double bound_s = (double)o->slack.bound * ((double)part->span * plan->tick_s);
    return pick_by(plan, source, part->t_s,
                   source->is_awaited   ? part->t_s
                   : o->slack.bound < 0 ? o->start_s
                                        : part->t_s - bound_s);
}

/* Returns the first version of a source that the oldest unsettled period needs, or INT64_MAX. */
static int64_t first_unwatched(const wr_slack_plan *plan, const wr_period_task *part,
                               const wr_version_source *source)
{
    double start_s, end_s;
    const int is_read = source < part->source + part->n_source;
    const int is_shown = source->is_played && !(part->delay && wr_delay_error_shadow(part->delay));
    if (is_shown || !is_read || !wr_delay_error_oldest(part->delay, &start_s, &end_s))
        return INT64_MAX;
    /* The newest published version counts, not `known`: a task ahead of all versions must not block the producer. */
    return last_by(plan, source, wr_wave_store_written(source->producer->store), start_s);
}

/* Releases versions below `version`, except versions that an unsettled period needs for the comparison with its stale inputs. */
static void release_below(const wr_slack_plan *plan, const wr_period_task *part,
                          wr_version_source *source, int64_t version)
{
    const int64_t unwatched = part->delay ? first_unwatched(plan, part, source) : version;
    if (unwatched < version)
        version = unwatched;
    if (version <= source->floor)
        return;
    source->floor = version;
    if (source->known < version) /* no watched period needs older versions */
        source->known = version;
    wr_wave_store_release(source->producer->store, source->i_reader, version - 1);
}

/* Writes the logged versions of the period that begins at t_s to `version`. Returns 0. Returns -1 if the log has no such period, if the
 * reader has released a version, or if a version exceeds `most`. `most` is the number of the task's own versions, plus its ticks with
 * shorter periods of connections. */
static int look_up(const wr_slack_plan *plan, wr_period_task *part)
{
    const wr_slack_log *const log = plan->log;
    if (!part->has_log && log->next(log->context, part->i, part->t_s, part->version) != 0)
        return -1;
    const int64_t most =
        wr_wave_store_written(part->out.store) + (plan->n_tick > 1 ? part->n_tick : 0);
    for (int j = 0; j < part->n_pick; j++)
        if (!part->source[j].is_played &&
            (part->version[j] < part->source[j].floor || part->version[j] > most))
            return -1;
    part->has_log = 1;
    return 0;
}

static wrsim_status refuse_log(wr_period_task *part)
{
    part->subsystem->fault = (wr_fault){
        .status = WRSIM_E_ARG,
        .t_s = part->t_s,
        .i_component = -1,
        .i_variable = -1,
        .message = "the log of versions has no entry for this period, because the log "
                   "ends here or belongs to another run. Replay a log of the same run, or "
                   "lower simulation.stop"};
    return WRSIM_E_ARG;
}

void wr_version_select_let_go(const wr_slack_plan *plan, wr_period_task *part)
{
    const int delays = plan->options.slack.delays;
    if (delays == WR_DELAYS_REPLAYED && part->n_pick > 0)
        (void)look_up(plan, part); /* the log may end at this period */
    for (int j = 0; j < part->n_pick; j++) {
        wr_version_source *const source = &part->source[j];
        if (delays != WR_DELAYS_LIVE && delays != WR_DELAYS_REPLAYED && !source->is_played)
            continue;
        const int64_t n_written = wr_wave_store_written(source->producer->store);
        const int64_t newest = last_by(plan, source, n_written, part->t_s);
        /* A producer that is far behind needs free slots in its store, so the task drops watched periods that wait for older versions. When
         * all tasks have met, the dropped periods depend only on the selected versions. */
        while (part->delay &&
               first_unwatched(plan, part, source) < n_written + 2 - source->producer->room)
            wr_delay_error_lose(part->delay);
        int64_t kept = newest;
        /* A replay may read versions far in the past. Producers do not wait for these versions, so the capacity of the store limits their
         * number. */
        if (delays == WR_DELAYS_REPLAYED && !source->is_played) {
            const int64_t oldest = newest + 2 - source->producer->cap;
            const int64_t next = part->has_log ? part->version[j] : newest;
            kept = next < oldest ? oldest : next < newest ? next : newest;
        }
        release_below(plan, part, source, kept);
    }
}

int wr_version_select(const wr_slack_plan *plan, wr_period_task *part, int *ret_played)
{
    *ret_played = -1;
    const int is_replayed = plan->options.slack.delays == WR_DELAYS_REPLAYED && part->sweep == 0;
    if (is_replayed && part->n_pick > 0 && look_up(plan, part) != 0)
        return refuse_log(part);
    for (int j = 0; j < part->n_pick && is_replayed; j++) /* producers may wait for free slots */
        if (!part->source[j].is_played)
            release_below(plan, part, &part->source[j], part->version[j]);
    for (int j = 0; j < part->n_pick; j++) {
        wr_version_source *const source = &part->source[j];
        if (pick_one(plan, part, j))
            continue;
        if (source->is_played)
            *ret_played = j;
        return 0;
    }
    const double most_s = part->t_s + CLOSE * plan->options.slack.period_s;
    for (int j = 0; j < part->n_pick && is_replayed; j++)
        if (!part->source[j].is_played &&
            end_of(plan, &part->source[j], part->source[j].version) > most_s)
            return refuse_log(part); /* the version ends after the period's start */
    for (int j = 0; j < part->n_pick && part->sweep == 0; j++)
        if (part->source[j].version > part->source[j].known)
            part->source[j].known = part->source[j].version;
    /* The loop releases versions that no later period can read. A later period may draw a longer delay. */
    const wr_slack_options *const o = &plan->options;
    for (int j = 0; j < part->n_pick; j++) {
        wr_version_source *const source = &part->source[j];
        int64_t v = source->version;
        if (o->slack.delays == WR_DELAYS_DRAWN && !source->is_played)
            v = last_by(
                plan, source, v,
                wr_period_length_grid(plan, part->n_tick - o->slack.delay * (int64_t)part->span));
        release_below(plan, part, source, v);
    }
    return 1;
}
