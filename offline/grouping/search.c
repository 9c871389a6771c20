/* The search. See search.h. Thread: one owner. Real-time: no. */
#include "offline/grouping/search.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/diag.h"
#include "offline/grouping/cuts.h"

/* Exponent of the work over the error, for comparing candidates: a method of order 3 (assumed) does work proportional to
 * tolerance^(-1/4). */
static const double ERROR_EXPONENT = 0.25;
/* Largest ratio of new to old cost with which the search accepts a move (assumed). */
static const double LEAST_GAIN = 0.997;
/* Numbers of METIS's seeds and of improved candidates, and largest number of rounds of moves or of tuning (assumed). */
enum { N_SEED = 3, N_BEST = WR_SEARCH_FINALISTS, MOST_ROUNDS = 12 };

typedef struct search {
    wr_verify *verify;
    const wr_search_options *o;
    wr_search_result *ret;
    /* [n_best] candidates by ascending cost, with different numbers of groups */
    wr_search_row best[N_BEST];
    int n_best, n_run_end;
} search;

double wr_search_cost(const wr_search_options *o, const wr_verify *v, const wr_verify_result *r)
{
    if (!r->is_right)
        return (double)INFINITY;
    double logs = 0.0;
    for (int i = 0; i < o->n_core; i++)
        for (int k = 0; k < WR_VERIFY_CORES; k++)
            if (v->core[k] == o->core[i])
                logs += log(r->work[k]) / o->n_core;
    return exp(logs) * pow(fmax(r->error / o->error, 1.0), ERROR_EXPONENT);
}

static void tell(const search *s, const char *what, const wr_search_row *row)
{
    char text[200];
    if (!s->o->progress)
        return;
    snprintf(text, sizeof text, "%s: %d groups, critical path %.4g, error %.2g (%d runs)", what,
             row->set.n_group, row->cost, row->result.error, s->verify->n_run);
    s->o->progress(s->o->user, text);
}

static wr_search_row try_set(search *s, const wr_grouping_set *set, const char *what)
{
    wr_search_row row = {.set = *set};
    snprintf(row.what, sizeof row.what, "%s", what);
    wr_verify_run(s->verify, set, &row.result);
    row.cost = wr_search_cost(s->o, s->verify, &row.result);
    return row;
}

static int has_time(const search *s) { return s->verify->n_run < s->n_run_end; }

/* ---- candidates ---- */

static void keep_best(search *s, const wr_search_row *row)
{
    if (!(row->cost < (double)INFINITY))
        return;
    int i = 0;
    while (i < s->n_best && s->best[i].set.n_group != row->set.n_group)
        i++;
    if (i < s->n_best && !(row->cost < s->best[i].cost))
        return;
    if (i == s->n_best && s->n_best < N_BEST)
        s->n_best++;
    else if (i == s->n_best && !(row->cost < s->best[--i].cost))
        return;
    for (; i > 0 && row->cost < s->best[i - 1].cost; i--)
        s->best[i] = s->best[i - 1];
    s->best[i] = *row;
}

static void note(search *s, const wr_search_row *row)
{
    wr_search_result *const r = s->ret;
    for (int i = 0; i < r->n_row; i++)
        if (strcmp(r->row[i].what, row->what) == 0) {
            if (row->cost < r->row[i].cost)
                r->row[i] = *row;
            return;
        }
    if (r->n_row < WR_SEARCH_ROWS)
        r->row[r->n_row++] = *row;
}

