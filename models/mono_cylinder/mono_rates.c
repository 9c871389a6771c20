/* algebra() and rhs() of the mono-cylinder. Equations: models/mono_cylinder/readme.md.
 *
 * Energy X13 and temperature X14 are both states, with X13 = m u(X14) for the mass m. The rate of the energy uses the pressure m R T / V of
 * the masses X10 ... X12. The rate of the temperature uses the pressure of the energy, so masses act on the temperature through events only
 * (Ben Khaled et al. (2013), Figs. 11 and 17). If a valve is open, these rates alone can be unstable. Let a = valve conductance R T / V and
 * theta = gamma T_in / T. The deviations q, r of the two pressures then follow q' = -a (q + (theta - 1) r), r' = -a theta q. For theta > 1
 * the deviations grow. Therefore the rates of the masses use flows at the pressure of the masses plus twice its difference to the pressure
 * of the energy. The determinant is a^2 theta (3 - theta) > 0 for theta < 3, the trace -3 a, so both deviations decay. */
#include <math.h>

#include "models/mono_cylinder/mono_variables.h"

/* Pressure ratio (assumed) above which the flow is linear in the pressure difference, because the slope of psi is infinite at ratio 1. */
static const double free_ratio = 0.99;
/* Woschni's fit (models/mono_cylinder/readme.md, Walls): h = 3.26 B^-0.2 p^0.8 T^-0.55 w^0.8, p in kPa. */
static const double c1_closed = 2.28, c1_open = 6.18, c2 = 3.24e-3;
static const double pascal_per_kpa = 1e3, heat_power = 0.8, heat_t_power = -0.55;
/* Exponent n of p V^n = const for compression without firing (models/mono_cylinder/readme.md), slightly below cp / cv: heat loss. */
static const double motored_exponent = 1.33;
/* Fraction by which a warning of the test bench reduces the speed (assumed). */
static const double derating = 0.2;
/* Weight of the difference of the two pressures in the mass flows; see the comment at the top of this file. */
static const double agreement = 2;
/* Height of the liner above the piston at top dead centre, m (assumed). */
static const double top_gap_m = 0.004;

double mono_line_at(const mono_line *line, const double *passed, double x)
{
    double value = line->at_0 + line->slope * x;
    for (int i = 0; i < line->n_break; i++) {
        const double share = passed != NULL ? passed[i] : x > line->breaks[i];
        value += share * line->change[i] * (x - line->breaks[i]);
    }
    return value;
}

double mono_line_integral(const mono_line *line, const double *passed, double x)
{
    double value = (line->at_0 + line->slope / 2 * x) * x;
    for (int i = 0; i < line->n_break; i++) {
        const double share = passed != NULL ? passed[i] : x > line->breaks[i];
        const double above = x - line->breaks[i];
        value += share * line->change[i] / 2 * above * above;
    }
    return value;
}

double mono_angle_since(double x_deg, double at_deg)
{
    const double turn = x_deg - at_deg;
    return turn - MONO_CYCLE_DEG * floor(turn / MONO_CYCLE_DEG + 0.5);
}

double mono_opens_deg(const mono_data *data, const double *d, const double *u, int side)
{
    /* Angle by which a phaser moves the valves of a side, deg: the command within its range; zero if parked. */
    const double range = data->param[MONO_P_CAM_RANGE];
    const double low = d[MONO_D_CAM_LOW + side], high = d[MONO_D_CAM_HIGH + side];
    const double held = (1 - low - high) * u[MONO_U_CAM + side] + high * range;
    const double shift = (1 - d[MONO_D_PARKED]) * held; /* intake: advance; exhaust: retard */
    return data->param[MONO_P_OPEN + side] + (side == MONO_INTAKE ? -shift : shift);
}

double mono_motored_pressure(const double *d, double volume_m3)
{
    return d[MONO_D_P_IVC] * pow(d[MONO_D_V_IVC] / volume_m3, motored_exponent);
}

double mono_critical_ratio(double gamma) { return pow(2 / (gamma + 1), gamma / (gamma - 1)); }

double mono_gamma_of(const mono_data *data, double T)
{
    return 1 + MONO_GAS_R / mono_line_at(&data->cv, NULL, T);
}

