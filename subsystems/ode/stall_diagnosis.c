/* Diagnoses why a solver stalls: a diverging state, or a discontinuity that the model does not declare.
 *
 * A model that branches on a state ("if") has a right-hand side f that jumps. If the solution slides along such a jump, every method with
 * error control makes tiny steps without end. After LOOK_AFTER short steps, finds_jump() evaluates f on both sides, a few steps away along
 * the solution. If the values differ much, close_in_on_jump() halves the interval to a billionth. At this distance a continuous f no longer
 * differs. The solution slides if the slopes on both sides lead across the jump (Filippov, "Differential Equations with Discontinuous
 * Righthand Sides", 1988, par. 4). Unless the solver has failed, the diagnosis ignores solutions that pass jumps, and long steps.
 *
 * States that depend on a diverging state may diverge faster. The diagnosis considers all states that change about as fast as the fastest
 * state. The named state depends on no other considered state, except in a cycle.
 *
 * Thread: one at a time. Real-time: yes.
 */
#include <math.h>
#include <string.h>

#include "subsystems/ode/bounded_work.h"
#include "subsystems/ode/ode_clock.h"
#include "subsystems/ode/ode_parts.h"
#include "subsystems/ode/ode_scratch.h"
#include "subsystems/ode/ode_tolerances.h"
#include "subsystems/ode/stall_diagnosis.h"

/* LOOK_AFTER: steps without an event before each search for a jump. LOOKS: successive searches with a jump before a fault (assumed). */
enum { LOOK_AFTER = 4096, LOOKS = 3 };
/* LOOKS_BACK: largest number of states tested for self-driven growth after a fault. SHORT_STEP: mean length of steps, in communication
 * steps, below which the subsystem searches for a jump. Both are assumed. */
enum { LOOKS_BACK = 256 };
static const double SHORT_STEP = 1e-3;
/* REACH_STEPS: distance of the search to either side, in lengths of the longest recent step. JUMP_SHARE: least jump, as a share of the
 * derivative. JUMP_LEFT: share of the jump that must remain after the halvings. All are assumed. */
static const double REACH_STEPS = 8.0, JUMP_SHARE = 0.2, JUMP_LEFT = 0.5;
enum { HALVINGS = 30 };
/* ACROSS_STEPS: distance of evaluations across a jump, in steps (assumed). HELD_UP: bound of the move of a state in a step that a jump of f
 * limits, in tolerances. The largest measured moves are 150 in dopri54, 18 in bs32, 0.4 and 9 in Rosenbrock methods. */
static const double ACROSS_STEPS = 0.1, HELD_UP = 200.0;
/* Least jump of an input of a component between the ends of the halved interval, as a share of the input (assumed). */
static const double INPUT_SHARE = 1e-3;
/* Assumed rates of change. A state with ALONG_SHARE of the largest rate also counts as diverging. A diverging state changes by more than
 * AWAY_SHARE of itself in the least step, and by more than AWAY_SOON times itself in a communication step. With fixed steps the limit is
 * AWAY_FIXED in a step, or AWAY_STUCK if no step succeeds. Implicit steps fail where the solution grows by a fraction of itself. */
static const double ALONG_SHARE = 1e-3, AWAY_SHARE = 1e-9, AWAY_SOON = 100.0, AWAY_FIXED = 0.5,
                    AWAY_STUCK = 0.1;
/* Distance along the solution, in steps or in the state's own time scale (assumed). */
static const double LOOK_ON = 1e-6;
/* A state beyond this value, about the square root of the largest number, will soon overflow. */
static const double HUGE_VALUE = 1e150;
/* Least own_growth() (assumed) from which a diverging state counts as the cause of its own growth (WR_RUNAWAY_OWN). */
static const double OWN_SHARE = 0.1;
/* LEAST_STEP: shortest step, as a share of the time (step_control.c). COARSE_CLOCK: longest such step of a fine clock, in communication
 * steps (assumed). */
