/* Chooses the solver of each subsystem. See solver_choice.h. The check refuses a multistep formula that does not
 * converge, because its results are wrong at any step (subsystems/solvers/lms.h).
 *
 * Thread: one owner. Real-time: no (setup). */
#include "runtime/sim/solver_choice.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/names.h"
#include "runtime/relax/window.h"
#include "runtime/sim/lookup.h"

/* ---- formula of a multistep method ---- */

static int takes_formula(const wr_set_solver *set) { return strcmp(set->kind, "multistep") == 0; }

static wr_lms formula_of(const wr_set_solver *set)
{
    wr_lms formula = {.n_step = set->n_alpha - 1};
    for (int j = 0; j < set->n_alpha && j <= WR_LMS_STEPS; j++)
        formula.alpha[j] = set->alpha[j];
    for (int j = 0; j < set->n_beta && j <= WR_LMS_STEPS; j++)
        formula.beta[j] = set->beta[j];
    return formula;
}

static void check_convergence(const wr_lms *formula, const char *prefix, const wr_where *where,
                              wr_diag *diag)
{
    wr_lms_facts facts;
    const wrsim_status status = wr_lms_examine(formula, &facts);
    if (status != WRSIM_OK) {
        wr_diag_add(diag, status, where,
                    "%sthe iteration for the roots of solver.alpha fails; change solver.alpha",
                    prefix);
        return;
    }
    if (facts.order == 0)
        wr_diag_add(
            diag, WRSIM_E_CONFIG, where,
            "%sthe formula of solver.alpha and solver.beta is not consistent. With alpha_0 = 1, "
            "sum alpha_j = %.3g and sum (-j alpha_j - beta_j) = %.3g must be 0; give all digits, "
            "or choose another formula",
            prefix, facts.sum_alpha, facts.sum_rho);
    for (int i = 0; i < facts.n_root && !facts.is_zero_stable; i++) {
        if (facts.place[i] != WR_LMS_OUTSIDE && facts.place[i] != WR_LMS_MULTIPLE)
            continue;
        char text[64];
        const int is_real = fabs(cimag(facts.root[i])) <= 1e-6 * cabs(facts.root[i]);
        if (is_real)
            snprintf(text, sizeof text, "%.6g", creal(facts.root[i]));
        else
            snprintf(text, sizeof text, "%.6g %+.6g i", creal(facts.root[i]), cimag(facts.root[i]));
        wr_diag_add(diag, WRSIM_E_CONFIG, where,
                    "%sthe formula of solver.alpha and solver.beta is not zero-stable: the root %s "
                    "of sum alpha_j z^(k-j) %s; choose another formula",
                    prefix, text,
                    facts.place[i] == WR_LMS_OUTSIDE ? "lies outside of the unit circle"
                                                     : "is a multiple root on the unit circle");
        return;
    }
}

static int has_refused(int n, const double *number)
{
    for (int j = 0; j < n; j++)
        if (isnan(number[j]))
            return 1;
    return 0;
}

static void check_formula(const wr_set_solver *set, const char *prefix, const wr_where *where,
                          wr_diag *diag)
{
    if (has_refused(set->n_alpha, set->alpha) || has_refused(set->n_beta, set->beta))
        return;
    if (set->n_alpha == 0 || set->n_beta == 0) {
        wr_diag_add(diag, WRSIM_E_CONFIG, where,
                    "%ssolver 'multistep' has no formula; give solver.alpha and solver.beta, such "
                    "as [3, -4, 1] and [2] of bdf2",
                    prefix);
        return;
    }
    if (set->n_alpha > WR_LMS_STEPS + 1 || set->n_beta > set->n_alpha) {
        wr_diag_add(
            diag, WRSIM_E_CONFIG, where,
            "%ssolver.alpha has %d numbers and solver.beta %d; give at most %d each, and no "
            "more in solver.beta than in solver.alpha",
            prefix, set->n_alpha, set->n_beta, WR_LMS_STEPS + 1);
        return;
    }
    const wr_lms formula = formula_of(set);
    const char *const flaw = wr_lms_flaw(&formula);
    if (flaw)
        wr_diag_add(diag, WRSIM_E_CONFIG, where,
                    "%ssolver.alpha and solver.beta do not define a multistep formula: %s; choose "
                    "other coefficients",
                    prefix, flaw);
    else
        check_convergence(&formula, prefix, where, diag);
}

