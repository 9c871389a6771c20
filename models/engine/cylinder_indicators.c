/* The 80 event indicators of the cylinder, scaled to the order of one.
 *
 * Most indicators switch a branch of cylinder_rates.c or trigger an action in cylinder.c. A few only mark events for
 * evaluation: fractions of fuel burned, pressures, dead centres, burned fraction.
 *
 * Thread: one at a time per instance. Real-time: yes.
 */
#include "models/engine/cylinder_variables.h"

/* Factors on the indicators' arguments, which scale indicators to the order of one; never: value of an inactive indicator.
 * liquid_gone_kg, peak_pa and low_pressure_pa: limits (assumed). */
static const double per_deg = 0.01, per_kelvin = 1e-3, per_wall_kelvin = 1e-2, per_bar = 1e-5;
static const double per_ratio = 10.0, per_s = 1e3, never = -1.0, per_unit = 1.0;

static const double liquid_gone_kg = 1e-8, liquid_scale = 1e5;
static const double burn_rate_scale = 1e3;
static const double k_scale = 1e-2;
static const double peak_pa[2] = {150e5, 100e5}, peak_scale = 1e-7;
static const double low_pressure_pa = 4e5;
static const double burned_marks[3] = {0.1, 0.5, 0.9}; /* burned fractions at CA10, CA50, CA90 */
/* Limits of squish flow, deg (models/engine/readme.md): around firing top dead centre and around gas-exchange top dead centre. */
static const double squish_deg[4] = {160, 200, 500, 580};
static const double piston_deg[3] = {180, 360, 540}; /* dead centres, deg */
/* Angle in the middle of compression, deg (assumed), from which on the indicator of the motored pressure is active. */
static const double half_way_deg = 90;
static const double cavitation_scale = 0.1;
/* Angle before the start of a cycle, deg, at which the cycle indicator of a crank that turns back passes zero (assumed). Farther back the
 * crank is in the previous cycle. Smaller angles are extrapolation errors of the crank angle. */
static const double back_deg = 60;
/* Small mass (assumed) that keeps the ratio of air to burned gas defined if the cylinder has no burned gas. */
static const double tiny_kg = 1e-9;

void cyl_indicator_init(cyl_data *data)
{
    const engine_valve *intake = &data->flow.valve[ENGINE_INTAKE];
    const engine_valve *exhaust = &data->flow.valve[ENGINE_EXHAUST];
    double *timing = data->timing_deg, *position = data->position_deg;
    timing[CYL_Z_WRAP] = ENGINE_CYCLE_DEG;
    timing[CYL_Z_IVO] = intake->open_deg;
    timing[CYL_Z_IVC] = intake->close_deg - ENGINE_CYCLE_DEG;
    timing[CYL_Z_EVO] = exhaust->open_deg;
    timing[CYL_Z_EVC] = exhaust->close_deg;
    for (int j = 0; j < CYL_INJECTIONS; j++)
        timing[CYL_Z_SOI + j] = data->param[CYL_P_SOI + j];
    for (int i = 0; i < 4; i++)
        position[i] = squish_deg[i];
    for (int i = 0; i < 3; i++)
        position[CYL_Z_PISTON - CYL_Z_SQUISH + i] = piston_deg[i];
    position[CYL_Z_HALF_WAY - CYL_Z_SQUISH] = half_way_deg;
}

