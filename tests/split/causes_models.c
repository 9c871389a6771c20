/* Models whose events may cause one another at one instant: a latch, and a pendulum bead that finds its contacts by itself.
 * feedback_models.c has comparators and parity counters. causes_cases.py connects all these models.
 *
 * Thread: one at a time per instance. Real-time: yes.
 */
#include <math.h>

#include "split_models.h"

#define VARIABLE(id, text, about, value)                                                           \
    {                                                                                              \
        .name = text, .unit = "", .description = about, .start = (value)                           \
    }
/* ---- split.latch: on when s rises through the threshold, off when r rises through the threshold; counts both rises */

enum { LATCH_ON, LATCH_N_SET, LATCH_N_RESET };
static const wrsim_variable latch_params[] = {VARIABLE(0, "threshold", "of both inputs", 0.5)};
DECLARE(latch_describe, "discrete: is_on d_set d_reset input: s r output: y~ n_set~ n_reset~ "
                        "indicator: set< reset< U_Y: -")

OUTPUTS(latch_output)
{
    for (int i = 0; i < 3; i++)
        ret_y[i] = at->d[i];
}

INDICATORS(latch_indicator)
{
    ret_z[0] = at->u[0] - self->param[0];
    ret_z[1] = at->u[1] - self->param[0];
}

EVENT(latch_event)
{
    if (what->fired[0] > 0) {
        d[LATCH_ON] = 1.0;
        d[LATCH_N_SET] += 1.0;
    }
    if (what->fired[1] > 0) {
        d[LATCH_ON] = 0.0;
        d[LATCH_N_RESET] += 1.0;
    }
}

MODEL(latch, "latch", "set by one input, reset by the other", latch_params,
      .describe = latch_describe, .output = latch_output, .indicator = latch_indicator,
      .event = latch_event);

/* ---- split.bead: a pendulum bead between two neighbours, theta'' = -omega^2 sin(theta)
 *
 * The bead touches a neighbour when their angles differ by the gap and they approach each other. The event computes the velocity after an
 * elastic collision from both velocities before: w+ = ((m - m_o) w + 2 m_o w_o) / (m + m_o). Mass 0: no neighbour. */

enum { BEAD_OMEGA, BEAD_MASS, BEAD_MASS_LEFT, BEAD_MASS_RIGHT, BEAD_GAP };
enum { BEAD_THETA_LEFT, BEAD_W_LEFT, BEAD_THETA_RIGHT, BEAD_W_RIGHT };
static const wrsim_variable bead_params[] = {
    VARIABLE(BEAD_OMEGA, "omega", "sqrt(g / L)", 1.0), VARIABLE(BEAD_MASS, "mass", "own mass", 1.0),
    VARIABLE(BEAD_MASS_LEFT, "mass_left", "mass of the left neighbour, 0: none", 0.0),
    VARIABLE(BEAD_MASS_RIGHT, "mass_right", "mass of the right neighbour, 0: none", 0.0),
    VARIABLE(BEAD_GAP, "gap", "sum of radii as an angle", 0.1)};
DECLARE(bead_describe, "state: theta w discrete: d_n input: theta_left w_left theta_right w_right "
                       "output: theta:0 w:1 n~ indicator: left> right> U_Y: -")

RHS(bead_rhs)
{
    const double omega = self->param[BEAD_OMEGA];
    ret_dx[0] = at->x[1];
    ret_dx[1] = -omega * omega * sin(at->x[0]);
}

OUTPUTS(bead_output)
{
    ret_y[0] = at->x[0];
    ret_y[1] = at->x[1];
    ret_y[2] = at->d[0];
}

INDICATORS(bead_indicator)
{
    const double *const p = self->param, *const u = at->u;
    ret_z[0] = p[BEAD_MASS_LEFT] > 0.0 ? at->x[0] - u[BEAD_THETA_LEFT] - p[BEAD_GAP] : 1.0;
    ret_z[1] = p[BEAD_MASS_RIGHT] > 0.0 ? u[BEAD_THETA_RIGHT] - at->x[0] - p[BEAD_GAP] : 1.0;
}

/* Returns the bead's velocity after a collision with a mass and a velocity. */
static double after_collision(double mass, double w, double mass_other, double w_other)
{
    return ((mass - mass_other) * w + 2.0 * mass_other * w_other) / (mass + mass_other);
}

EVENT(bead_event)
{
    const double *const p = self->param, *const u = at->u, w = at->x[1];
    if (what->fired[0] < 0 && u[BEAD_W_LEFT] > w) {
        x[1] = after_collision(p[BEAD_MASS], w, p[BEAD_MASS_LEFT], u[BEAD_W_LEFT]);
        d[0] += 1.0;
    }
    if (what->fired[1] < 0 && u[BEAD_W_RIGHT] < w) {
        x[1] = after_collision(p[BEAD_MASS], w, p[BEAD_MASS_RIGHT], u[BEAD_W_RIGHT]);
        d[0] += 1.0;
    }
}

MODEL(bead, "bead", "pendulum bead that collides with two neighbours", bead_params,
      .describe = bead_describe, .rhs = bead_rhs, .output = bead_output,
      .indicator = bead_indicator, .event = bead_event);

const wrsim_model *const wr_split_causes_models[] = {&latch, &bead, NULL};