/* ---- solvers ---- */

/* The loosest relative tolerances (docs/lab/2026-11-26-loose-tolerances.md). LOOSEST is for one solver, because at 1e-3 random models have
 * errors of up to 0.28 of their range. LOOSEST_RELAXED is for several subsystems, which amplify errors of one another. Several subsystems
 * keep a tolerance of the config up to LOOSEST_GIVEN, which also limits solver.rtol. Above LOOSEST_GIVEN no error estimate holds. */
static const double LOOSEST = 3.2e-4, LOOSEST_RELAXED = 2e-4, LOOSEST_GIVEN = 1e-3;

/* Checks a solver. prefix: "subsystem 'x': ", or "" for [solver]. The reader of the config has refused an empty kind and a step that is not
 * a number. */
static void check_solver(const wr_set_solver *set, const char *prefix, const wr_where *where,
                         wr_diag *diag)
{
    const wr_integrator_ops *const integrator = wr_integrator_find(set->kind);
    if (!integrator && set->kind[0]) {
        const char *names[64];
        int n = 0;
        for (; wr_integrators[n] && n < 64; n++)
            names[n] = wr_integrators[n]->name;
        char hint[WR_NAMES_HINT_BYTES];
        wr_diag_add(diag, WRSIM_E_CONFIG, where, "unknown solver '%s'; %s", set->kind,
                    wr_names_hint(set->kind, names, n, hint));
    }
    if (integrator && (integrator->flags & WR_INTEG_FIXED_STEP) && set->step_s <= 0.0)
        wr_diag_add(diag, WRSIM_E_CONFIG, where,
                    "%ssolver '%s' has a fixed step; set solver.step to a time above 0 s", prefix,
                    set->kind);
    if (integrator && takes_formula(set))
        check_formula(set, prefix, where, diag);
}

/* Refuses a bound that the method does not have. */
static void check_bound(const wr_set_solver *set, const char *prefix, const wr_where *where,
                        wr_diag *diag)
{
    const wr_integrator_ops *const integrator = wr_integrator_find(set->kind);
    const int is_fixed = integrator && (integrator->flags & WR_INTEG_FIXED_STEP) != 0;
    if (integrator && !is_fixed && set->spare_steps >= 0)
        wr_diag_add(diag, WRSIM_E_CONFIG, where,
                    "%s'solver.spare_steps' is for methods of fixed steps, but '%s' controls its "
                    "steps; %s solver.spare_steps = -1",
                    prefix, set->kind,
                    integrator->limit ? "give solver.budget, and set"
                                      : "choose another solver, such as heun, or set");
    if (is_fixed && set->budget > 0)
        wr_diag_add(diag, WRSIM_E_CONFIG, where,
                    "%s'solver.budget' is for methods with error control, but '%s' has a fixed "
                    "step; give solver.spare_steps, and set solver.budget = 0",
                    prefix, set->kind);
    else if (integrator && set->budget > 0 && !integrator->limit)
        wr_diag_add(diag, WRSIM_E_CONFIG, where,
                    "%s'solver.budget' cannot bound '%s', because its steps iterate until they "
                    "converge; choose another solver, such as rk43 or "
                    "rosenbrock, or set solver.budget = 0",
                    prefix, set->kind);
}

/* Returns 1 if a solver has several orders, or is unknown. */
static int has_orders(const char *kind)
{
    const wr_integrator_ops *const integrator = wr_integrator_find(kind);
    return !integrator || (integrator->flags & WR_INTEG_ORDERS);
}