static const double LEAST_STEP = 1e-14, COARSE_CLOCK = 1e-5;

/* Writes f into ret_f[n_x] at s->x + by * way, moved along a slope for on_s. Returns 0, or another value if the model fails. */
static int beyond(wr_subsystem *s, const double *way, double by, const double *slope, double on_s,
                  double *ret_f)
{
    WR_POINTS_FOR(s, OTHER);
    wr_ode *const work = wr_ode_of(s);
    wr_group_point point = wr_ode_point(s);
    for (int i = 0; i < work->group->n_x; i++)
        wr_scratch(s, WR_X_STEP)[i] = s->x[i] + by * way[i] + on_s * slope[i];
    point.x = wr_scratch(s, WR_X_STEP);
    point.t_s += on_s;
    const int rc = wr_group_rhs(work->group, &point, ret_f);
    work->group->fault.status = WRSIM_OK;
    return rc;
}

static int beside(wr_subsystem *s, const double *way, double by, double *ret_f)
{
    return beyond(s, way, by, way, 0.0, ret_f);
}

static double size_of(const wr_subsystem *s, int i)
{
    return wr_ode_size(s, s->x[i], wr_ode_of(s)->group->nominal_x[i]);
}

/* ---- jumps ---- */

/* Returns the state with the largest jump of its derivative between the ends of the interval; -1: no jump. */
static int most_different(const wr_subsystem *s, const double *left, const double *right)
{
    double most = 0.0;
    int i_most = -1;
    for (int i = 0; i < wr_ode_of(s)->group->n_x; i++) {
        const double by = fabs(right[i] - left[i]);
        if (by >= JUMP_SHARE * wr_max(fabs(left[i]), fabs(right[i])) && by / size_of(s, i) > most) {
            most = by / size_of(s, i);
            i_most = i;
        }
    }
    return i_most;
}

/* Halves the interval ends[2] around the change of derivative i; value[2]: derivative i at the ends. Returns 1 if the change is a jump. */
static int close_in_on_jump(wr_subsystem *s, const double *way, int i, double *ends, double *value)
{
    double *const f = wr_scratch(s, WR_X_BEFORE);
    const double before = fabs(value[1] - value[0]);
    for (int k = 0; k < HALVINGS; k++) {
        const double middle = 0.5 * (ends[0] + ends[1]);
        if (beside(s, way, middle, f) != 0)
            return 0;
        const int side = fabs(f[i] - value[0]) > fabs(f[i] - value[1]);
        ends[side] = middle;
        value[side] = f[i];
    }
    return fabs(value[1] - value[0]) >= JUMP_LEFT * before;
}

/* Returns whether the slopes on both sides lead across the jump. */
static int slides(wr_subsystem *s, const double *way, int i, const double *ends,
                  const double *value)
{
    double *const slope = wr_scratch(s, WR_X_MOVED), *const f = wr_scratch(s, WR_X_BEFORE);
    const double on_s = ACROSS_STEPS * wr_ode_reach(s);
    for (int side = 0; side < 2; side++)
        if (beside(s, way, ends[side], slope) != 0 ||
            beyond(s, way, ends[side], slope, on_s, f) != 0 ||
            !(fabs(f[i] - value[!side]) < fabs(f[i] - value[side])))
            return 0;
    return 1;
}

/* Returns whether the jump explains the mean step length, and the solution slides along the jump. */
static int holds_up(wr_subsystem *s, const double *way, int i, const double *ends,
                    const double *value, double mean_step_s)
{
    const double moved = mean_step_s * fabs(value[1] - value[0]);
    return moved <= HELD_UP * wr_ode_coupling_rtol(s) * size_of(s, i) &&
           slides(s, way, i, ends, value);
}

