/* Geometry, valve lift and valve flows of a cylinder. See cylinder_flow.h. */
#include "models/engine/cylinder_flow.h"

#include <math.h>
#include <stddef.h>

#include "models/engine/orifice.h"
#include "models/engine/powers.h"
#include "models/engine/table.h"

/* Discharge coefficient over lift / diameter, referred to the curtain area: steady-flow-bench shape
 * of a poppet valve [Heywood, fig. 6-18]. */
const double engine_lift_ratio[ENGINE_LIFT_BREAKS + 2] = {0, 0.03, 0.06, 0.10, 0.15, 0.20, 0.40};
static const double discharge[ENGINE_LIFT_BREAKS + 2] = {0.52, 0.60, 0.66, 0.70, 0.71, 0.68, 0.55};

/* Contraction of the jet behind the valve, for the speed of the intake jet. */
static const double jet_contraction = 0.6;

static const double tdc_deg = 180.0; /* firing top dead centre */

static engine_valve make_valve(const double *param, int open, int close, int count, int diameter,
                               int lift)
{
    const double d = param[diameter];
    return (engine_valve){
        .open_deg = param[open],
        .close_deg = param[close],
        .lift_m = param[lift],
        .diameter_m = d,
        .per_diameter = 1 / d,
        .half_turns_per_deg = 180 / (param[close] - param[open]),
        .circumference_m = param[count] * ENGINE_PI * d,
        .throat_m2 = param[count] * ENGINE_PI / 4 * d * d * ENGINE_THROAT_FRACTION,
    };
}

void engine_flow_data_init(engine_flow_data *ret_data, const double *param)
{
    engine_gas_init(&ret_data->gas);
    ret_data->piston_area_m2 = ENGINE_PI / 4 * param[ENGINE_P_BORE] * param[ENGINE_P_BORE];
    ret_data->swept_m3 = ret_data->piston_area_m2 * param[ENGINE_P_STROKE];
    ret_data->clearance_m3 = ret_data->swept_m3 / (param[ENGINE_P_COMPRESSION] - 1);
    ret_data->crank_m = param[ENGINE_P_STROKE] / 2;
    ret_data->rod_m = param[ENGINE_P_ROD];
    ret_data->offset_deg = param[ENGINE_P_OFFSET];
    ret_data->crankcase_pa = param[ENGINE_P_CRANKCASE];
    ret_data->valve[ENGINE_INTAKE] =
        make_valve(param, ENGINE_P_IVO, ENGINE_P_IVC, ENGINE_P_IV_COUNT, ENGINE_P_IV_DIAMETER,
                   ENGINE_P_IV_LIFT);
    ret_data->valve[ENGINE_EXHAUST] =
        make_valve(param, ENGINE_P_EVO, ENGINE_P_EVC, ENGINE_P_EV_COUNT, ENGINE_P_EV_DIAMETER,
                   ENGINE_P_EV_LIFT);
    ret_data->per_manifold_m3[ENGINE_INTAKE] = 1 / param[ENGINE_P_IM_VOLUME];
    ret_data->per_manifold_m3[ENGINE_EXHAUST] = 1 / param[ENGINE_P_EM_VOLUME];
}

/* [Heywood, eq. 2.5], angle counted from top dead centre. */
static inline double volume_at(const engine_flow_data *data, double phi_deg, double *ret_slope_m3,
                               double *ret_travel_m)
{
    const double r = data->crank_m;
    double sine, cosine;
    engine_sine_cosine_deg(phi_deg - tdc_deg, &sine, &cosine);
    const double root = sqrt(data->rod_m * data->rod_m - r * r * sine * sine);
    const double travel = r * (1 - cosine) + data->rod_m - root;
    *ret_slope_m3 = data->piston_area_m2 * (r * sine + r * r * sine * cosine / root);
    *ret_travel_m = travel;
    return data->clearance_m3 + data->piston_area_m2 * travel;
}

double engine_volume(const engine_flow_data *data, double phi_deg, double *ret_slope_m3,
                     double *ret_travel_m)
{
    double slope, travel;
    const double volume = volume_at(data, phi_deg, &slope, &travel);
    if (ret_slope_m3 != NULL)
        *ret_slope_m3 = slope;
    if (ret_travel_m != NULL)
        *ret_travel_m = travel;
    return volume;
}

static inline double lift_at(const engine_valve *valve, engine_valve_side side, double phi_deg)
{
    const double swing = engine_sine_deg((engine_valve_angle(side, phi_deg) - valve->open_deg) *
                                         valve->half_turns_per_deg);
    return valve->lift_m * swing * swing;
}

double engine_valve_lift(const engine_flow_data *data, engine_valve_side side, double phi_deg)
{
    return lift_at(&data->valve[side], side, phi_deg);
}

/* Effective area of an open valve, m2. share is the part of the curtain area (lift times
 * circumference) that the flow uses. */
