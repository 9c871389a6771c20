/* Warns of keys without effect, of overrides that subsystems do not follow, and of a coarse resolution of time. A config may have the
 * keys of relaxed and of slackened runs, so that a user can run the config in either scheme. Such keys are no error.
 *
 * Thread: one owner. Real-time: no (setup). */
#include "runtime/config/settings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "runtime/config/settings_work.h"

/* Condition under which a key has an effect. */
typedef enum reason {
    RELAXED,
    LEVELLED,
    SLACKENED,
    LIVE,
    DELAYED,
    DRAWN,
    LIMITED_LOC,
    LIMITED_GLO,
    SHORTENING,
    REPEATING,
    BOUNDED,
    TIMED,
    PACED,
    JUDGED,
    HOLDING,
    DEGRADING,
    DEGRADED,
    CHOOSING,
    REASON_COUNT
} reason;

static const char *const texts[REASON_COUNT] = {
    [RELAXED] = "set relaxation.scheme to auto, jacobi or gauss_seidel",
    [LEVELLED] = "set relaxation.scheme = \"gauss_seidel\"",
    [SLACKENED] = "set relaxation.scheme = \"slack\"",
    [LIVE] = "set slack.delays = \"live\" and slack.sweeps = 1",
    [DELAYED] = "set slack.delays = \"fixed\" or \"drawn\"",
    [DRAWN] = "set slack.delays = \"drawn\"",
    [LIMITED_LOC] = "set the limit slack.eps_loc",
    [LIMITED_GLO] = "set the limit slack.eps_glo",
    [SHORTENING] = "set slack.on_loc = \"shorten\" and slack.eps_loc",
    [REPEATING] = "set relaxation.history.period",
    [BOUNDED] = "set solver.spare_steps or solver.budget",
    [TIMED] = "set realtime.rate, .priority, .lock_memory or .jitter",
    [PACED] = "set realtime.rate",
    [JUDGED] = "set realtime.soft = false",
    [HOLDING] = "add an output port, whose value the run can hold",
    [DEGRADING] = "choose a solver with a tolerance, or several sweeps",
    [DEGRADED] = "set realtime.policy = \"degrade\"",
    [CHOOSING] = "set relaxation.scheme = \"auto\"",
};

static const struct {
    const char *path;
    reason needs;
} keys[] = {
    {"relaxation.scheme_workers", CHOOSING},
    {"relaxation.window.initial", RELAXED},
    {"relaxation.window.min", RELAXED},
    {"relaxation.window.max", RELAXED},
    {"relaxation.window.control", RELAXED},
    {"relaxation.max_sweeps", RELAXED},
    {"relaxation.convergence", RELAXED},
    {"relaxation.tuned_rtol", RELAXED},
    {"relaxation.max_work", RELAXED},
    {"relaxation.on_failure", RELAXED},
    {"relaxation.tolerance_first", RELAXED},
    {"relaxation.active_set", RELAXED},
    {"relaxation.ahead", LEVELLED},
    {"relaxation.acceleration", RELAXED},
    {"slack.period", SLACKENED},
    {"slack.shortest_period", SLACKENED},
    {"slack.bound", SLACKENED},
    {"slack.sweeps", SLACKENED},
    {"slack.delays", SLACKENED},
    {"slack.delay", SLACKENED},
    {"slack.seed", SLACKENED},
    {"slack.on_loc", SLACKENED},
    {"slack.on_glo", SLACKENED},
    {"slack.bound", LIVE},
    {"slack.delay", DELAYED},
    {"slack.seed", DRAWN},
    {"slack.on_loc", LIMITED_LOC},
    {"slack.on_glo", LIMITED_GLO},
    {"slack.shortest_period", SHORTENING},
    {"relaxation.history.phase", REPEATING},
    {"relaxation.history.max_nodes", REPEATING},
    {"solver.over_budget", BOUNDED},
    {"realtime.deadline", TIMED},
    {"realtime.misses", TIMED},
    {"realtime.of", TIMED},
    {"realtime.policy", TIMED},
    {"realtime.degraded_tolerance", TIMED},
    {"realtime.soft", TIMED},
    {"realtime.strict", TIMED},
    {"realtime.catch_up", PACED},
    {"realtime.wait", PACED},
    {"realtime.policy", JUDGED},
    {"realtime.degraded_tolerance", JUDGED},
    {"realtime.policy", HOLDING},
    {"realtime.policy", DEGRADING},
    {"realtime.degraded_tolerance", DEGRADED},
};
enum { N_KEY = sizeof keys / sizeof *keys };

