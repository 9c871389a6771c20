/* Models whose inputs and outputs have any unit, for units.py. A model computes with normalised values: s = (factor_u u + offset_u -
 * zero_u) / size_u for an input u, and y = (zero_y + size_y v - offset_y) / factor_y for an output. So a config in other units has the same
 * solution. */
#include <math.h>
#include <stddef.h>

#include "wrsim/model.h"

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const wrsim_model *const *
wrsim_plugin_models(uint32_t abi);

enum {
    FACTOR_U,
    OFFSET_U,
    ZERO_U,
    SIZE_U,
    FACTOR_Y,
    OFFSET_Y,
    ZERO_Y,
    SIZE_Y,
    RATE,
    UNIT_U,
    UNIT_Y,
    N_PARAM
};
enum { N_U = 3 };
typedef enum form { LAG, BLOCK, TANGENT, SWITCH, GAIN, STEPPER } form;

static const wrsim_variable params[N_PARAM] = {{.name = "factor_u", .start = 1.0},
                                               {.name = "offset_u"},
                                               {.name = "zero_u"},
                                               {.name = "size_u", .start = 1.0},
                                               {.name = "factor_y", .start = 1.0},
                                               {.name = "offset_y"},
                                               {.name = "zero_y"},
                                               {.name = "size_y", .start = 1.0},
                                               {.name = "rate", .start = 3.0},
                                               {.name = "unit_u", .flags = WRSIM_TEXT},
                                               {.name = "unit_y", .flags = WRSIM_TEXT}};

static form form_of(const wrsim_instance *self) { return (form)(size_t)self->user; }

static double input_of(const wrsim_instance *self, double u)
{
    const double *const p = self->param;
    return (p[FACTOR_U] * u + p[OFFSET_U] - p[ZERO_U]) / p[SIZE_U];
}

static double output_of(const wrsim_instance *self, double v)
{
    const double *const p = self->param;
    return (p[ZERO_Y] + p[SIZE_Y] * v - p[OFFSET_Y]) / p[FACTOR_Y];
}

static double value_of(const wrsim_instance *self, double y)
{
    const double *const p = self->param;
    return (p[FACTOR_Y] * y + p[OFFSET_Y] - p[ZERO_Y]) / p[SIZE_Y];
}

static const double *inputs_at(const wrsim_instance *self, const wrsim_point *at)
{
    return form_of(self) == BLOCK ? at->port[0] : at->u;
}

static int describe(wrsim_instance *self, wrsim_description *to)
{
    static const char *const u_names[N_U] = {"u0", "u1", "u2"};
    const double *const p = self->param;
    const form f = form_of(self);
    to->time_scale_s = 0.1;
    int rc = 0;
    for (int i = 0; i < N_U; i++)
        rc |= to->add(to, WRSIM_INPUT,
                      &(wrsim_variable){.name = u_names[i],
                                        .unit = self->text[UNIT_U],
                                        .start = (p[ZERO_U] - p[OFFSET_U]) / p[FACTOR_U],
                                        .nominal = p[SIZE_U] / p[FACTOR_U]});
    const wrsim_variable x = {.name = "x",
                              .unit = self->text[UNIT_Y],
                              .start = output_of(self, 0.5),
                              .nominal = p[SIZE_Y] / p[FACTOR_Y]};
    wrsim_variable y0 = x, y1 = x;
    y0.name = "y0";
    y1.name = "y1";
    if (f != GAIN && f != STEPPER) {
        rc |= to->add(to, WRSIM_STATE, &x);
        y0.flags = WRSIM_IS_STATE;
    }
    if (f == STEPPER)
        to->memory_bytes = sizeof(double);
    rc |= to->add(to, WRSIM_OUTPUT, &y0) | to->add(to, WRSIM_OUTPUT, &y1);
    if (f == BLOCK)
        rc |= to->port(to, 0, N_U);
    if (f == SWITCH)
        rc |= to->add(to, WRSIM_INDICATOR, &(wrsim_variable){.name = "z", .nominal = 1.0});
    if (f == GAIN)
        rc |= to->depends(to, WRSIM_U_Y, 0, 0) | to->depends(to, WRSIM_U_Y, 1, 1) |
              to->depends(to, WRSIM_U_Y, 1, 2);
    else if (f != STEPPER)
        rc |= to->depends(to, WRSIM_U_Y, 1, 2) | to->depends(to, WRSIM_X_Y, 1, 0);
    return rc;
}

static double slope_of(const wrsim_instance *self, double t_s, double v, const double *u,
                       double sign)
{
    return self->param[RATE] * (0.6 * sin(input_of(self, u[0])) +
                                0.3 * sign * input_of(self, u[1]) + 0.5 * sin(3.0 * t_s) - v);
}

static int rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    const double sign = form_of(self) == SWITCH && at->mode[0] ? -1.0 : 1.0;
    const double slope =
        slope_of(self, at->t_s, value_of(self, at->x[0]), inputs_at(self, at), sign);
    ret_dx[0] = slope * self->param[SIZE_Y] / self->param[FACTOR_Y];
    return 0;
}