/* Writes "a, b and c", the solvers with several orders. Returns ret_text. */
static const char *list_with_orders(char ret_text[WR_NAMES_HINT_BYTES])
{
    const char *last = NULL;
    size_t n = 0;
    ret_text[0] = '\0';
    for (const wr_integrator_ops *const *ops = wr_integrators; *ops; ops++) {
        if (!((*ops)->flags & WR_INTEG_ORDERS))
            continue;
        if (last && n < WR_NAMES_HINT_BYTES)
            n += (size_t)snprintf(ret_text + n, WR_NAMES_HINT_BYTES - n, "%s%s", n > 0 ? ", " : "",
                                  last);
        last = (*ops)->name;
    }
    if (last && n < WR_NAMES_HINT_BYTES)
        snprintf(ret_text + n, WR_NAMES_HINT_BYTES - n, "%s%s", n > 0 ? " and " : "", last);
    return ret_text;
}

static int is_override(const wr_where *where)
{
    return where->file && strncmp(where->file, "-D ", 3) == 0;
}

static int takes_pattern(const wr_set_solver *set)
{
    const wr_integrator_ops *const integrator = wr_integrator_find(set->kind);
    return !integrator || (integrator->flags & WR_INTEG_PATTERN);
}

/* Refuses matrix files that the solver cannot use. If -D overrides the solver, files for the config's solver are no error. The check skips
 * files of `common` (may be NULL). */
static void check_matrix(const wr_set_solver *set, const wr_set_solver *common, const char *prefix,
                         const wr_where *where_kind, const wr_where *where_pattern,
                         const wr_where *where_code, wr_diag *diag)
{
    const int has_pattern = set->pattern[0] && (!common || set->pattern != common->pattern);
    const int has_code = set->code[0] && (!common || set->code != common->code);
    const wr_where *const where = has_pattern ? where_pattern : where_code;
    if (takes_pattern(set) || (!has_pattern && !has_code) ||
        (is_override(where_kind) && !is_override(where)))
        return;
    wr_diag_add(diag, WRSIM_E_CONFIG, where,
                "%s'solver.%s' is for linimp, but the solver is '%s'; remove the key, or set "
                "solver.kind = \"linimp\"",
                prefix, has_pattern ? "pattern" : "code", set->kind);
}

/* Checks the order of a solver. If -D overrides the solver, an order for the config's solver is no error. */
static void check_order(const wr_set_solver *set, const char *prefix, const wr_where *where_kind,
                        const wr_where *where, wr_diag *diag)
{
    const wr_integrator_ops *const integrator = wr_integrator_find(set->kind);
    const int is_tried = is_override(where_kind) && !is_override(where);
    char names[WR_NAMES_HINT_BYTES];
    if (set->max_order > 0 && !has_orders(set->kind) && !is_tried)
        wr_diag_add(
            diag, WRSIM_E_CONFIG, where,
            "%s'solver.max_order' is %d, but '%s' has one order, and only %s have several; remove "
            "the key, or set it to 0",
            prefix, set->max_order, set->kind, list_with_orders(names));
    else if (integrator && has_orders(set->kind) && set->max_order > integrator->order)
        wr_diag_add(diag, WRSIM_E_CONFIG, where,
                    "%s'solver.max_order' is %d, but '%s' has orders up to %d; lower the order",
                    prefix, set->max_order, set->kind, integrator->order);
}

/* Reports a formula that no solver uses, unless -D overrides a solver. */
static void check_unused_formula(const wr_settings *set, wr_diag *diag)
{
    int is_taken = takes_formula(&set->solver);
    const wr_where kind = wr_settings_place(set, "solver.kind");
    int is_tried = wr_settings_is_given(set, "solver.kind") && is_override(&kind);
    const double *given = set->solver.n_alpha > 0 ? set->solver.alpha : NULL;
    for (int i = 0; i < set->n_subsystems; i++) {
        const wr_set_solver *const solver = &set->subsystems[i].solver;
        const int is_own = solver->n_alpha > 0 && solver->alpha != given;
        is_tried |= is_override(&set->subsystems[i].where_solver);
        is_taken |= takes_formula(solver) && !is_own;
        if (is_own && !takes_formula(solver) && !is_override(&set->subsystems[i].where_solver))
            wr_diag_add(diag, WRSIM_E_CONFIG, &set->subsystems[i].where_solver,
                        "subsystem '%s': 'solver.alpha' is for 'multistep', but the solver is "
                        "'%s'; remove the key",
                        set->subsystems[i].name ? set->subsystems[i].name : "?", solver->kind);
    }
    const char *const name = given ? "solver.alpha" : "solver.beta";
    given = given ? given : set->solver.n_beta > 0 ? set->solver.beta : NULL;
    if (!given || isnan(given[0]) || is_taken || is_tried)
        return;
    WR_SETTINGS_REFUSE(set, name, diag,
                       "'%s' is for 'multistep', but no solver is of this kind; remove the key, or "
                       "set solver.kind = \"multistep\"",
                       name);
}

