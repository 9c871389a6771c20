/* A line of capacitors and resistors. Ten junctions have no capacitor, but a varistor to ground. The line is a DAE of
 * index 1 with 40 + 10 unknowns. Its mass matrix is neither regular nor diagonal.
 *
 *     u --R-- w[1] --R-- v[1] --R-- v[2] --R-- v[3] --R-- v[4] --R-- w[2] --R-- v[5] -- ... -- v[40]
 *
 *     nodes       C_i v_i' + C_c sum_j (v_i - v_j)' = (left - v_i + right - v_i) / R      j: neighbours of i among the last 3 of its group
 *     junctions   0 = (left - w + right - w) / R - G (w + b w^3)
 *
 * The first node of each group has a hundred-thousandth of the capacitance of the other nodes, so the first node is fast.
 * When v[20] first rises above `threshold`, all varistors switch permanently to `switched` times G, and the junctions jump.
 *
 * varistor_line_reduced is the same line as an ODE of 40 states, for use as an independent reference. The ODE computes the
 * voltage of each junction from the voltages of the adjacent nodes, to rounding.
 *
 * Thread: one at a time per instance. Real-time: yes, except describe().
 */
#include <math.h>
#include <stddef.h>

#include "models/describe.h"

enum { N_GROUP = 10, IN_GROUP = 4, N_NODE = N_GROUP * IN_GROUP, N_STATE = N_NODE + N_GROUP };
enum { WATCHED = 19 }; /* index of v[20] */
static const double fast_part = 1e-5;

enum { R, C, C_COUPLED, G, B, SWITCHED, THRESHOLD, N_PARAM };
static const wrsim_variable params[N_PARAM] = {
    [R] = WR_PARAM("R", "ohm", 1.0, 1e-9, 1e9, "resistance of each resistor"),
    [C] = WR_PARAM("C", "F", 1e-2, 1e-15, 1e6, "capacitance of a node"),
    [C_COUPLED] =
        WR_PARAM("C_c", "F", 2e-3, 0.0, 1e6, "capacitance between the last three nodes of a group"),
    [G] = WR_PARAM("G", "S", 0.02, 0.0, 1e9, "conductance of a varistor at 0 V"),
    [B] =
        WR_PARAM("b", "1/V2", 5.0, 0.0, 1e6, "growth of the conductance with the squared voltage"),
    [SWITCHED] = WR_PARAM("switched", "1", 3.0, 0.0, 1e6,
                          "factor on G after v[20] has passed the threshold"),
    [THRESHOLD] = WR_PARAM("threshold", "V", 0.1, -1e6, 1e6,
                           "voltage of v[20] at which the varistors switch"),
};

static int is_first(int node) { return node % IN_GROUP == 0; }
static int is_last(int node) { return node % IN_GROUP == IN_GROUP - 1; }
/* Returns the index of the junction before a group of four nodes; junctions follow all nodes. */
static int junction(int group) { return N_NODE + group; }
/* Return the indices of the states to the left and right of a node; -1: open end. */
static int left_of(int node) { return is_first(node) ? junction(node / IN_GROUP) : node - 1; }
static int right_of(int node)
{
    return !is_last(node) ? node + 1 : node + 1 < N_NODE ? junction(node / IN_GROUP + 1) : -1;
}

static double capacitor(const wrsim_instance *self, int node)
{
    return self->param[C] * (is_first(node) ? fast_part : 1.0);
}

static int describe_mass(const wrsim_instance *self, wrsim_description *to)
{
    if (to->struct_size <= offsetof(wrsim_description, mass))
        return -1;
    for (int i = 0; i < N_NODE; i++) {
        double diagonal = capacitor(self, i);
        for (int j = i - 1; j <= i + 1; j += 2) {
            /* Capacitors couple the nodes of a group, except for the first, which is fast. */
            if (j < 0 || j >= N_NODE ||
                !(i / IN_GROUP == j / IN_GROUP && !is_first(i) && !is_first(j) &&
                  (i - j == 1 || j - i == 1)))
                continue;
            diagonal += self->param[C_COUPLED];
            if (to->mass(to, i, j, -self->param[C_COUPLED]))
                return -1;
        }
        if (to->mass(to, i, i, diagonal))
            return -1;
    }
    return 0;
}