/* Returns 1 if [solver] sets spare_steps or budget, or if one of these keys bounds the work of a subsystem. */
static int is_bounded(const wr_settings *set)
{
    int is = wr_settings_is_given(set, "solver.spare_steps") ||
             wr_settings_is_given(set, "solver.budget");
    for (int i = 0; i < set->n_subsystems; i++)
        is |= set->subsystems[i].solver.spare_steps >= 0 || set->subsystems[i].solver.budget > 0;
    return is;
}

static void warn_of(const wr_settings *set, reason why, wr_diag *warnings)
{
    char text[512];
    wr_where where = {0};
    size_t n = 0;
    int n_key = 0;
    for (int i = 0; i < N_KEY; i++) {
        if (keys[i].needs != why || !wr_settings_is_given(set, keys[i].path))
            continue;
        if (n_key++ == 0)
            where = wr_settings_place(set, keys[i].path);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", n ? ", " : "", keys[i].path);
        WR_ASSERT(n < sizeof text); /* the keys of any reason fit */
    }
    if (n > 0)
        wr_diag_add(warnings, WRSIM_OK, &where, "%s %s no effect; %s, or remove the key%s", text,
                    n_key == 1 ? "has" : "have", texts[why], n_key == 1 ? "" : "s");
}

/* DISTINCT: times closer than about this multiple of the resolution of time count as equal (wr_time_close()). EXACT_ENOUGH: resolution of
 * event times that needs no warning, as a share of the run (assumed). */
static const double DISTINCT = 8.0, EXACT_ENOUGH = 1e-9;

static void warn_of_clock(const wr_settings *set, wr_diag *warnings)
{
    const wr_set_simulation *const s = &set->simulation;
    const double least_s = DISTINCT * wr_settings_clock(set);
    if (least_s <= wr_max(s->event_tolerance_s, EXACT_ENOUGH * (s->stop_s - s->start_s)))
        return;
    char wanted[64] = "simulation.rtol";
    if (s->event_tolerance_s > 0.0)
        snprintf(wanted, sizeof wanted, "simulation.event_tolerance (%.2g s)",
                 s->event_tolerance_s);
    const wr_where where = wr_settings_place(set, "simulation.start");
    wr_diag_add(warnings, WRSIM_OK, &where,
                "at t = %.10g s times closer than %.2g s are equal, so events are located less "
                "exactly than %s requires. Move simulation.start nearer to 0",
                wr_max(fabs(s->start_s), fabs(s->stop_s)), least_s, wanted);
}

/* Returns 1 if an override sets the value at this place (settings_overrides.c). */
static int is_override(const wr_where *where)
{
    return where->file && strncmp(where->file, "-D ", 3) == 0;
}

/* Warns of each override of [solver] that some subsystems do not follow, because they set the same key themselves. */
static void warn_of_own_solvers(const wr_settings *set, wr_diag *warnings)
{
    const wr_toml *const common = wr_settings_member(set->root, "solver");
    const wr_toml *const list = wr_settings_member(set->root, "subsystem");
    const int is_list = list && list->kind == WR_TOML_ARRAY;
    for (const wr_toml *key = common && common->kind == WR_TOML_TABLE ? common->first : NULL; key;
         key = key->next) {
        const wr_toml *first = NULL;
        int n_own = 0;
        if (!is_override(&key->where))
            continue;
        for (const wr_toml *item = is_list ? list->first : NULL; item; item = item->next) {
            const wr_toml *const own =
                wr_settings_member(wr_settings_member(item, "solver"), key->key);
            if (!own || is_override(&own->where))
                continue;
            if (n_own++ == 0)
                first = wr_settings_member(item, "name");
        }
        if (n_own == 0)
            continue;
        char readers[128];
        if (n_own == 1)
            snprintf(readers, sizeof readers, "subsystem '%.60s' has", first ? first->string : "");
        else
            snprintf(readers, sizeof readers, "%d subsystems, such as '%.60s', have", n_own,
                     first ? first->string : "");
        wr_diag_add(warnings, WRSIM_OK, &key->where,
                    "%s a solver.%s of %s own; -D '*.solver.%s=VALUE' sets all", readers, key->key,
                    n_own == 1 ? "its" : "their", key->key);
    }
}

