/* Heat rod: one-dimensional conduction in n cells, with a film at either end and heat put into the first cell.
 *
 *     C T_i' = K (T_{i-1} - T_i) + K (T_{i+1} - T_i),    C = capacity area dx,  K = conductivity area / dx,  dx = length / n
 *     ends: K_end (T_end - T_1) with K_end = area / (dx / (2 conductivity) + 1 / film), 0 for film = 0 (insulated)
 *
 * Cells are centred, so that half a cell lies between an end and the first temperature. Without films (Neumann) and with
 * infinite ones (Dirichlet) the eigenvalues are known, -4 K / C sin^2(k pi / 2n): see the readme.
 *
 * Source: finite volumes for u_t = a u_xx; a test case of model order reduction (docs/METHODS.md, Reduction).
 *
 * Thread: one at a time per instance. Real-time: yes.
 */
#include <stdio.h>

#include "models/describe.h"

extern const wrsim_model wr_model_heat_rod;

enum { N, LENGTH, AREA, CONDUCTIVITY, CAPACITY, FILM_LEFT, FILM_RIGHT, T_START, N_PARAM };
enum { T_LEFT, T_RIGHT, HEAT };
enum { T_FIRST, T_MIDDLE, T_LAST, FLOW_LEFT, FLOW_RIGHT };

static const wrsim_variable params[N_PARAM] = {
    [N] = {.name = "n",
           .unit = "1",
           .description = "cells",
           .start = 20.0,
           .min = 1.0,
           .max = 100000.0,
           .flags = WRSIM_INTEGER},
    [LENGTH] = {.name = "length",
                .unit = "m",
                .description = "length of the rod",
                .start = 1.0,
                .min = 1e-9,
                .max = 1e9},
    [AREA] = {.name = "area",
              .unit = "m2",
              .description = "cross-section",
              .start = 1e-4,
              .min = 1e-18,
              .max = 1e6},
    [CONDUCTIVITY] = {.name = "conductivity",
                      .unit = "W/(m.K)",
                      .description = "heat conductivity (copper)",
                      .start = 400.0,
                      .min = 1e-6,
                      .max = 1e6,
                      .flags = WRSIM_TUNABLE},
    [CAPACITY] = {.name = "capacity",
                  .unit = "J/(m3.K)",
                  .description = "heat capacity of a volume (copper)",
                  .start = 3.4e6,
                  .min = 1e-6,
                  .max = 1e12,
                  .flags = WRSIM_TUNABLE},
    [FILM_LEFT] = {.name = "film_left",
                   .unit = "W/(m2.K)",
                   .description =
                       "heat transfer coefficient between T_left and the left end; 0: insulated",
                   .start = 0.0,
                   .min = 0.0,
                   .max = 1e18,
                   .flags = WRSIM_TUNABLE},
    [FILM_RIGHT] = {.name = "film_right",
                    .unit = "W/(m2.K)",
                    .description =
                        "heat transfer coefficient between T_right and the right end; 0: insulated",
                    .start = 1000.0,
                    .min = 0.0,
                    .max = 1e18,
                    .flags = WRSIM_TUNABLE},
    [T_START] = {.name = "T_start",
                 .unit = "K",
                 .description = "start temperature of all cells",
                 .start = 293.15,
                 .min = 0.0,
                 .max = 1e5},
};
static const wrsim_variable inputs[] = {
    [T_LEFT] = {.name = "T_left",
                .unit = "K",
                .description = "ambient temperature at the left film",
                .start = 293.15,
                .nominal = 100.0},
    [T_RIGHT] = {.name = "T_right",
                 .unit = "K",
                 .description = "ambient temperature at the right film",
                 .start = 293.15,
                 .nominal = 100.0},
    [HEAT] = {.name = "heat",
              .unit = "W",
              .description = "heat flow into the first cell",
              .nominal = 10.0},
};

/* Constants computed from the parameters. */
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