/* Returns the component that causes the jump: component c, or a component upstream of c through inputs that also jump. */
static int source_of_jump(wr_subsystem *s, const double *way, const double *ends, int c)
{
    wr_ode *const work = wr_ode_of(s);
    const wr_group *const group = work->group;
    for (int n = 0; n < group->n_component; n++) {
        int from = -1;
        for (int u = group->u_start[c]; u < group->u_start[c + 1] && from < 0; u++) {
            double left = 0.0, right = 0.0;
            if (beside(s, way, ends[0], wr_scratch(s, WR_X_BEFORE)) != 0 ||
                wr_group_driver_of(group, u, &left) < 0 ||
                beside(s, way, ends[1], wr_scratch(s, WR_X_BEFORE)) != 0)
                continue;
            const int driver = wr_group_driver_of(group, u, &right);
            if (fabs(right - left) > INPUT_SHARE * wr_max(fabs(left), fabs(right)))
                from = driver;
        }
        if (from < 0)
            return c;
        c = from;
    }
    return c; /* any component of a loop */
}

/* Returns whether f has a jump near the current point that limits the steps to the mean length mean_step_s. mean_step_s 0: any length,
 * after a failure of the solver. Sets the fault of a jump. */
static int finds_jump(wr_subsystem *s, double mean_step_s)
{
    wr_ode *const work = wr_ode_of(s);
    double *const way = wr_scratch(s, WR_DX_STEP), *const left = wr_scratch(s, WR_X_MOVED),
                  *const right = wr_scratch(s, WR_X_BEFORE);
    if (beside(s, work->dx, 0.0, way) != 0)
        return 0;
    const double by_s = REACH_STEPS * wr_ode_reach(s);
    double ends[2] = {-by_s, by_s};
    if (beside(s, way, ends[0], left) != 0 || beside(s, way, ends[1], right) != 0)
        return 0;
    const int i = most_different(s, left, right);
    if (i < 0)
        return 0;
    double value[2] = {left[i], right[i]};
    if (!close_in_on_jump(s, way, i, ends, value) ||
        (mean_step_s > 0.0 && !holds_up(s, way, i, ends, value, mean_step_s)))
        return 0;
    const int owner = wr_group_owner_of_state(work->group, i);
    const int c = source_of_jump(s, way, ends, owner);
    wr_ode_fault(s, WRSIM_E_SOLVER, s->t_s,
                 "the derivative jumps at a value of a state or input, which stops the solver. "
                 "Declare an event indicator for this condition ('if'), and branch on its mode");
    s->fault.i_component = c;
    s->fault.kind = WRSIM_STATE;
    s->fault.i_variable = c == owner ? i - work->group->x_start[owner] : -1;
    return 1;
}

/* Calls finds_jump(), and invalidates its evaluations. If f has no jump, restores the fault. */
static int look_for_jump(wr_subsystem *s, double mean_step_s)
{
    wr_ode *const work = wr_ode_of(s);
    const wr_fault before = s->fault;
    wr_group_forget(work->group);
    const int is_found = finds_jump(s, mean_step_s);
    wr_group_forget(work->group);
    if (!is_found)
        s->fault = before;
    return is_found;
}

wrsim_status wr_ode_check_crawl(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    wr_crawl *const crawl = work->crawl;
    if (work->group->n_x == 0 || (work->solver->flags & WR_INTEG_FIXED_STEP))
        return WRSIM_OK;
    if (crawl->n++ == 0) {
        crawl->start_s = s->t_s;
        crawl->n_jump_found = 0;
    }
    if (crawl->n <= LOOK_AFTER)
        return WRSIM_OK;
    const double length_s = s->t_s - crawl->start_s;
    crawl->n = 1;
    crawl->start_s = s->t_s;
    const int is_short = length_s < LOOK_AFTER * SHORT_STEP * wr_ode_communication_step(s);
    const int is_found = is_short && look_for_jump(s, length_s / LOOK_AFTER);
    crawl->n_jump_found = is_found ? crawl->n_jump_found + 1 : 0;
    if (crawl->n_jump_found >= LOOKS)
        return s->fault.status;
    s->fault.status = WRSIM_OK;
    return WRSIM_OK;
}