static int add_states(wrsim_description *to, wrsim_kind kind, const char *letter, int n)
{
    int bad = 0;
    for (int i = 1; i <= n; i++)
        bad |= wr_describe_named(to, kind, (wrsim_variable)WR_SIGNAL(NULL, "V", 0.1, "voltage"),
                                 "%s[%d]", letter, i);
    return bad;
}

static int describe_common(wrsim_description *to)
{
    static const wr_row rows[] = {
        WR_INPUT("u", "V", 1.0, "voltage at the left end"),
        WR_DISCRETE("is_switched", "1", 0, "1: v[20] has passed the threshold"),
        WR_INDICATOR("v20", "V", 0.1, "v[20] - threshold", .flags = WRSIM_RISING_ONLY),
        WR_COPY("v_last", "V", 0.1, N_NODE - 1, "v[40]"),
    };
    return WR_DESCRIBE_ROWS(to, rows) || to->depends(to, WRSIM_X_Z, 0, WATCHED) ||
           to->depends(to, WRSIM_U_Z, -1, -1);
}

static int describe_dae(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    static const wrsim_variable first =
        WR_STATE_OUTPUT("w_first", "V", 0.1, N_NODE, "w[1], which depends on u without delay");
    if (add_states(to, WRSIM_STATE, "v", N_NODE) || add_states(to, WRSIM_STATE, "w", N_GROUP) ||
        describe_common(to) || to->add(to, WRSIM_OUTPUT, &first) || describe_mass(self, to))
        return -1;
    int status = to->depends(to, WRSIM_U_X, junction(0), 0);
    for (int i = 0; i < N_NODE; i++) {
        status |= to->depends(to, WRSIM_X_X, i, i) | to->depends(to, WRSIM_X_X, i, left_of(i));
        if (right_of(i) >= 0)
            status |= to->depends(to, WRSIM_X_X, i, right_of(i));
    }
    for (int g = 0; g < N_GROUP; g++) {
        status |= to->depends(to, WRSIM_X_X, junction(g), junction(g)) |
                  to->depends(to, WRSIM_X_X, junction(g), g * IN_GROUP);
        if (g > 0)
            status |= to->depends(to, WRSIM_X_X, junction(g), g * IN_GROUP - 1);
    }
    return status ? -1 : to->depends(to, WRSIM_U_Y, -1, -1);
}

static int describe_ode(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    (void)self;
    return add_states(to, WRSIM_STATE, "v", N_NODE) || describe_common(to) ||
           add_states(to, WRSIM_OUTPUT, "w", N_GROUP);
}

static double conductance(const wrsim_instance *self, const wrsim_point *at)
{
    return self->param[G] * (at->d[0] > 0.5 ? self->param[SWITCHED] : 1.0);
}

/* Returns the current into a junction, A. */
static double into(const wrsim_instance *self, double g, double left, double w, double right)
{
    return (left - 2.0 * w + right) / self->param[R] - g * w * (1.0 + self->param[B] * w * w);
}

static double left_of_junction(const wrsim_point *at, int group)
{
    return group > 0 ? at->x[group * IN_GROUP - 1] : at->u[0];
}

/* Computes the currents into the nodes, A. */
static void into_nodes(const wrsim_instance *self, const double *v, const double *w,
                       double *ret_current)
{
    for (int i = 0; i < N_NODE; i++) {
        const double left = is_first(i) ? w[i / IN_GROUP] : v[i - 1];
        const double right = right_of(i) < 0 ? v[i] : is_last(i) ? w[i / IN_GROUP + 1] : v[i + 1];
        ret_current[i] = (left - 2.0 * v[i] + right) / self->param[R];
    }
}