static double valve_area(const engine_flow_data *data, engine_valve_side side, double phi_deg,
                         const engine_flow_branch *branch, double *ret_share)
{
    const engine_valve *valve = &data->valve[side];
    const double lift = lift_at(valve, side, phi_deg);
    const double ratio = lift * valve->per_diameter;
    const double cd = engine_table(engine_lift_ratio, discharge, ENGINE_LIFT_BREAKS,
                                   branch != NULL ? branch->lift_table[side] : NULL, ratio);
    const int is_throat = branch != NULL ? branch->is_throat[side] : ratio > ENGINE_THROAT_RATIO;
    const double curtain = valve->circumference_m * lift;
    *ret_share = is_throat ? cd * valve->throat_m2 / curtain : cd;
    return cd * (is_throat ? valve->throat_m2 : curtain);
}

/* Gas that leaves the cylinder carries its mixture. */
static void carry_cylinder(const engine_flow_data *data, const engine_flow_point *at, double per_kg,
                           engine_valve_flow *valve)
{
    const double *x = at->cylinder, *h = at->cylinder_h;
    const double share = valve->mass * per_kg;
    double own_h[ENGINE_SPECIES_COUNT];
    if (h == NULL) {
        const double T = x[ENGINE_CYL_T];
        engine_gas_all_h(&data->gas, at->branch != NULL ? at->branch->range : engine_gas_range(T),
                         T, own_h);
        h = own_h;
    }
    valve->air = share * x[ENGINE_CYL_AIR];
    valve->burned_gas = share * x[ENGINE_CYL_BURNED];
    valve->fuel = share * x[ENGINE_CYL_FUEL];
    valve->enthalpy = valve->air * h[ENGINE_AIR] + valve->burned_gas * h[ENGINE_BURNED] +
                      valve->fuel * h[ENGINE_FUEL];
}

/* Gas that comes from a manifold carries its mixture. The range of its temperature is taken by
 * value: the polynomials of air and burned gas are smooth enough across 1000 K (see gas.h). */
static void carry_manifold(const engine_gas *gas, double burned, double T, engine_valve_flow *valve)
{
    const int range = engine_gas_range(T);
    valve->air = valve->mass * (1 - burned);
    valve->burned_gas = valve->mass * burned;
    valve->fuel = 0;
    valve->enthalpy = valve->air * engine_gas_h(gas, ENGINE_AIR, range, T) +
                      valve->burned_gas * engine_gas_h(gas, ENGINE_BURNED, range, T);
}

void engine_flow_through(const engine_flow_data *data, engine_valve_side side,
                         const engine_flow_point *at, const engine_flow *flow,
                         engine_valve_flow *ret_valve)
{
    const engine_flow_branch *branch = at->branch;
    const double *manifold = at->manifold[side];
    const double T = manifold[ENGINE_MAN_T];
    const double per_kg = 1 / (manifold[ENGINE_MAN_AIR] + manifold[ENGINE_MAN_BURNED]);
    const double burned = manifold[ENGINE_MAN_BURNED] * per_kg;
    const double rt = (manifold[ENGINE_MAN_AIR] * data->gas.r[ENGINE_AIR] +
                       manifold[ENGINE_MAN_BURNED] * data->gas.r[ENGINE_BURNED]) *
                      per_kg * T;
    const double p = engine_manifold_p(data, side, manifold);
    const unsigned char *mode = branch != NULL ? branch->orifice[side] : NULL;
    double share;
    const double area = valve_area(data, side, flow->phi_deg, branch, &share);
    const double per_area = side == ENGINE_INTAKE
                                ? engine_orifice(1.0, p, rt, flow->p, flow->rt, mode)
                                : engine_orifice(1.0, flow->p, flow->rt, p, rt, mode);
    engine_valve_flow valve = {.mass = area * per_area};
    const int is_forward = mode != NULL ? mode[ENGINE_ORIFICE_FORWARD] : per_area > 0;
    if (is_forward == (side == ENGINE_INTAKE))
        carry_manifold(&data->gas, burned, T, &valve);
    else
        carry_cylinder(data, at, flow->per_kg, &valve);
    valve.jet_m_s =
        side == ENGINE_INTAKE && is_forward ? per_area * share * rt / (p * jet_contraction) : 0;
    *ret_valve = valve;
}

void engine_cylinder_gas(const engine_flow_data *data, double phi_deg, const double *cylinder,
                         engine_flow *ret_flow)
{
    const double *x = cylinder;
    const double mass_r = x[ENGINE_CYL_AIR] * data->gas.r[ENGINE_AIR] +
                          x[ENGINE_CYL_FUEL] * data->gas.r[ENGINE_FUEL] +
                          x[ENGINE_CYL_BURNED] * data->gas.r[ENGINE_BURNED];
    ret_flow->phi_deg = phi_deg;
    ret_flow->volume_m3 = volume_at(data, phi_deg, &ret_flow->slope_m3, &ret_flow->travel_m);
    ret_flow->mass = x[ENGINE_CYL_AIR] + x[ENGINE_CYL_FUEL] + x[ENGINE_CYL_BURNED];
    ret_flow->per_kg = 1 / ret_flow->mass;
    ret_flow->rt = mass_r * ret_flow->per_kg * x[ENGINE_CYL_T];
    ret_flow->p = mass_r * x[ENGINE_CYL_T] / ret_flow->volume_m3;
    ret_flow->torque = (ret_flow->p - data->crankcase_pa) * ret_flow->slope_m3;
}
