/* Heat rod: one-dimensional conduction in n cells, with a film at either end and a heat source in the first cell.
 *
 *     C T_i' = K (T_{i-1} - T_i) + K (T_{i+1} - T_i),    C = capacity area dx,  K = conductivity area / dx,  dx = length / n
 *     ends: K_end (T_end - T_1) with K_end = area / (dx / (2 conductivity) + 1 / film), 0 for film = 0 (insulated)
 *
 * Cells are centred: half a cell is between an end and the first temperature. Without films (Neumann) and with infinite
 * films (Dirichlet) the eigenvalues are known, -4 K / C sin^2(k pi / 2n) (models/heat_rod/readme.md).
 *
 * Source: finite volumes for u_t = a u_xx; a test case of model order reduction (docs/METHODS.md, Reduction).
 *
 * Thread: one at a time per instance. Real-time: yes, except describe().
 */
#include "models/describe.h"

enum { N, LENGTH, AREA, CONDUCTIVITY, CAPACITY, FILM_LEFT, FILM_RIGHT, T_START, N_PARAM };
enum { T_LEFT, T_RIGHT, HEAT };
enum { T_FIRST, T_MIDDLE, T_LAST, FLOW_LEFT, FLOW_RIGHT };

static const wrsim_variable params[N_PARAM] = {
    [N] = WR_INTEGER("n", "1", 20.0, 1.0, 100000.0, "cells"),
    [LENGTH] = WR_PARAM("length", "m", 1.0, 1e-9, 1e9, "length of the rod"),
    [AREA] = WR_PARAM("area", "m2", 1e-4, 1e-18, 1e6, "cross-section"),
    [CONDUCTIVITY] =
        WR_TUNABLE("conductivity", "W/(m.K)", 400.0, 1e-6, 1e6, "heat conductivity (copper)"),
    [CAPACITY] =
        WR_TUNABLE("capacity", "J/(m3.K)", 3.4e6, 1e-6, 1e12, "heat capacity of a volume (copper)"),
    [FILM_LEFT] =
        WR_TUNABLE("film_left", "W/(m2.K)", 0.0, 0.0, 1e18,
                   "heat transfer coefficient between T_left and the left end; 0: insulated"),
    [FILM_RIGHT] =
        WR_TUNABLE("film_right", "W/(m2.K)", 1000.0, 0.0, 1e18,
                   "heat transfer coefficient between T_right and the right end; 0: insulated"),
    [T_START] = WR_PARAM("T_start", "K", 293.15, 0.0, 1e5, "start temperature of all cells"),
};

/* Constants that follow from the parameters. */
typedef struct rod {
    int n;
    /* conductance between two cells, W/K; heat capacity of a cell, J/K */
    double conductance, capacity;
    double left, right; /* conductances of the ends, W/K */
} rod;

static int n_cells(const wrsim_instance *self) { return (int)self->param[N]; }

static double end_conductance(double area, double half_cell, double film)
{
    return film > 0.0 ? area / (half_cell + 1.0 / film) : 0.0;
}

static rod rod_of(const wrsim_instance *self)
{
    const double *const p = self->param;
    const double dx = p[LENGTH] / p[N], half_cell = 0.5 * dx / p[CONDUCTIVITY];
    return (rod){.n = n_cells(self),
                 .conductance = p[CONDUCTIVITY] * p[AREA] / dx,
                 .capacity = p[CAPACITY] * p[AREA] * dx,
                 .left = end_conductance(p[AREA], half_cell, p[FILM_LEFT]),
                 .right = end_conductance(p[AREA], half_cell, p[FILM_RIGHT])};
}