static int rhs_dae(wrsim_instance *self, const wrsim_point *at, double *ret_f)
{
    const double *const w = at->x + N_NODE, g = conductance(self, at);
    into_nodes(self, at->x, w, ret_f);
    for (int k = 0; k < N_GROUP; k++)
        ret_f[N_NODE + k] = into(self, g, left_of_junction(at, k), w[k], at->x[k * IN_GROUP]);
    return 0;
}

/* Returns the voltage of a junction. Newton's method starts at 0. The first step reaches or passes the root. The next steps approach
 * the root from that side, because the cubic is monotonic and has its inflection at 0. */
static double solve_junction(const wrsim_instance *self, double g, double left, double right)
{
    double w = 0.0;
    for (int step = 0; step < 60; step++) {
        const double slope = -2.0 / self->param[R] - g * (1.0 + 3.0 * self->param[B] * w * w);
        const double by = into(self, g, left, w, right) / slope;
        w -= by;
        if (fabs(by) <= 1e-16 * fabs(w))
            break;
    }
    return w;
}

static void solve_junctions(const wrsim_instance *self, const wrsim_point *at, double *ret_w)
{
    const double g = conductance(self, at);
    for (int k = 0; k < N_GROUP; k++)
        ret_w[k] = solve_junction(self, g, left_of_junction(at, k), at->x[k * IN_GROUP]);
}

/* Solves for the last three nodes of a group: [C + c, -c, 0; -c, C + 2 c, -c; 0, -c, C + c]^-1, by elimination. */
static void solve_group(double capacitor, double c, double *current)
{
    double d[3] = {capacitor + c, capacitor + 2.0 * c, capacitor + c};
    for (int i = 1; i < 3; i++) {
        d[i] -= c * c / d[i - 1];
        current[i] += c / d[i - 1] * current[i - 1];
    }
    current[2] /= d[2];
    for (int i = 1; i >= 0; i--)
        current[i] = (current[i] + c * current[i + 1]) / d[i];
}

static int rhs_ode(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    double w[N_GROUP];
    solve_junctions(self, at, w);
    into_nodes(self, at->x, w, ret_dx);
    for (int k = 0; k < N_GROUP; k++) {
        double *const group = ret_dx + k * IN_GROUP;
        group[0] /= capacitor(self, k * IN_GROUP);
        solve_group(self->param[C], self->param[C_COUPLED], group + 1);
    }
    return 0;
}

static int output_ode(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    solve_junctions(self, at, ret_y + 1);
    return 0;
}

static int output_dae(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    (void)self;
    (void)at;
    (void)ret_y; /* all outputs are states */
    return 0;
}

static int indicator(wrsim_instance *self, const wrsim_point *at, double *ret_z)
{
    ret_z[0] = at->x[WATCHED] - self->param[THRESHOLD];
    return 0;
}

static int event(wrsim_instance *self, const wrsim_point *at, const wrsim_event *what, double *x,
                 double *d)
{
    (void)self;
    (void)x;
    if (what->is_initial)
        d[0] = at->mode[0];
    else if (what->fired && what->fired[0] > 0)
        d[0] = 1.0;
    return 0;
}

const wrsim_model wr_model_varistor_line = {
    WR_MODEL("varistor_line", "line with ten algebraic junctions: a DAE of 50 unknowns", params,
             describe_dae),
    .rhs = rhs_dae,
    .output = output_dae,
    .indicator = indicator,
    .event = event,
};

const wrsim_model wr_model_varistor_line_reduced = {
    WR_MODEL("varistor_line_reduced",
             "line of varistor_line with eliminated junctions: an ODE of 40 states", params,
             describe_ode),
    .rhs = rhs_ode,
    .output = output_ode,
    .indicator = indicator,
    .event = event,
};