/* Returns 1 if a subsystem may use [solver]. */
static int is_common_solver_used(const wr_assembly *a)
{
    const wr_settings *const set = a->settings;
    return set->simulation.monolithic || set->n_subsystems == 0 ||
           (a->graph && a->graph->n_subsystem > set->n_subsystems);
}

enum { MOST_RULES = 16 };

static void check_window_rule(const wr_settings *set, wr_diag *diag)
{
    const char *const name = set->relaxation.window_control;
    if (!name || wr_window_rule_find(name))
        return;
    const char *names[MOST_RULES];
    int n = 0;
    for (; wr_window_rules[n] && n < MOST_RULES; n++)
        names[n] = wr_window_rules[n]->name;
    char hint[WR_NAMES_HINT_BYTES];
    WR_SETTINGS_REFUSE(set, "relaxation.window.control", diag, "unknown rule for windows '%s'; %s",
                       name, wr_names_hint(name, names, n, hint));
}

void wr_solver_choice_check(const wr_assembly *a, wr_diag *diag)
{
    check_window_rule(a->settings, diag);
    const wr_settings *const set = a->settings;
    const wr_where common = wr_settings_place(set, "solver.kind");
    wr_set_solver solver = set->solver;
    int is_common_bound_used = is_common_solver_used(a);
    int is_common_order_used = is_common_solver_used(a), has_taker = has_orders(set->solver.kind);
    if (!is_common_order_used)
        solver.step_s = (double)NAN; /* no subsystem uses the step of [solver] */
    for (int i = 0; i < set->n_subsystems; i++) {
        const wr_set_subsystem *const s = &set->subsystems[i];
        char prefix[96];
        snprintf(prefix, sizeof prefix, "subsystem '%s': ", s->name ? s->name : "?");
        if (s->solver.kind != set->solver.kind) /* an inherited kind has the same pointer */
            check_solver(&s->solver, prefix, &s->where_solver, diag);
        else if (s->solver.step_s <= 0.0)
            solver.step_s = s->solver.step_s;
        const int is_own = s->solver.kind != set->solver.kind ||
                           s->solver.budget != set->solver.budget ||
                           s->solver.spare_steps != set->solver.spare_steps;
        if (is_own && !set->simulation.monolithic) /* a check below covers an inherited bound */
            check_bound(&s->solver, prefix, &s->where_solver, diag);
        is_common_bound_used |= !is_own;
        /* A solver of -D may replace a solver with orders. */
        has_taker |= has_orders(s->solver.kind) || is_override(&s->where_solver);
        if (strcmp(s->solver.kind, set->solver.kind) == 0 &&
            s->solver.max_order == set->solver.max_order)
            is_common_order_used = 1; /* a check below covers [solver] */
        else if (s->solver.max_order != set->solver.max_order || has_orders(s->solver.kind))
            check_order(&s->solver, prefix, &s->where_solver, &s->where_max_order, diag);
    }
    check_solver(&solver, "", &common, diag);
    check_unused_formula(set, diag);
    if (is_common_bound_used)
        check_bound(&set->solver, "", &common, diag);
    const wr_where pattern = wr_settings_place(set, "solver.pattern");
    const wr_where code = wr_settings_place(set, "solver.code");
    int n_taker = 0;
    for (int i = 0; i < set->n_subsystems; i++) {
        const wr_set_subsystem *const s = &set->subsystems[i];
        char prefix[96];
        snprintf(prefix, sizeof prefix, "subsystem '%s': ", s->name ? s->name : "?");
        check_matrix(&s->solver, &set->solver, prefix, &s->where_solver, &s->where_pattern,
                     &s->where_code, diag);
        n_taker += takes_pattern(&s->solver);
    }
    if (is_common_solver_used(a) || n_taker == 0)
        check_matrix(&set->solver, NULL, "", &common, &pattern, &code, diag);
    const wr_where common_order = wr_settings_place(set, "solver.max_order");
    /* The twin of wrsim_run() uses an order of [solver], even if no subsystem uses the order. */
    if (has_taker == has_orders(set->solver.kind) && (is_common_order_used || !has_taker))
        check_order(&set->solver, "", &common, &common_order, diag);
}