/* Writes the indicators of needles, ignition and burning. The indicators of inactive injections are `never`. */
static void injection_indicators(const cyl_data *data, const wrsim_point *point, double *ret_z)
{
    const double phi = cyl_work_of(point)->flow.phi_deg;
    const double *d = point->d;
    const double ramp = data->param[CYL_P_RAMP];
    if (!cyl_is_injecting(d) && !cyl_is_burning(d)) {
        for (int i = CYL_Z_NEEDLE; i <= CYL_Z_MIXING; i++)
            ret_z[i] = never;
        return;
    }
    for (int j = 0; j < CYL_INJECTIONS; j++) {
        const double since = point->t_s - d[CYL_D_SOI_TIME + j];
        const double duration = data->param[CYL_P_DURATION + j];
        const int is_injecting = (int)d[CYL_D_NEEDLE + j] != CYL_NEEDLE_SHUT;
        const int burn = (int)d[CYL_D_BURN + j];
        double *needle = ret_z + CYL_Z_NEEDLE + CYL_NEEDLE_INDICATORS * j;
        needle[0] = is_injecting ? (since - ramp) * per_s : never;              /* fully open */
        needle[1] = is_injecting ? (since - (duration - ramp)) * per_s : never; /* closing */
        needle[2] = is_injecting ? (since - duration) * per_s : never;          /* shut */
        ret_z[CYL_Z_IGNITION + j] = burn == CYL_BURN_WAITING ? point->x[CYL_X_IGNITION] - 1 : never;
        ret_z[CYL_Z_BURN_END + j] =
            burn == CYL_BURN_ACTIVE
                ? (phi - d[CYL_D_BURN_START + j]) / data->param[CYL_P_BURN + j] - CYL_BURN_END
                : never;
    }
    ret_z[CYL_Z_MIXING] =
        d[CYL_D_COMBUSTION] > 0.5
            ? (cyl_wiebe_rate(data, point, phi) - cyl_mixing_limit(point->x)) * burn_rate_scale
            : never;
}

/* Returns the lift over diameter of the valves of one side, 0 for closed valves. */
static double lift_ratio(const cyl_data *data, const wrsim_point *point, engine_valve_side side)
{
    const int is_open =
        point->d[side == ENGINE_INTAKE ? CYL_D_INTAKE_OPEN : CYL_D_EXHAUST_OPEN] > 0.5;
    return is_open ? engine_valve_lift(&data->flow, side, cyl_work_of(point)->flow.phi_deg) *
                         data->flow.valve[side].per_diameter
                   : 0;
}

static void flow_indicators(const cyl_data *data, const wrsim_point *point, double *ret_z)
{
    const double p = cyl_work_of(point)->flow.p;
    const double in = lift_ratio(data, point, ENGINE_INTAKE);
    const double out = lift_ratio(data, point, ENGINE_EXHAUST);
    const double p_in = engine_manifold_p(&data->flow, ENGINE_INTAKE, point->port[CYL_PORT_INTAKE]);
    const double p_out =
        engine_manifold_p(&data->flow, ENGINE_EXHAUST, point->port[CYL_PORT_EXHAUST]);
    engine_orifice_indicators(p_in, p, ret_z + CYL_Z_INTAKE);
    engine_orifice_indicators(p, p_out, ret_z + CYL_Z_EXHAUST);
    engine_orifice_indicators(p, data->param[CYL_P_BLOW_BY_PRESSURE], ret_z + CYL_Z_BLOW_BY);
    engine_marks(engine_lift_ratio + 1, ENGINE_LIFT_BREAKS, in, per_ratio,
                 ret_z + CYL_Z_INTAKE_LIFT);
    engine_marks(engine_lift_ratio + 1, ENGINE_LIFT_BREAKS, out, per_ratio,
                 ret_z + CYL_Z_EXHAUST_LIFT);
    ret_z[CYL_Z_INTAKE_THROAT] = (in - ENGINE_THROAT_RATIO) * per_ratio;
    ret_z[CYL_Z_EXHAUST_THROAT] = (out - ENGINE_THROAT_RATIO) * per_ratio;
}