/* Warns of each override of a subsystem's solver that a run with one solver ignores. An override of all solvers also sets [solver]. */
static void warn_of_lost_solvers(const wr_settings *set, wr_diag *warnings)
{
    const wr_toml *const common = wr_settings_member(set->root, "solver");
    const wr_toml *const list = wr_settings_member(set->root, "subsystem");
    const int is_list = list && list->kind == WR_TOML_ARRAY;
    for (const wr_toml *item = is_list ? list->first : NULL; item; item = item->next) {
        const wr_toml *const own = wr_settings_member(item, "solver");
        for (const wr_toml *key = own && own->kind == WR_TOML_TABLE ? own->first : NULL; key;
             key = key->next) {
            const wr_toml *const all = wr_settings_member(common, key->key);
            if (is_override(&key->where) && !(all && is_override(&all->where)))
                wr_diag_add(
                    warnings, WRSIM_OK, &key->where,
                    "subsystem.NAME.solver.%s has no effect on a run with one solver; write -D "
                    "solver.%s=VALUE",
                    key->key, key->key);
        }
    }
}

void wr_unused_keys_warn(const wr_settings *set, int has_tolerance, int has_events,
                         wr_diag *warnings)
{
    const wr_set_slack *const k = &set->slack;
    const wr_set_realtime *const r = &set->realtime;
    const int is_slack = set->relaxation.scheme == WR_SCHEME_SLACK;
    const int is_timed = wr_settings_is_realtime(set), is_judged = is_timed && !r->soft;
    /* 1: a subsystem may integrate a period more than once */
    const int has_sweeps = k->sweeps > 1 || (k->eps_loc > 0.0 && k->on_loc == WR_ACTION_RELAX) ||
                           (k->eps_glo > 0.0 && k->on_glo == WR_ACTION_RELAX);
    const int is_unmet[REASON_COUNT] = {
        [RELAXED] = !wr_settings_relaxes(set),
        [LEVELLED] = set->relaxation.scheme != WR_SCHEME_GAUSS_SEIDEL,
        [SLACKENED] = !is_slack,
        [LIVE] = is_slack && (k->delays != WR_DELAYS_LIVE || k->sweeps > 1),
        [DELAYED] = is_slack && k->delays == WR_DELAYS_LIVE,
        [DRAWN] = is_slack && k->delays != WR_DELAYS_DRAWN,
        [LIMITED_LOC] = is_slack && !(k->eps_loc > 0.0),
        [LIMITED_GLO] = is_slack && !(k->eps_glo > 0.0),
        [SHORTENING] = is_slack && !wr_settings_is_shortening(set),
        [REPEATING] = !wr_settings_is_given(set, "relaxation.history.period"),
        [BOUNDED] = !is_bounded(set),
        [TIMED] = !is_timed,
        [PACED] = !(r->rate > 0.0),
        [JUDGED] = is_timed && r->soft,
        [HOLDING] = is_judged && r->policy == WR_POLICY_HOLD && set->n_ports == 0,
        [DEGRADING] = is_judged && r->policy == WR_POLICY_DEGRADE && !has_tolerance && !has_sweeps,
        [DEGRADED] = is_judged && r->policy != WR_POLICY_DEGRADE,
        [CHOOSING] = set->relaxation.scheme != WR_SCHEME_AUTO};
    if (has_events)
        warn_of_clock(set, warnings);
    if (set->simulation.monolithic == WR_GROUPING_SPLIT)
        warn_of_own_solvers(set, warnings);
    if (set->simulation.monolithic == WR_GROUPING_MONOLITHIC)
        warn_of_lost_solvers(set, warnings);
    for (int why = 0; why < REASON_COUNT; why++)
        if (is_unmet[why])
            warn_of(set, (reason)why, warnings);
    for (int i = 0; i < set->n_subsystems && !wr_settings_may_have_levels(set); i++)
        if (set->subsystems[i].level >= 0) {
            wr_diag_add(warnings, WRSIM_OK, &set->subsystems[i].where_level,
                        "the levels of [[subsystem]] have no effect; set relaxation.scheme to auto "
                        "or gauss_seidel, or remove the levels");
            break;
        }
    for (int i = 0; i < set->n_connections && !is_slack; i++)
        if (set->connections[i].period_s > 0.0) {
            wr_diag_add(warnings, WRSIM_OK, &set->connections[i].where_period,
                        "the periods of [[connection]] have no effect; set relaxation.scheme = "
                        "\"slack\", or remove the periods");
            break;
        }
}