/* For each side computes lift / D = L / D sin^2(pi s), and the area n pi D lift Cd(lift / D) of the side's n valves. */
static void valves(const mono_data *data, const wrsim_point *point, mono_work *w)
{
    const double *param = data->param;
    for (int side = 0; side < MONO_SIDES; side++) {
        const double since =
            mono_angle_since(w->phi_deg, mono_opens_deg(data, point->d, point->u, side));
        const double span = param[MONO_P_CLOSE + side] - param[MONO_P_OPEN + side];
        const double s = since > 0 && since < span ? sin(MONO_PI * since / span) : 0;
        const double open = point->d[MONO_D_OPEN + side];
        w->lift[side] = open * s * s * param[MONO_P_LIFT + side] / param[MONO_P_DIAMETER + side];
        w->area_m2[side] =
            data->curtain_m2[side] * w->lift[side] *
            mono_line_at(&data->discharge, point->d + MONO_D_LIFT + side * MONO_LIFT_BREAKS,
                         w->lift[side]);
    }
}

void mono_state(const mono_data *data, const wrsim_point *point, mono_work *ret_work)
{
    mono_work *w = ret_work;
    const double *x = point->x, *d = point->d;
    const double T = x[MONO_X_T];
    w->omega =
        point->u[MONO_U_SPEED] * (1 - d[MONO_D_TRIPPED]) * (1 - derating * d[MONO_D_WARNING]);
    const double deg = x[MONO_X_CRANK] / MONO_RAD_PER_DEG;
    w->phi_deg = deg - MONO_CYCLE_DEG * floor(deg / MONO_CYCLE_DEG);
    const double s = sin(x[MONO_X_CRANK]), c = cos(x[MONO_X_CRANK]), r = data->crank_m;
    const double rod = sqrt(data->rod_m * data->rod_m - r * r * s * s);
    w->travel_m = r * (1 - c) + data->rod_m - rod;
    w->volume_m3 = data->clearance_m3 + data->area_m2 * w->travel_m;
    w->slope_m3 = data->area_m2 * (r * s + r * r * s * c / rod);
    w->mass_kg = x[MONO_X_MASS] + x[MONO_X_MASS + 1] + x[MONO_X_MASS + 2];
    w->p = w->mass_kg * MONO_GAS_R * T / w->volume_m3;
    w->cv = mono_line_at(&data->cv, d + MONO_D_HOT, T);
    w->u = mono_line_integral(&data->cv, d + MONO_D_HOT, T);
    w->gamma = 1 + MONO_GAS_R / w->cv;
    valves(data, point, w);
}

int mono_algebra(wrsim_instance *self, const wrsim_point *point, double *ret_w)
{
    mono_work *w = (mono_work *)(void *)ret_w;
    mono_state((const mono_data *)self->data, point, w);
    return 0;
}

/* Returns the enthalpy of gas at temperature T, J/kg; like u, the enthalpy is zero at 0 K. */
static double enthalpy_of(const mono_data *data, double T)
{
    return mono_line_integral(&data->cv, NULL, T) + MONO_GAS_R * T;
}

/* Returns the square of the flow function psi, for isentropic flow from rest (models/mono_cylinder/readme.md, Flow). */
static double psi_squared(double ratio, double gamma)
{
    const double a = pow(ratio, 1 / gamma);
    return 2 * gamma / (gamma - 1) * a * (a - ratio);
}

/* Returns the flow from side 0 to side 1 through an area of 1 m2, kg/s. regime[MONO_REGIMES] has the direction and the branch. */
static double flow_per_area(const double p[2], const double T[2], const double gamma[2],
                            const double *regime)
{
    const int up = regime[MONO_FORWARD] > 0.5 ? 0 : 1;
    const double ratio = p[1 - up] / p[up], g = gamma[up];
    const double factor = p[up] / sqrt(MONO_GAS_R * T[up]);
    double psi;
    if (regime[MONO_CHOKED] > 0.5)
        psi = sqrt(psi_squared(mono_critical_ratio(g), g));
    /* only trial steps have ratios outside of the branch */
    else if (regime[MONO_FREE] > 0.5 && ratio < free_ratio)
        psi = sqrt(psi_squared(ratio, g));
    else
        psi = (1 - ratio) / (1 - free_ratio) * sqrt(psi_squared(free_ratio, g));
    return up == 0 ? factor * psi : -factor * psi;
}

/* Flows through the valves, kg/s: intake positive into, exhaust positive out of the cylinder. */
typedef struct flows {
    double mass[MONO_SIDES];
    int is_forward[MONO_SIDES];
} flows;

