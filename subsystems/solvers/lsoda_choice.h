/* Chooses the method, the order and the length of the next steps of lsoda (integ_lsoda.c), from the error and the convergence of the last
 * step. Rules and constants are those of Hindmarsh and Petzold's solver LSODA (Hindmarsh, "ODEPACK", in "Scientific Computing", 1983;
 * Radhakrishnan and Hindmarsh, "Description and use of LSODE", NASA RP-1327, 1993, chapter 2).
 *
 * The three candidates for the order are the present order and its neighbours; the candidate with the longest step wins. The Lipschitz
 * constant of f limits Adams steps to the region of stability. A change from Adams to BDF pays if the steps become PAYS times as long
 * (Petzold, "Automatic selection of methods for solving stiff and nonstiff systems of ordinary differential equations", SIAM J. Sci. Stat.
 * Comput. 4, 1983).
 *
 * Thread: one at a time. Real-time: yes.
 */
#ifndef WR_LSODA_CHOICE_H
#define WR_LSODA_CHOICE_H

#include "subsystems/solvers/corrector.h"

/* Largest growth of a step at once. */
enum { WR_LSODA_GROWTH = 10 };

/* Method, order and length of the next step. A copy of its bytes is a valid plan. */
typedef struct wr_lsoda_plan {
    double wanted_s; /* length of the next step that the error control has chosen */
    double length_s; /* step length h of the columns of the history */
    double growth;   /* largest ratio of the next change of the step length */
    int method, order;
    int wait;        /* number of steps before the next choice of order and length */
    int change_wait; /* number of steps before the next choice of the method */
    int is_bound;    /* stability limits the length of Adams steps */
} wr_lsoda_plan;

/* Data of one solver that a choice reads; the solver owns all arrays. */
typedef struct wr_lsoda_choice {
    int n_x, highest[WR_NORDSIECK_METHODS]; /* number of states; largest order of each method */
    wr_nordsieck_table table;
    wr_corrector *corrector;
    wr_integ_stats *stats; /* the choice counts changes of the method */
} wr_lsoda_choice;

/* History of a choice: columns z[WR_NORDSIECK_COLUMNS * n_x] after the step, and the correction e_before[n_x] of an earlier step. */
typedef struct wr_lsoda_history {
    double *z;
    const double *e_before;
} wr_lsoda_history;

/* Sets the largest orders, and the constants of all orders. max_order: limit of the order; 0: none. The corrector and stats outlive the
 * choice. */
void wr_lsoda_choice_init(wr_lsoda_choice *choice, wr_corrector *corrector, wr_integ_stats *stats,
                          int n_x, int max_order);

/* Returns the plan before the first step. */
wr_lsoda_plan wr_lsoda_plan_first(void);

/* Returns the constants of the plan's method and order. */
static inline const wr_nordsieck_order *wr_lsoda_order(const wr_lsoda_choice *choice,
                                                       const wr_lsoda_plan *plan)
{
    return &choice->table.of[plan->method][plan->order];
}

/* Returns the length of the next step from t, s: equal steps up to the stop, as long as the plan allows. Sets *ret_lands if the step ends at
 * the stop. */
double wr_lsoda_fit(const wr_lsoda_plan *plan, const wr_step_control *control, double t_s,
                    double t_stop_s, int *ret_lands);

/* Returns whether the next step from t, s, is more than WR_LSODA_GROWTH times as long as the steps of the history. */
int wr_lsoda_outgrows(const wr_lsoda_plan *plan, const wr_step_control *control, double t_s,
                      double t_stop_s);

/* Returns the ratio of step lengths at which an error in tolerances becomes 1 with a margin, for an error of O(h^power). */
double wr_lsoda_ratio(double error, double power, double margin);

/* Makes the plan after an accepted step with an error in tolerances. May add a column to the history. Returns 1 if the caller has to keep
 * the step's correction as e_before, for the next choice; else 0. */
int wr_lsoda_choose(const wr_lsoda_choice *choice, wr_lsoda_plan *plan, wr_lsoda_history history,
                    double error);

/* Makes the plan of the next attempt after a step whose error in tolerances was above 1, n_failed times at this point: once or twice. */
void wr_lsoda_retreat(const wr_lsoda_choice *choice, wr_lsoda_plan *plan, wr_lsoda_history history,
                      double error, int n_failed);

#endif