static int describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    const int n = n_cells(self), last = n - 1;
    const wrsim_variable cell =
        WR_VALUE(NULL, "K", self->param[T_START], 100.0, "temperature of a cell");
    const wr_row rows[] = {
        WR_INPUT_FROM("T_left", "K", 293.15, 100.0, "ambient temperature at the left film"),
        WR_INPUT_FROM("T_right", "K", 293.15, 100.0, "ambient temperature at the right film"),
        WR_INPUT("heat", "W", 10.0, "heat flow into the first cell"),
        WR_COPY("T_first", "K", 100.0, 0, "temperature of the first cell"),
        WR_COPY("T_middle", "K", 100.0, n / 2, "temperature of the cell in the middle"),
        WR_COPY("T_last", "K", 100.0, last, "temperature of the last cell"),
        WR_OUTPUT("flow_left", "W", 10.0, "heat flow into the rod at its left end"),
        WR_OUTPUT("flow_right", "W", 10.0, "heat flow into the rod at its right end"),
    };
    const struct {
        wrsim_pattern pattern;
        int row, column;
    } entries[] = {{WRSIM_U_X, 0, T_LEFT},         {WRSIM_U_X, 0, HEAT},
                   {WRSIM_U_X, last, T_RIGHT},     {WRSIM_X_Y, T_FIRST, 0},
                   {WRSIM_X_Y, T_MIDDLE, n / 2},   {WRSIM_X_Y, T_LAST, last},
                   {WRSIM_X_Y, FLOW_LEFT, 0},      {WRSIM_X_Y, FLOW_RIGHT, last},
                   {WRSIM_U_Y, FLOW_LEFT, T_LEFT}, {WRSIM_U_Y, FLOW_RIGHT, T_RIGHT}};
    int bad = 0;
    for (int i = 1; i <= n; i++)
        bad |= wr_describe_named(to, WRSIM_STATE, cell, "T[%d]", i);
    bad |= WR_DESCRIBE_ROWS(to, rows) | wr_describe_chain(to, n);
    for (int i = 0; i < WR_DESCRIBE_COUNT(entries); i++)
        bad |= to->depends(to, entries[i].pattern, entries[i].row, entries[i].column);
    return bad;
}

static int output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    const rod r = rod_of(self);
    ret_y[FLOW_LEFT] = r.left * (at->u[T_LEFT] - at->x[0]);
    ret_y[FLOW_RIGHT] = r.right * (at->u[T_RIGHT] - at->x[r.n - 1]);
    return 0;
}

/* Computes each flow once per cell border, so that two adjacent cells exchange the same heat to the last bit. */
static int rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    const rod r = rod_of(self);
    const double *const T = at->x;
    double in = r.left * (at->u[T_LEFT] - T[0]) + at->u[HEAT];
    for (int i = 0; i < r.n; i++) {
        const double out =
            i < r.n - 1 ? r.conductance * (T[i] - T[i + 1]) : r.right * (T[i] - at->u[T_RIGHT]);
        ret_dx[i] = (in - out) / r.capacity;
        in = out;
    }
    return 0;
}

static int jacobian(wrsim_instance *self, const wrsim_point *at, double *ret_value)
{
    (void)at;
    const rod r = rod_of(self);
    const double rate = r.conductance / r.capacity;
    for (int column = 0; column < r.n; column++) {
        const double left = column > 0 ? r.conductance : r.left;
        const double right = column < r.n - 1 ? r.conductance : r.right;
        if (column > 0)
            *ret_value++ = rate;
        *ret_value++ = -(left + right) / r.capacity;
        if (column < r.n - 1)
            *ret_value++ = rate;
    }
    return 0;
}

static int tangent(wrsim_instance *self, const wrsim_point *at, const double *x_change,
                   const double *u_change, double *ret_dx)
{
    (void)at;
    const wrsim_point changes = {.x = x_change, .u = u_change}; /* rhs() is linear in x and u */
    return rhs(self, &changes, ret_dx);
}

static int tangent_output(wrsim_instance *self, const wrsim_point *at, const double *x_change,
                          const double *u_change, double *ret_dy)
{
    (void)at;
    const wrsim_point changes = {.x = x_change, .u = u_change};
    return output(self, &changes, ret_dy);
}

const wrsim_model wr_model_heat_rod = {
    WR_MODEL("heat_rod", "heat conduction along a rod with a given number of cells", params,
             describe),
    .rhs = rhs,
    .output = output,
    .jacobian_sparse = jacobian,
    .tangent = tangent,
    .tangent_output = tangent_output,
};