static void valve_flows(const mono_data *data, const wrsim_point *point, double p, flows *ret_flows)
{
    const mono_work *w = mono_work_of(point);
    const double *u = point->u, T = point->x[MONO_X_T];
    for (int side = 0; side < MONO_SIDES; side++) {
        const double *regime = point->d + MONO_D_REGIME + side * MONO_REGIMES;
        const int cylinder = side == MONO_INTAKE ? 1 : 0;
        double pressure[2], temperature[2], gamma[2];
        ret_flows->is_forward[side] = regime[MONO_FORWARD] > 0.5;
        ret_flows->mass[side] = 0;
        if (!(w->area_m2[side] > 0))
            continue;
        pressure[cylinder] = p;
        temperature[cylinder] = T;
        gamma[cylinder] = w->gamma;
        pressure[1 - cylinder] = u[MONO_U_P + side];
        temperature[1 - cylinder] = u[MONO_U_T + side];
        gamma[1 - cylinder] = mono_gamma_of(data, u[MONO_U_T + side]);
        ret_flows->mass[side] =
            w->area_m2[side] * flow_per_area(pressure, temperature, gamma, regime);
    }
}

/* Writes the flow of each gas from the intake and through the exhaust, kg/s. Gas from the intake pipe is air with the share egr of burned
 * gas, also after back-flow. Gas from the exhaust pipe is burned gas. */
static void gas_flows(const wrsim_point *point, const flows *f, double ret_in[MONO_GASES],
                      double ret_out[MONO_GASES])
{
    const double *x = point->x, per_kg = 1 / mono_work_of(point)->mass_kg;
    const double egr = point->u[MONO_U_EGR];
    const double pipe[MONO_GASES] = {[MONO_AIR] = 1 - egr, [MONO_BURNED] = egr};
    const double exhaust[MONO_GASES] = {[MONO_BURNED] = 1};
    for (int i = 0; i < MONO_GASES; i++) {
        const double share = x[MONO_X_MASS + i] * per_kg;
        ret_in[i] = f->mass[MONO_INTAKE] * (f->is_forward[MONO_INTAKE] ? pipe[i] : share);
        ret_out[i] = f->mass[MONO_EXHAUST] * (f->is_forward[MONO_EXHAUST] ? share : exhaust[i]);
    }
}

/* Returns the heat flow to the walls, W. */
static double wall_heat(const mono_data *data, const wrsim_point *point, double p)
{
    const mono_work *w = mono_work_of(point);
    const double *d = point->d, T = point->x[MONO_X_T], *param = data->param;
    const double open = d[MONO_D_OPEN] + d[MONO_D_OPEN + 1] - d[MONO_D_OPEN] * d[MONO_D_OPEN + 1];
    const double piston_speed = param[MONO_P_STROKE] * fabs(w->omega) / MONO_PI;
    double speed = (c1_closed + (c1_open - c1_closed) * open) * piston_speed;
    speed += d[MONO_D_FIRED_PRESSURE] * c2 * data->swept_m3 * d[MONO_D_T_IVC] /
             (d[MONO_D_P_IVC] * d[MONO_D_V_IVC]) *
             (p - MONO_FIRED_RATIO * mono_motored_pressure(d, w->volume_m3));
    if (!(speed > 0)) /* true for a standing engine, and in trial steps */
        return 0;
    const double h = data->heat_factor * pow(p / pascal_per_kpa * speed, heat_power) *
                     pow(T, heat_t_power); /* W/(m2 K) */
    const double coolant = point->u[MONO_U_COOLANT];
    const double liner_m2 = data->liner_m * (w->travel_m + top_gap_m);
    return h * (data->area_m2 * (T - coolant - param[MONO_P_HEAD_RISE]) +
                data->area_m2 * (T - coolant - param[MONO_P_PISTON_RISE]) +
                liner_m2 * (T - coolant - param[MONO_P_LINER_RISE]));
}

/* Returns the burn rate of the fuel, kg/s. */
static double burn_rate(const double *d, double omega)
{
    return d[MONO_D_CHARGE_FUEL] * d[MONO_D_BURN_SLOPE] * omega;
}

double mono_heat_rate(const mono_data *data, const double *d, double omega)
{
    return data->param[MONO_P_HEATING_VALUE] * burn_rate(d, omega);
}

/* First law at a given pressure: dU/dt and its terms, W; rate of the total mass, kg/s. */
typedef struct gas_power {
    flows flow;
    double dmass, denergy, in_h, out_h, evaporation, wall, work;
} gas_power;