/* ---- diverging states ---- */

/* Marks state i, and the diverging states whose derivatives depend on i, directly or through other diverging states: mark[n_x] > 0. */
static void mark_driven(const wr_group *group, int i, const double *runs, double *mark)
{
    const wr_matrix *const pattern = group->pattern_xx;
    for (int k = 0; k < group->n_x; k++)
        mark[k] = 0.0;
    mark[i] = 1.0;
    for (int n_new = 1; n_new > 0;) {
        n_new = 0;
        for (int j = 0; j < group->n_x; j++)
            for (int k = pattern->start[j]; mark[j] == 1.0 && k < pattern->start[j + 1]; k++) {
                const int row = pattern->row[k];
                if (runs[row] > 0.0 && mark[row] <= 0.0) {
                    mark[row] = 1.0;
                    n_new++;
                }
            }
    }
}

/* Returns a diverging state on which the derivative of i depends, and that does not depend on i; -1: none. */
static int upstream_of(const wr_group *group, int i, const double *runs, double *mark)
{
    mark_driven(group, i, runs, mark);
    for (int j = 0; j < group->n_x; j++)
        if (runs[j] > 0.0 && mark[j] <= 0.0 && wr_matrix_find(group->pattern_xx, i, j) >= 0)
            return j;
    return -1;
}

/* Returns the length of fixed steps, also in short windows near a fault. */
static double fixed_reach_s(const wr_subsystem *s)
{
    const double step_s = isfinite(wr_ode_planned_step(s)) ? wr_ode_planned_step(s) : 0.0;
    return wr_max(wr_ode_reach(s), step_s);
}

static int is_away(const wr_subsystem *s, double rate)
{
    const wr_ode *const work = wr_ode_of(s);
    if (work->solver->flags & WR_INTEG_FIXED_STEP)
        return rate * fixed_reach_s(s) >
               (s->fault.status == WRSIM_E_SOLVER ? AWAY_STUCK : AWAY_FIXED);
    const double least_s = LEAST_STEP * wr_max(fabs(s->t_s), wr_ode_communication_step(s));
    return rate * least_s > AWAY_SHARE && rate * wr_ode_communication_step(s) > AWAY_SOON;
}

/* Returns the share of the growth of a state's derivative that the state causes itself: J_ii / (x' / x). INFINITY if the model fails near
 * the present point. */
static double own_growth(wr_subsystem *s, int i)
{
    wr_ode *const work = wr_ode_of(s);
    double *const f = wr_scratch(s, WR_X_MOVED), *const on = wr_scratch(s, WR_X_BEFORE);
    if (beside(s, work->dx, 0.0, f) != 0)
        return (double)INFINITY;
    const double own = f[i], by_s = LOOK_ON * size_of(s, i) / fabs(own);
    memset(f, 0, (size_t)work->group->n_x * sizeof *f);
    f[i] = own;
    if (beside(s, f, by_s, on) != 0)
        return (double)INFINITY;
    return (on[i] - own) / (own * LOOK_ON);
}

/* For fixed steps, sets the rates of states that slow down (x'' = J x' has the opposite sign of x') to 0. Explicit steps longer than the
 * time constant of such a state may still be unstable, so its rate stays. A state with own growth also keeps its rate. i_most: fastest
 * state. Returns the fastest remaining state; -1: none. */