static void try_cuts(search *s, int k)
{
    static const char *const rules[WR_CUTS_RULES] = {"strengths", "signals", "both"};
    static const double uneven[] = {1.2, 2.0};
    const double rtol = s->verify->of.settings->simulation.rtol;
    wr_grouping_set seen[WR_CUTS_RULES * N_SEED * 2];
    int n_seen = 0;
    for (int rule = 0; rule < WR_CUTS_RULES; rule++)
        for (int u = 0; u < 2; u++)
            for (int seed = 0; seed < N_SEED && has_time(s); seed++) {
                wr_grouping_set set;
                char what[96];
                int is_new = wr_cuts_make(s->verify->of.parts, k, (wr_cuts_rule)rule, rtol,
                                          uneven[u], seed, &set) == 0;
                for (int i = 0; i < n_seen; i++)
                    is_new &= !wr_grouping_is_same(&seen[i], &set);
                if (!is_new)
                    continue;
                seen[n_seen++] = set;
                snprintf(what, sizeof what, "METIS, %d groups, by %s", k, rules[rule]);
                memset(set.level, 0, sizeof set.level);
                wr_search_row row = try_set(s, &set, what);
                keep_best(s, &row);
                note(s, &row);
                wr_grouping_set other = set;
                wr_grouping_order(s->verify->of.parts, &other);
                if (wr_grouping_is_same(&other, &set))
                    continue;
                row = try_set(s, &other, what);
                keep_best(s, &row);
                note(s, &row);
            }
}

/* Tries partitions by event locality, with the parts that have many events after the other parts, before them, and in one level. */
static void try_events(search *s, int k)
{
    const double rtol = s->verify->of.settings->simulation.rtol;
    for (int rule = 0; rule < WR_CUTS_RULES; rule++)
        for (int seed = 0; seed < N_SEED && has_time(s); seed++) {
            wr_grouping_set set;
            char what[96];
            int n_alone;
            if (wr_cuts_events(s->verify->of.parts, k, (wr_cuts_rule)rule, rtol, 1.5, seed, &set,
                               &n_alone) != 0)
                return;
            snprintf(what, sizeof what, "%d with many events, others in %d", n_alone, k - n_alone);
            /* order of the other parts: before, after, in one level */
            for (int way = 0; way < 3; way++) {
                const wr_search_row row = try_set(s, &set, what);
                keep_best(s, &row);
                note(s, &row);
                for (int g = 0; g < set.n_group; g++)
                    set.level[g] = (unsigned char)(way == 0 && !set.level[g]);
            }
            if (k - n_alone == 1)
                return;
        }
}

/* ---- moves ---- */

/* Accepts a new set if a run is left, its number of groups is permitted, and its cost is below LEAST_GAIN times the present cost.
 * Returns 1 then, else 0. */
static int take(search *s, wr_search_row *now, const wr_grouping_set *set)
{
    wr_grouping_set tidy = *set;
    wr_grouping_tidy(&tidy);
    if (!has_time(s) || tidy.n_group < 2 || tidy.n_group > (s->o->k > 0 ? s->o->k : s->o->most) ||
        (s->o->k > 0 && tidy.n_group != s->o->k) || wr_grouping_is_same(&tidy, &now->set))
        return 0;
    const wr_search_row row = try_set(s, &tidy, now->what);
    if (!(row.cost < LEAST_GAIN * now->cost))
        return 0;
    *now = row;
    return 1;
}

/* Returns the number of states of a part. */
static int states_of(const wr_parts *p, int i_part)
{
    int n = 0;
    for (int i = 0; i < p->n_component; i++)
        n += p->part[i] == i_part ? p->n_state[i] : 0;
    return n;
}