static void gas_rates(const mono_data *data, const wrsim_point *point, double p, gas_power *ret)
{
    const mono_work *w = mono_work_of(point);
    const double *d = point->d, *u = point->u, T = point->x[MONO_X_T];
    const double h = w->u + MONO_GAS_R * T;
    valve_flows(data, point, p, &ret->flow);
    const double in = ret->flow.mass[MONO_INTAKE], out = ret->flow.mass[MONO_EXHAUST];
    const int *is_forward = ret->flow.is_forward;
    ret->in_h = in * (is_forward[MONO_INTAKE] ? enthalpy_of(data, u[MONO_U_T]) : h);
    ret->out_h =
        out * (is_forward[MONO_EXHAUST] ? h : enthalpy_of(data, u[MONO_U_T + MONO_EXHAUST]));
    ret->evaporation = d[MONO_D_EVAPORATION] *
                       (enthalpy_of(data, u[MONO_U_T_FUEL]) - data->param[MONO_P_VAPORISATION]);
    ret->wall = wall_heat(data, point, p);
    ret->work = p * w->slope_m3 * w->omega;
    ret->dmass = in - out + d[MONO_D_EVAPORATION];
    ret->denergy = mono_heat_rate(data, d, w->omega) + ret->in_h - ret->out_h + ret->evaporation -
                   ret->wall - ret->work;
}

int mono_rhs(wrsim_instance *self, const wrsim_point *point, double *ret_dx)
{
    const mono_data *data = (const mono_data *)self->data;
    const mono_work *w = mono_work_of(point);
    const double *x = point->x, T = x[MONO_X_T];
    if (!(w->mass_kg > 0) || !(T > 0) || !(x[MONO_X_ENERGY] > 0)) {
        self->message = "mass, temperature or energy in the cylinder is not positive: check start "
                        "values and inputs";
        return 1;
    }
    const double mass = x[MONO_X_ENERGY] / w->u; /* mass computed from the energy, kg */
    const double p_energy = mass * MONO_GAS_R * T / w->volume_m3;
    const double p_flow = w->p + agreement * (w->p - p_energy);
    if (!(p_flow > 0)) {
        self->message = "energy and masses in the cylinder do not agree: reduce the tolerance";
        return 1;
    }
    gas_power by_mass, by_energy;
    flows flow;
    double in[MONO_GASES], out[MONO_GASES];
    gas_rates(data, point, w->p, &by_mass);
    gas_rates(data, point, p_energy, &by_energy);
    valve_flows(data, point, p_flow, &flow);
    gas_flows(point, &flow, in, out);
    ret_dx[MONO_X_CRANK] = w->omega;
    const double omega = mono_work_of(point)->omega, *d = point->d;
    const double burn = burn_rate(d, omega), air_fuel = data->param[MONO_P_AIR_FUEL];
    ret_dx[MONO_X_QV_ALFA] = mono_heat_rate(data, d, omega);
    ret_dx[MONO_X_MREF_ALFA] = d[MONO_D_BURN_SLOPE] * omega;
    ret_dx[MONO_X_HEAT] = mono_heat_rate(data, d, omega);
    ret_dx[MONO_X_COMBU + MONO_AIR] = -air_fuel * burn;
    ret_dx[MONO_X_COMBU + MONO_FUEL] = -burn;
    ret_dx[MONO_X_COMBU + MONO_BURNED] = (1 + air_fuel) * burn;
    for (int i = 0; i < MONO_GASES; i++) {
        ret_dx[MONO_X_EVAPO + i] = data->injected[i] * point->d[MONO_D_EVAPORATION];
        ret_dx[MONO_X_MASS + i] =
            in[i] - out[i] + ret_dx[MONO_X_EVAPO + i] + ret_dx[MONO_X_COMBU + i];
    }
    ret_dx[MONO_X_ENERGY] = by_mass.denergy;
    ret_dx[MONO_X_T] = (by_energy.denergy - by_energy.dmass * w->u) / (mass * w->cv);
    if (data->has_sums) {
        double *const ret_sum = ret_dx + MONO_X_COUNT;
        for (int i = 0; i < MONO_GASES; i++) {
            ret_sum[MONO_S_IN + i] = in[i];
            ret_sum[MONO_S_OUT + i] = out[i];
        }
        ret_sum[MONO_S_IN_H] = by_mass.in_h;
        ret_sum[MONO_S_OUT_H] = by_mass.out_h;
        ret_sum[MONO_S_EVAPORATION] = by_mass.evaporation;
        ret_sum[MONO_S_WALL] = by_mass.wall;
        ret_sum[MONO_S_WORK] = by_mass.work;
    }
    return 0;
}