static int output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    const double *const u = inputs_at(self, at);
    if (form_of(self) == GAIN) {
        ret_y[0] = output_of(self, 0.4 * sin(input_of(self, u[0])) + 0.2 * sin(5.0 * at->t_s));
        ret_y[1] = output_of(self, 0.3 * input_of(self, u[1]) - 0.3 * sin(input_of(self, u[2])));
        return 0;
    }
    if (form_of(self) == STEPPER) {
        ret_y[0] = ret_y[1] = output_of(self, *(const double *)self->memory);
        return 0;
    }
    ret_y[1] = output_of(self, 0.5 * value_of(self, at->x[0]) + 0.3 * input_of(self, u[2]));
    return 0;
}

static int indicator(wrsim_instance *self, const wrsim_point *at, double *ret_z)
{
    ret_z[0] = input_of(self, at->u[0]) - 0.1;
    return 0;
}

static int tangent(wrsim_instance *self, const wrsim_point *at, const double *x_change,
                   const double *u_change, double *ret_dx)
{
    const double *const p = self->param;
    const double s[2] = {u_change[0] * p[FACTOR_U] / p[SIZE_U],
                         u_change[1] * p[FACTOR_U] / p[SIZE_U]};
    ret_dx[0] = p[RATE] * ((0.6 * cos(input_of(self, at->u[0])) * s[0] + 0.3 * s[1]) * p[SIZE_Y] /
                               p[FACTOR_Y] -
                           x_change[0]);
    return 0;
}

static int tangent_output(wrsim_instance *self, const wrsim_point *at, const double *x_change,
                          const double *u_change, double *ret_dy)
{
    const double *const p = self->param;
    (void)at;
    ret_dy[1] =
        0.5 * x_change[0] + 0.3 * u_change[2] * p[FACTOR_U] / p[SIZE_U] * p[SIZE_Y] / p[FACTOR_Y];
    return 0;
}

/* The classical Runge-Kutta method with small steps, so that the ends of windows do not matter. */
static int advance(wrsim_instance *self, const wrsim_step *step, double *ret_slope)
{
    double *const v = self->memory;
    double u[N_U], slope[N_U], k[4];
    const int n = (int)ceil((step->end_s - step->t_s) / 2e-3);
    const double h_s = (step->end_s - step->t_s) / n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 4; j++) {
            const double share = j == 0  ? 0.0
                                 : j < 3 ? 0.5
                                         : 1.0,
                         t_s = step->t_s + (i + share) * h_s;
            step->input(step, t_s, u, slope);
            k[j] = slope_of(self, t_s, *v + (j > 0 ? share * h_s * k[j - 1] : 0.0), u, 1.0);
            if (j == 3)
                *v += h_s / 6.0 * (k[0] + 2.0 * k[1] + 2.0 * k[2] + k[3]);
        }
    /* The slope of an input near its mean slope shows that both have one unit. */
    step->input(step, 0.5 * (step->t_s + step->end_s), u, slope);
    for (int i = 0; i < N_U; i++) {
        const double change = step->u_end[i] - step->u[i];
        const double size = fabs(self->param[SIZE_U] / self->param[FACTOR_U]);
        if (!(fabs(slope[i] * (step->end_s - step->t_s) - change) <=
              0.2 * fabs(change) + 2e-3 * size)) {
            self->message = "the slope of an input is wrong";
            return -1;
        }
    }
    ret_slope[0] = slope_of(self, step->end_s, *v, step->u_end, 1.0) * self->param[SIZE_Y] /
                   self->param[FACTOR_Y];
    ret_slope[1] = ret_slope[0];
    return 0;
}

/* Steps are short, so that the cubics between their ends are exact enough. */
static double next_time(wrsim_instance *self, const wrsim_point *at)
{
    (void)self;
    return at->t_s + 2e-3;
}

static const wrsim_stepper stepper = {.struct_size = sizeof stepper, .advance = advance};

#define MODEL(model_name, form, ...)                                                               \
    {                                                                                              \
        .abi = WRSIM_MODEL_ABI, .struct_size = sizeof(wrsim_model), .name = model_name,            \
        .description = "test of units", .caps = WRSIM_CAP_RT_SAFE, .n_param = N_PARAM,             \
        .params = params, .describe = describe, .output = output,                                  \
        .user = (const void *)(size_t)form, __VA_ARGS__                                            \
    }

static const wrsim_model models[] = {
    MODEL("unit.lag", LAG, .rhs = rhs),
    MODEL("unit.block", BLOCK, .rhs = rhs),
    MODEL("unit.tangent", TANGENT, .rhs = rhs, .tangent = tangent,
          .tangent_output = tangent_output),
    MODEL("unit.switch", SWITCH, .rhs = rhs, .indicator = indicator),
    MODEL("unit.gain", GAIN, .rhs = NULL),
    MODEL("unit.stepper", STEPPER, .stepper = &stepper, .next_time = next_time)};

const wrsim_model *const *wrsim_plugin_models(uint32_t abi)
{
    static const wrsim_model *const list[] = {&models[0], &models[1], &models[2], &models[3],
                                              &models[4], &models[5], NULL};
    return abi == WRSIM_MODEL_ABI ? list : NULL;
}
