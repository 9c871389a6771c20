/* A spark-ignition mono-cylinder engine with three gases as a model: "mono_cylinder".
 *
 * It has 15 states, 111 events and 93 discrete states, with the roles of the engine in Ben Khaled et al. (2013), section 6
 * (docs/METHODS.md, Sources). This file has start values, outputs and the descriptor; mono_variables.h lists the others.
 *
 * Thread: one at a time per instance. Real-time: yes, but init().
 */
#include <math.h>

#include "models/mono_cylinder/mono_variables.h"

_Static_assert(MONO_X_COUNT == 15 && MONO_Z_COUNT == 111 && MONO_D_COUNT == 93,
               "the sizes of Ben Khaled et al. (2013), section 6.1");

/* Heat capacity of burned gas from NASA's polynomials, J/(kg K), with straight lines between these temperatures.
 * By mole the gas is 13.4 % CO2, 12.6 % H2O and 74 % N2 (stoichiometric CH1.87 in air). Fresh mixture (with 1/14.6
 * of petrol vapour) has the same value to 1 % from 300 to 700 K. */
static const double cv_t[] = {300, 600, 1000, 1500, 2500};
static const double cv_j_kg_k[] = {775.7, 860.4, 982.9, 1080.2, 1173.9};
/* Discharge coefficient of a poppet valve over lift / diameter (assumed). At low lift the flow separates at the seat.
 * At high lift the throat limits the flow, so the coefficient of the curtain area falls. */
static const double lift_ratio[] = {0, 0.08, 0.17, 0.30};
static const double discharge[] = {0.56, 0.68, 0.69, 0.60};
/* Factor and bore exponent of Woschni's heat transfer coefficient in W/(m2 K), with the bore in m and p in kPa
 * (Heywood, Internal Combustion Engine Fundamentals, 1988, eq. 12.65). */
static const double woschni_factor = 3.26, woschni_bore_power = -0.2;

/* Piecewise linear function through n points; the inner points are its breaks. */
static mono_line line_through(const double *x, const double *y, int n)
{
    mono_line line = {.n_break = n - 2};
    line.slope = (y[1] - y[0]) / (x[1] - x[0]);
    line.at_0 = y[0] - line.slope * x[0];
    double slope = line.slope;
    for (int i = 1; i < n - 1; i++) {
        const double next = (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
        line.breaks[i - 1] = x[i];
        line.change[i - 1] = next - slope;
        slope = next;
    }
    return line;
}

static int init(wrsim_instance *self, double t_s, double *x, double *d)
{
    (void)t_s, (void)d;
    mono_data *data = (mono_data *)self->data;
    const double *param = self->param;
    data->param = param;
    data->has_sums = param[MONO_P_BALANCE] > 0.5;
    data->area_m2 = MONO_PI / 4 * param[MONO_P_BORE] * param[MONO_P_BORE];
    data->swept_m3 = data->area_m2 * param[MONO_P_STROKE];
    data->clearance_m3 = data->swept_m3 / (param[MONO_P_COMPRESSION] - 1);
    data->crank_m = param[MONO_P_STROKE] / 2;
    data->rod_m = param[MONO_P_ROD];
    data->liner_m = MONO_PI * param[MONO_P_BORE];
    data->cv = line_through(cv_t, cv_j_kg_k, MONO_HOT_BREAKS + 2);
    data->discharge = line_through(lift_ratio, discharge, MONO_LIFT_BREAKS + 2);
    for (int side = 0; side < MONO_SIDES; side++) {
        const double diameter = param[MONO_P_DIAMETER + side];
        data->curtain_m2[side] = param[MONO_P_COUNT_VALVES + side] * MONO_PI * diameter * diameter;
    }
    const double whole = 1 - exp(-param[MONO_P_WIEBE_A]);
    for (int i = 0; i < MONO_BURN_BORDERS; i++) {
        const double y = (double)i / (MONO_BURN_BORDERS - 1);
        data->burned[i] =
            (1 - exp(-param[MONO_P_WIEBE_A] * pow(y, param[MONO_P_WIEBE_M] + 1))) / whole;
    }
    data->injected[MONO_AIR] = param[MONO_P_INJECTED_AIR];
    data->injected[MONO_BURNED] = param[MONO_P_INJECTED_BURNED];
    data->injected[MONO_FUEL] = 1 - data->injected[MONO_AIR] - data->injected[MONO_BURNED];
    data->heat_factor = woschni_factor * pow(param[MONO_P_BORE], woschni_bore_power);
    if (!(data->injected[MONO_FUEL] > 0)) {
        self->message =
            "the injected gas contains no fuel: reduce the shares of air and burned gas";
        return -1;
    }
    if (data->rod_m <= data->crank_m) {
        self->message = "the connecting rod is shorter than the crank: raise the rod's length";
        return -1;
    }
    const double mass = x[MONO_X_MASS] + x[MONO_X_MASS + 1] + x[MONO_X_MASS + 2];
    x[MONO_X_ENERGY] = mass * mono_line_integral(&data->cv, NULL, x[MONO_X_T]);
    return 0;
}

static int output(wrsim_instance *self, const wrsim_point *point, double *ret_y)
{
    const mono_data *data = (const mono_data *)self->data;
    mono_work w;
    mono_state(data, point, &w);
    ret_y[MONO_Y_P] = w.p;
    ret_y[MONO_Y_V] = w.volume_m3;
    ret_y[MONO_Y_PHI] = w.phi_deg;
    ret_y[MONO_Y_POWER] = w.p * w.slope_m3 * w.omega;
    ret_y[MONO_Y_HEAT_RATE] = mono_heat_rate(data, point->d, w.omega);
    ret_y[MONO_Y_RESIDUAL] = point->d[MONO_D_RESIDUAL];
    ret_y[MONO_Y_TRIPPED] = point->d[MONO_D_TRIPPED];
    return 0;
}

const wrsim_model wr_model_mono_cylinder = {
    WR_MODEL("mono_cylinder",
             "spark-ignition mono-cylinder engine with three gases, on a test bench", mono_params,
             mono_describe),
    .init = init,
    .rhs = mono_rhs,
    .output = output,
    .algebra = mono_algebra,
    .indicator = mono_indicator,
    .event = mono_event,
};