/* Returns 1 if several subsystems keep the simulation.rtol of the config. */
static int is_kept(const wr_assembly *a)
{
    return wr_assembly_n_relaxed(a) > 1 && a->settings->simulation.rtol <= LOOSEST_GIVEN;
}

double wr_solver_choice_rtol(const wr_assembly *a)
{
    const double rtol = a->settings->simulation.rtol;
    return is_kept(a) ? rtol
                      : wr_min(rtol, wr_assembly_n_relaxed(a) > 1 ? LOOSEST_RELAXED : LOOSEST);
}

/* Returns a solver's relative tolerance: solver.rtol, at most LOOSEST_GIVEN, or without solver.rtol wr_solver_choice_rtol(). The limit
 * of wr_solver_choice_rtol() is the method's loosest_rtol; with is_kept(), or if the method has no loosest_rtol, LOOSEST_GIVEN. In a run of
 * several relaxed subsystems the function multiplies the limited value by relaxation.solver_tolerance_factor and
 * wr_set_relaxation_tightening(). */
static double solver_rtol(const wr_assembly *a, const wr_set_solver *solver,
                          const wr_integrator_ops *integrator)
{
    const wr_set_relaxation *const r = &a->settings->relaxation;
    if (solver->rtol > 0.0)
        return wr_min(solver->rtol, LOOSEST_GIVEN);
    const double loosest =
        integrator->loosest_rtol > 0.0 && !is_kept(a) ? integrator->loosest_rtol : LOOSEST_GIVEN;
    const double rtol = wr_min(wr_solver_choice_rtol(a), loosest);
    /* The factor is for relaxed subsystems only, because input ports have exact values. */
    return wr_assembly_n_relaxed(a) > 1
               ? rtol * r->solver_tolerance_factor *
                     wr_set_relaxation_tightening(r, a->settings->simulation.rtol)
               : rtol;
}

void wr_solver_choice_make(wr_assembly *a, int i_subsystem)
{
    const wr_settings *const set = a->settings;
    wr_setup *const m = &a->setup[i_subsystem];
    const int is_named = !set->simulation.monolithic && i_subsystem < set->n_subsystems;
    const wr_set_solver *const solver =
        is_named ? &set->subsystems[i_subsystem].solver : &set->solver;
    m->ode.integrator = wr_integrator_find(solver->kind);
    m->ode.options = (wr_integ_options){.rtol = solver_rtol(a, solver, m->ode.integrator),
                                        .atol_factor = set->simulation.atol_factor,
                                        .step_s = solver->step_s,
                                        .min_step_s = solver->min_step_s,
                                        .linear_solver = (wr_linear_solver)solver->linear_solver,
                                        .max_order = solver->max_order};
    if (takes_pattern(solver)) {
        m->ode.pattern_file = solver->pattern[0] ? solver->pattern : NULL;
        m->ode.code_file = solver->code[0] ? solver->code : NULL;
        m->ode.where_pattern = is_named ? set->subsystems[i_subsystem].where_pattern
                                        : wr_settings_place(set, "solver.pattern");
        m->ode.where_code = is_named ? set->subsystems[i_subsystem].where_code
                                     : wr_settings_place(set, "solver.code");
    }
    if (takes_formula(solver)) {
        m->formula = formula_of(solver);
        m->ode.options.formula = &m->formula;
    }
    m->ode.bounds_steps = solver->spare_steps >= 0;
    m->ode.n_spare = solver->spare_steps;
    m->ode.budget = solver->budget;
    m->ode.over_budget_fails = solver->over_budget == WR_OVER_BUDGET_FAIL;
}