static int leave_out_slowing(wr_subsystem *s, double *rate, int i_most)
{
    wr_ode *const work = wr_ode_of(s);
    double *const f = wr_scratch(s, WR_X_MOVED), *const on = wr_scratch(s, WR_X_BEFORE);
    const double reach_s = fixed_reach_s(s);
    if (beside(s, work->dx, 0.0, f) != 0 || beside(s, f, LOOK_ON * reach_s, on) != 0)
        return i_most; /* the model fails at the next point */
    int i_left = -1;
    for (int i = 0; i < work->group->n_x; i++) {
        const int is_stable = (work->solver->flags & WR_INTEG_STIFF) || rate[i] * reach_s < 1.0;
        if (is_stable && !((on[i] - f[i]) * f[i] > 0.0))
            rate[i] = -rate[i];
    }
    for (int i = 0, n = 0; i < work->group->n_x; i++) {
        if (rate[i] < 0.0)
            rate[i] =
                is_away(s, -rate[i]) && n++ < LOOKS_BACK && own_growth(s, i) > 0.0 ? -rate[i] : 0.0;
        if (rate[i] > 0.0 && (i_left < 0 || rate[i] > rate[i_left]))
            i_left = i;
    }
    return i_left;
}

/* Returns the fastest state beyond HUGE_VALUE; -1: none. Sets the rates of all states below HUGE_VALUE to 0. */
static int find_huge(const wr_subsystem *s, double *rate)
{
    int i_most = -1;
    for (int i = 0; i < wr_ode_of(s)->group->n_x; i++) {
        if (!(fabs(s->x[i]) > HUGE_VALUE))
            rate[i] = 0.0;
        if (rate[i] > 0.0 && (i_most < 0 || rate[i] > rate[i_most]))
            i_most = i;
    }
    return i_most;
}

/* Returns a state that diverges from the current point, and depends on no other diverging state except in a cycle; -1: none. */
static int find_runaway(wr_subsystem *s)
{
    wr_ode *const work = wr_ode_of(s);
    const wr_group *const group = work->group;
    double *const rate = wr_scratch(s, WR_DX_STEP), most_per_s = 0.0;
    int i_most = -1;
    for (int i = 0; i < group->n_x; i++)
        rate[i] = 0.0;
    (void)beside(s, work->dx, 0.0, rate); /* a failing model may have set some elements of f */
    for (int i = 0; i < group->n_x; i++) {
        rate[i] = isnan(rate[i]) ? (double)INFINITY : fabs(rate[i]) / size_of(s, i);
        if (rate[i] > most_per_s) {
            most_per_s = rate[i];
            i_most = i;
        }
    }
    const int is_fixed = (work->solver->flags & WR_INTEG_FIXED_STEP) != 0;
    if (is_fixed && most_per_s < (double)INFINITY)
        i_most = leave_out_slowing(s, rate, i_most);
    if (i_most < 0)
        return -1;
    if (is_away(s, rate[i_most])) {
        const int is_each = is_fixed || !(most_per_s < (double)INFINITY);
        for (int i = 0; i < group->n_x; i++)
            rate[i] = is_each ? is_away(s, rate[i]) : rate[i] >= ALONG_SHARE * most_per_s;
    } else if ((i_most = find_huge(s, rate)) < 0)
        return -1;
    for (int n = 0, i;
         n < group->n_x && (i = upstream_of(group, i_most, rate, wr_scratch(s, WR_X_MOVED))) >= 0;
         n++)
        i_most = i;
    return i_most;
}

/* Returns whether the size of the state's derivative decreases along the solution. Compares the derivative with a later derivative, after
 * a small share of the state's time scale. The later derivative is larger near a singularity. */
static int slows_down(wr_subsystem *s, int i)
{
    wr_ode *const work = wr_ode_of(s);
    double *const f = wr_scratch(s, WR_X_MOVED), *const on = wr_scratch(s, WR_X_BEFORE);
    if (beside(s, work->dx, 0.0, f) != 0)
        return 0;
    const double rate = fabs(f[i]) / size_of(s, i);
    return rate > 0.0 && rate < (double)INFINITY && beyond(s, f, 0.0, f, LOOK_ON / rate, on) == 0 &&
           (on[i] - f[i]) * f[i] < 0.0;
}