static int move_parts(search *s, wr_search_row *now)
{
    const wr_parts *const p = s->verify->of.parts;
    int has_moved = 0;
    for (int i = 0; i < p->n_part; i++) {
        unsigned char is_near[WR_GROUPING_GROUPS] = {0};
        for (int e = 0; e < p->n_edge; e++) {
            const int a = p->part[p->edge[e].from], b = p->part[p->edge[e].to];
            if (a == i || b == i)
                is_near[now->set.group[a == i ? b : a]] = 1;
        }
        for (int g = 0; g < now->set.n_group; g++) {
            wr_grouping_set set = now->set;
            if (!is_near[g] || set.group[i] == g)
                continue;
            set.group[i] = (unsigned char)g;
            if (take(s, now, &set)) {
                has_moved = 1;
                break;
            }
        }
        /* the search tries a group of this part alone, if the part has more than two states */
        if (now->set.n_group < WR_GROUPING_GROUPS && s->o->k == 0) {
            wr_grouping_set set = now->set;
            const int g = set.n_group++;
            set.level[g] = set.level[set.group[i]];
            set.tight[g] = set.tight[set.group[i]];
            set.solver[g] = set.solver[set.group[i]];
            set.group[i] = (unsigned char)g;
            if (p->n_part > 1 && states_of(p, i) > 2)
                has_moved |= take(s, now, &set);
        }
    }
    return has_moved;
}

static int move_levels(search *s, wr_search_row *now)
{
    int has_moved = 0;
    for (int g = 0; g < now->set.n_group; g++)
        for (int half = 0; half <= 2 * now->set.n_group; half++) {
            /* If half is odd, group g moves to level half / 2, else to a new level before level half / 2. */
            wr_grouping_set set = now->set;
            for (int k = 0; k < set.n_group; k++)
                set.level[k] = (unsigned char)(2 * set.level[k] + 1);
            set.level[g] = (unsigned char)half;
            if (half > 2 * now->set.n_group)
                break;
            has_moved |= take(s, now, &set);
        }
    return has_moved;
}

static int merge_groups(search *s, wr_search_row *now)
{
    for (int a = 0; a < now->set.n_group; a++)
        for (int b = a + 1; b < now->set.n_group; b++) {
            wr_grouping_set set = now->set;
            for (int i = 0; i < set.n_part; i++)
                if (set.group[i] == b)
                    set.group[i] = (unsigned char)a;
            if (take(s, now, &set))
                return 1;
        }
    return 0;
}

static void improve(search *s, wr_search_row *now)
{
    for (int round = 0; round < MOST_ROUNDS && has_time(s); round++) {
        int has_moved = move_levels(s, now);
        has_moved |= merge_groups(s, now);
        has_moved |= move_parts(s, now);
        tell(s, "improved", now);
        if (!has_moved)
            return;
    }
}

/* ---- tuning ---- */

static int turn(search *s, wr_search_row *now, float *at, wr_grouping_set *set, float factor)
{
    *at *= factor;
    return take(s, now, set);
}

/* Tries smaller and larger tolerances, limits of convergence and fixed windows, and all kinds of solvers. `step` is the ratio of two
 * tolerances. Returns 1 if the search accepts a change. */
static int tune_once(search *s, wr_search_row *now, float step)
{
    const float factors[] = {1.0F / step, step};
    int has_moved = 0;
    for (int f = 0; f < 2; f++) {
        wr_grouping_set set = now->set;
        has_moved |= turn(s, now, &set.tolerance, &set, factors[f]);
        set = now->set;
        has_moved |= turn(s, now, &set.convergence, &set, factors[f] * factors[f]);
        if (strcmp(s->verify->of.settings->relaxation.window_control, "fixed") == 0) {
            set = now->set;
            has_moved |= turn(s, now, &set.window, &set, f == 0 ? 0.5F : 2.0F);
        }
    }
    for (int g = 0; g < now->set.n_group; g++) {
        for (int f = 0; f < 2; f++) {
            wr_grouping_set set = now->set;
            has_moved |= turn(s, now, &set.tight[g], &set, factors[f]);
        }
        for (int k = 0; wr_grouping_solvers[k]; k++) {
            wr_grouping_set set = now->set;
            set.solver[g] = (unsigned char)k;
            has_moved |= take(s, now, &set);
        }
    }
    return has_moved;
}