static int add_cell(wrsim_description *to, int i, double start)
{
    char name[24];
    snprintf(name, sizeof name, "T[%d]", i + 1);
    const wrsim_variable cell = {.name = name,
                                 .unit = "K",
                                 .description = "temperature of a cell",
                                 .start = start,
                                 .nominal = 100.0};
    return to->add(to, WRSIM_STATE, &cell);
}

static int add_outputs(const wrsim_instance *self, wrsim_description *to)
{
    const int n = n_cells(self);
    const wrsim_variable outputs[] = {
        [T_FIRST] = {.name = "T_first",
                     .unit = "K",
                     .description = "temperature of the first cell",
                     .nominal = 100.0,
                     .flags = WRSIM_IS_STATE,
                     .index = 0},
        [T_MIDDLE] = {.name = "T_middle",
                      .unit = "K",
                      .description = "temperature of the cell in the middle",
                      .nominal = 100.0,
                      .flags = WRSIM_IS_STATE,
                      .index = n / 2},
        [T_LAST] = {.name = "T_last",
                    .unit = "K",
                    .description = "temperature of the last cell",
                    .nominal = 100.0,
                    .flags = WRSIM_IS_STATE,
                    .index = n - 1},
        [FLOW_LEFT] = {.name = "flow_left",
                       .unit = "W",
                       .description = "heat flow into the rod at its left end",
                       .nominal = 10.0},
        [FLOW_RIGHT] = {.name = "flow_right",
                        .unit = "W",
                        .description = "heat flow into the rod at its right end",
                        .nominal = 10.0},
    };
    return WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, outputs);
}

static int describe_patterns(const wrsim_instance *self, wrsim_description *to)
{
    const int n = n_cells(self), last = n - 1;
    for (int row = 0; row < n; row++)
        for (int column = row - 1; column <= row + 1; column++)
            if (column >= 0 && column < n && to->depends(to, WRSIM_X_X, row, column))
                return -1;
    if (to->depends(to, WRSIM_U_X, 0, T_LEFT) || to->depends(to, WRSIM_U_X, 0, HEAT) ||
        to->depends(to, WRSIM_U_X, last, T_RIGHT))
        return -1;
    if (to->depends(to, WRSIM_X_Y, T_FIRST, 0) || to->depends(to, WRSIM_X_Y, T_MIDDLE, n / 2) ||
        to->depends(to, WRSIM_X_Y, T_LAST, last) || to->depends(to, WRSIM_X_Y, FLOW_LEFT, 0) ||
        to->depends(to, WRSIM_X_Y, FLOW_RIGHT, last))
        return -1;
    return to->depends(to, WRSIM_U_Y, FLOW_LEFT, T_LEFT) ||
                   to->depends(to, WRSIM_U_Y, FLOW_RIGHT, T_RIGHT)
               ? -1
               : 0;
}

static int describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    for (int i = 0; i < n_cells(self); i++)
        if (add_cell(to, i, self->param[T_START]))
            return -1;
    if (WR_DESCRIBE_ADD(to, WRSIM_INPUT, inputs) || add_outputs(self, to))
        return -1;
    return describe_patterns(self, to);
}

static int output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    const rod r = rod_of(self);
    ret_y[FLOW_LEFT] = r.left * (at->u[T_LEFT] - at->x[0]);
    ret_y[FLOW_RIGHT] = r.right * (at->u[T_RIGHT] - at->x[r.n - 1]);
    return 0;
}

/* Flows are computed once per cell border, so that two neighbours exchange exactly the same heat, to the last bit. */
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
    const wrsim_point changes = {.x = x_change, .u = u_change}; /* the output is linear */
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
    .abi = WRSIM_MODEL_ABI,
    .struct_size = sizeof(wrsim_model),
    .name = "heat_rod",
    .description = "heat conduction along a rod with a given number of cells",
    .caps = WRSIM_CAP_RT_SAFE,
    .n_param = N_PARAM,
    .params = params,
    .describe = describe,
    .rhs = rhs,
    .output = output,
    .jacobian_sparse = jacobian,
    .tangent = tangent,
    .tangent_output = tangent_output,
};