static void temperature_indicators(const cyl_data *data, const wrsim_point *point, double *ret_z)
{
    const double *x = point->x, T = x[CYL_X_T];
    const cyl_wall *head = &data->wall[CYL_HEAD], *piston = &data->wall[CYL_PISTON];
    const double flame =
        cyl_flame_temperature(T, x[CYL_X_BURNED] * cyl_work_of(point)->flow.per_kg);
    ret_z[CYL_Z_RANGE] = (T - ENGINE_GAS_T_RANGE_K) * per_kelvin;
    ret_z[CYL_Z_WALL] = (T - x[CYL_X_HEAD]) * per_kelvin;
    ret_z[CYL_Z_WALL + 1] = (T - x[CYL_X_PISTON]) * per_kelvin;
    ret_z[CYL_Z_WALL + 2] = (T - data->param[CYL_P_LINER]) * per_kelvin;
    engine_marks(cyl_conductivity_k + 1, CYL_CONDUCTIVITY_BREAKS, T, per_kelvin,
                 ret_z + CYL_Z_CONDUCTIVITY);
    ret_z[CYL_Z_NOX] = (flame - CYL_NOX_ONSET_K) * per_kelvin;
    ret_z[CYL_Z_DISSOCIATION] = (flame - CYL_DISSOCIATION_K) * per_kelvin;
    ret_z[CYL_Z_SOOT] = (T - CYL_SOOT_ONSET_K) * per_kelvin;
    ret_z[CYL_Z_HEAD] =
        (x[cyl_layer(head, head->n_layer - 1)] - head->threshold_k) * per_wall_kelvin;
    ret_z[CYL_Z_CROWN] =
        (x[cyl_layer(piston, piston->n_layer - 1)] - piston->threshold_k) * per_wall_kelvin;
    ret_z[CYL_Z_WARM] = (T - CYL_EVAPORATION_K) * per_kelvin;
}

static void state_indicators(const cyl_data *data, const wrsim_point *point, double *ret_z)
{
    const engine_flow *flow = &cyl_work_of(point)->flow;
    const double *x = point->x, p = flow->p;
    const int is_watched = point->mode[CYL_Z_HALF_WAY] && !point->mode[CYL_Z_EVO];
    ret_z[CYL_Z_LIQUID] = (x[CYL_X_LIQUID] - liquid_gone_kg) * liquid_scale;
    ret_z[CYL_Z_OXYGEN] = x[CYL_X_AIR] * flow->per_kg - CYL_AIR_FRACTION_MIN;
    ret_z[CYL_Z_MOTORED] =
        is_watched ? (p - cyl_motored_pressure(point->d, flow->volume_m3)) * per_bar : never;
    engine_marks(burned_marks, 3, x[CYL_X_BURN], per_unit, ret_z + CYL_Z_BURNED);
    engine_marks(peak_pa, 2, p, peak_scale, ret_z + CYL_Z_PEAK);
    ret_z[CYL_Z_TURBULENCE] = (x[CYL_X_K] - CYL_K_LOW_M2_S2) * k_scale;
    ret_z[CYL_Z_CAVITATION] =
        (data->param[CYL_P_RAIL] / p - CYL_CAVITATION_RATIO) * cavitation_scale;
    ret_z[CYL_Z_LEAN] = x[CYL_X_AIR] / (x[CYL_X_BURNED] + tiny_kg) - 1;
    ret_z[CYL_Z_DILUTION] = x[CYL_X_BURNED] * flow->per_kg - 0.5;
    ret_z[CYL_Z_PRESSURE] = (p - low_pressure_pa) * per_bar;
}

int cyl_indicator(wrsim_instance *self, const wrsim_point *point, double *ret_z)
{
    const cyl_data *data = (const cyl_data *)self->data;
    const double phi = cyl_work_of(point)->flow.phi_deg;
    engine_marks(data->timing_deg, CYL_TIMINGS, phi, per_deg, ret_z + CYL_Z_WRAP);
    if (phi < 0)
        ret_z[CYL_Z_WRAP] = -(phi + back_deg) * (ENGINE_CYCLE_DEG / back_deg) * per_deg;
    engine_marks(data->position_deg, CYL_POSITIONS, phi, per_deg, ret_z + CYL_Z_SQUISH);
    injection_indicators(data, point, ret_z);
    flow_indicators(data, point, ret_z);
    temperature_indicators(data, point, ret_z);
    state_indicators(data, point, ret_z);
    return 0;
}