static void tune(search *s, wr_search_row *now, int n_run)
{
    static const float steps[] = {1.4F, 1.18F, 2.0F};
    const int end = s->n_run_end;
    s->n_run_end = s->verify->n_run + n_run;
    for (int round = 0; round < MOST_ROUNDS && has_time(s); round++) {
        int has_moved = 0;
        for (int k = 0; k < 3; k++)
            has_moved |= tune_once(s, now, steps[k]);
        if (!has_moved)
            break;
    }
    s->n_run_end = end;
    for (int i = 0; i < 12 && now->result.error > s->o->error; i++) {
        wr_grouping_set set = now->set;
        set.tolerance *= 0.8F;
        if (i % 2)
            set.convergence *= 0.7F;
        const wr_search_row row = try_set(s, &set, now->what);
        if (row.cost < (double)INFINITY)
            *now = row;
    }
    tell(s, "tuned", now);
}

/* ---- search ---- */

wrsim_status wr_search_run(wr_verify *verify, const wr_search_options *options, int has_given,
                           wr_search_result *ret, wrsim_error *err)
{
    search s = {.verify = verify, .o = options, .ret = ret};
    const int n_part = verify->of.parts->n_part, share = options->n_run / 8;
    *ret = (wr_search_result){.best.cost = (double)INFINITY, .given.cost = (double)INFINITY};
    s.n_run_end = verify->n_run + 3 * share;
    const int least = options->k > 0 ? options->k : 2,
              most = options->k > 0 ? options->k : options->most;
    for (int k = least; k <= most && k <= n_part; k++)
        try_events(&s, k);
    for (int k = least; k <= most && k <= n_part; k++)
        try_cuts(&s, k);
    wr_search_row given = {.cost = (double)INFINITY}, at_once = given;
    if (has_given) {
        wr_grouping_set set;
        WR_TRY(wr_grouping_given(&verify->of, &set, err));
        given = try_set(&s, &set, "as in the config");
        memset(set.level, 0, sizeof set.level);
        at_once = try_set(&s, &set, "as in the config, in one level");
    }
    if (s.n_best == 0 && ret->n_row == 0)
        return wr_error_set(err, WRSIM_E_SOLVER,
                            "the search has tested no grouping; raise --runs, or use one solver "
                            "for all components (--monolithic)");
    if (s.n_best == 0)
        return wr_error_set(err, WRSIM_E_SOLVER,
                            "all tested groupings fail (%s); use one solver for all components "
                            "(--monolithic)",
                            ret->row[ret->n_row - 1].result.why);
    for (int i = 0; i < s.n_best; i++) {
        s.n_run_end = verify->n_run + share / 2;
        improve(&s, &s.best[i]);
        tune(&s, &s.best[i], share);
        /* the second improvement starts from tuned settings */
        s.n_run_end = verify->n_run + share / 2;
        improve(&s, &s.best[i]);
        tune(&s, &s.best[i], share / 2);
        ret->finalist[ret->n_finalist++] = s.best[i];
        if (s.best[i].cost < ret->best.cost)
            ret->best = s.best[i];
    }
    if (has_given) {
        tune(&s, &given, 3 * share);
        ret->given = given;
        tune(&s, &at_once, 3 * share);
        ret->given_at_once = at_once;
    }
    unsigned long long state = 88172645463325252ULL;
    ret->random.cost = (double)INFINITY;
    for (int draw = 0; ret->n_random < options->n_random && draw < 50 * options->n_random; draw++) {
        wr_grouping_set set;
        const int k = options->k > 0 ? options->k : 2 + wr_cuts_draw(&state, options->most - 1);
        if (wr_cuts_random(verify->of.parts, k, 1.5, &state, &set) != 0)
            continue;
        const wr_search_row row = try_set(&s, &set, "random, balanced");
        ret->n_random++;
        if (row.cost < ret->random.cost)
            ret->random = row;
    }
    if (ret->random.cost < (double)INFINITY)
        tune(&s, &ret->random, 3 * share);
    ret->n_run = verify->n_run;
    return WRSIM_OK;
}