/* Names a state in the fault. message NULL: the fault keeps its message. */
static void name_state(wr_subsystem *s, int i, const char *message)
{
    const wr_group *const group = wr_ode_of(s)->group;
    s->fault.i_component = wr_group_owner_of_state(group, i);
    s->fault.kind = WRSIM_STATE;
    s->fault.i_variable = i - group->x_start[s->fault.i_component];
    if (!message)
        return;
    s->fault.status = WRSIM_E_SOLVER;
    s->fault.message = message;
}

/* Returns whether the fault names state i, or a diverging state (marked in WR_DX_STEP) that depends on state i. */
static int takes_along(wr_subsystem *s, int i)
{
    wr_ode *const work = wr_ode_of(s);
    if (s->fault.kind != WRSIM_STATE || s->fault.i_component < 0 || s->fault.i_variable < 0)
        return 0;
    const int named = work->group->x_start[s->fault.i_component] + s->fault.i_variable;
    wr_scratch(s, WR_DX_STEP)[named] = 1.0;
    mark_driven(work->group, i, wr_scratch(s, WR_DX_STEP), wr_scratch(s, WR_X_MOVED));
    return wr_scratch(s, WR_X_MOVED)[named] > 0.0;
}

wr_runaway wr_ode_runs_away(wr_subsystem *s, wr_fault *ret_fault)
{
    if (wr_ode_of(s)->group->n_x == 0)
        return WR_RUNAWAY_NONE;
    const wr_fault before = s->fault;
    const int i = find_runaway(s);
    if (i >= 0) {
        wr_ode_fault(s, WRSIM_E_NAN, s->t_s, "the value changes ever faster");
        name_state(s, i, NULL);
        *ret_fault = s->fault;
    }
    const int is_own = i >= 0 && own_growth(s, i) >= OWN_SHARE;
    s->fault = before;
    if (i < 0)
        return WR_RUNAWAY_NONE;
    return is_own ? WR_RUNAWAY_OWN : WR_RUNAWAY_DRIVEN;
}

void wr_ode_blame(wr_subsystem *s)
{
    const wr_ode *const work = wr_ode_of(s);
    const int is_nan = s->fault.status == WRSIM_E_NAN;
    const int is_stuck = (s->fault.status == WRSIM_E_SOLVER && s->fault.i_component < 0) ||
                         (s->fault.status == WRSIM_E_LIMIT && s->wave->n_node == s->wave->cap_node);
    if (work->group->n_x == 0 || !(is_nan || is_stuck))
        return;
    if (is_stuck && look_for_jump(s, 0.0))
        return;
    const wr_fault fault = s->fault;
    const int is_coarse =
        is_stuck && LEAST_STEP * fabs(s->t_s) > COARSE_CLOCK * wr_ode_communication_step(s);
    /* If is_coarse and crawl->n == 0, the spacing of floating-point times is the cause, so no state is named. After a step since the last
     * stop (crawl->n > 0) the solution may have passed a pole. */
    const int i = is_coarse && work->crawl->n == 0 ? -1 : find_runaway(s);
    s->fault = fault;
    /* A fault of the solver with fixed steps, or of a NaN with a name, keeps its message. */
    const int has_name = fault.i_component >= 0;
    const int is_said = (is_nan && has_name) || (fault.status == WRSIM_E_SOLVER &&
                                                 (work->solver->flags & WR_INTEG_FIXED_STEP) != 0);
    if (i >= 0 && !(is_nan && has_name && !takes_along(s, i)))
        name_state(s, i,
                   is_said ? NULL
                   : work->crawl->n == 0 && slows_down(s, i)
                       ? "the value changes too fast for the shortest step (1e-14 of the time or "
                         "communication step). Check parameters and start value, or lower "
                         "simulation.communication_step and |simulation.start|"
                       : "the value changes ever faster, and the shortest step is too long; check "
                         "the model and its inputs for a singularity");
    else if (is_coarse)
        s->fault.message = "the solver needs steps below the spacing of floating-point times; move "
                           "simulation.start towards 0, or loosen rtol";
}
