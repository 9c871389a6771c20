/* The formula that a config gives for the solver "multistep": solver.alpha and solver.beta. See setup_work.h.
 *
 * A formula that does not converge is refused: it would run, and its results be wrong at any step (Dahlquist 1956;
 * subsystems/solvers/lms.h).
 *
 * Thread: one owner. Real-time: no.
 */
#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "runtime/sim/setup_work.h"

int wr_setup_takes_formula(const wr_set_solver *set) { return strcmp(set->kind, "multistep") == 0; }

wr_lms wr_setup_formula(const wr_set_solver *set)
{
    wr_lms formula = {.n_step = set->n_alpha - 1};
    for (int j = 0; j < set->n_alpha && j <= WR_LMS_STEPS; j++)
        formula.alpha[j] = set->alpha[j];
    for (int j = 0; j < set->n_beta && j <= WR_LMS_STEPS; j++)
        formula.beta[j] = set->beta[j];
    return formula;
}

static void report_root(double complex root, wr_lms_place place, const char *who,
                        const wr_where *where, wr_diag *diag)
{
    char text[64];
    const int is_real = fabs(cimag(root)) <= 1e-6 * cabs(root);
    if (is_real)
        snprintf(text, sizeof text, "%.6g", creal(root));
    else
        snprintf(text, sizeof text, "%.6g %+.6g i", creal(root), cimag(root));
    wr_diag_add(diag, WRSIM_E_CONFIG, where,
                "%sthe formula of solver.alpha and solver.beta is not zero-stable: errors grow at "
                "any step, for the root %s of sum alpha_j z^(k-j) %s; take another formula",
                who, text,
                place == WR_LMS_OUTSIDE ? "lies outside of the unit circle"
                                        : "on the unit circle is a multiple one");
}

static void check_convergence(const wr_lms *formula, const char *who, const wr_where *where,
                              wr_diag *diag)
{
    wr_lms_facts facts;
    const wrsim_status status = wr_lms_examine(formula, &facts);
    if (status != WRSIM_OK) {
        wr_diag_add(diag, status, where, "%sthe roots of solver.alpha cannot be found", who);
        return;
    }
    if (facts.order == 0)
        wr_diag_add(
            diag, WRSIM_E_CONFIG, where,
            "%sthe formula of solver.alpha and solver.beta is not consistent: with alpha_0 = "
            "1, sum alpha_j is %.3g and sum (-j alpha_j - beta_j) is %.3g, and both must "
            "be 0; give all digits, or whole numbers as in [3, -4, 1] and [2]",
            who, facts.sum_alpha, facts.sum_rho);
    for (int i = 0; i < facts.n_root && !facts.is_zero_stable; i++) {
        if (facts.place[i] != WR_LMS_OUTSIDE && facts.place[i] != WR_LMS_MULTIPLE)
            continue;
        report_root(facts.root[i], facts.place[i], who, where, diag);
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

void wr_setup_check_formula(const wr_set_solver *set, const char *who, const wr_where *where,
                            wr_diag *diag)
{
    if (has_refused(set->n_alpha, set->alpha) || has_refused(set->n_beta, set->beta))
        return;
    if (set->n_alpha == 0 || set->n_beta == 0) {
        wr_diag_add(diag, WRSIM_E_CONFIG, where,
                    "%ssolver 'multistep' needs its formula: give solver.alpha and solver.beta, as "
                    "[3, -4, 1] and [2] of bdf2",
                    who);
        return;
    }
    if (set->n_alpha > WR_LMS_STEPS + 1 || set->n_beta > set->n_alpha) {
        wr_diag_add(diag, WRSIM_E_CONFIG, where,
                    "%ssolver.alpha has %d numbers and solver.beta %d, but at most %d fit, and no "
                    "more of solver.beta than of solver.alpha",
                    who, set->n_alpha, set->n_beta, WR_LMS_STEPS + 1);
        return;
    }
    const wr_lms formula = wr_setup_formula(set);
    const char *const flaw = wr_lms_flaw(&formula);
    if (flaw)
        wr_diag_add(diag, WRSIM_E_CONFIG, where,
                    "%ssolver.alpha and solver.beta are no formula of a method: %s", who, flaw);
    else
        check_convergence(&formula, who, where, diag);
}
