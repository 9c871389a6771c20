/* Geometry, valve lift and valve flows of a cylinder. See cylinder_flow.h. */
#include "models/engine/cylinder_flow.h"

#include <math.h>
#include <stddef.h>

#include "models/engine/orifice.h"
#include "models/engine/table.h"

/* Discharge coefficient over lift / diameter, referred to the curtain area: steady-flow-bench shape
 * of a poppet valve [Heywood, fig. 6-18]. */
const double engine_lift_ratio[ENGINE_LIFT_BREAKS + 2] = {0, 0.03, 0.06, 0.10, 0.15, 0.20, 0.40};
static const double discharge[ENGINE_LIFT_BREAKS + 2] = {0.52, 0.60, 0.66, 0.70, 0.71, 0.68, 0.55};

/* Contraction of the jet behind the valve, for the speed of the intake jet. */
static const double jet_contraction = 0.6;

/* Firing top dead centre, and where "before intake opens" ends: any angle with closed intake. */
static const double tdc_deg = 180.0;
static const double wrap_deg = 180.0;

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
    ret_data->valve[ENGINE_INTAKE] = (engine_valve){.open_deg = param[ENGINE_P_IVO],
                                                    .close_deg = param[ENGINE_P_IVC],
                                                    .lift_m = param[ENGINE_P_IV_LIFT],
                                                    .diameter_m = param[ENGINE_P_IV_DIAMETER],
                                                    .count = param[ENGINE_P_IV_COUNT]};
    ret_data->valve[ENGINE_EXHAUST] = (engine_valve){.open_deg = param[ENGINE_P_EVO],
                                                     .close_deg = param[ENGINE_P_EVC],
                                                     .lift_m = param[ENGINE_P_EV_LIFT],
                                                     .diameter_m = param[ENGINE_P_EV_DIAMETER],
                                                     .count = param[ENGINE_P_EV_COUNT]};
    ret_data->manifold_m3[ENGINE_INTAKE] = param[ENGINE_P_IM_VOLUME];
    ret_data->manifold_m3[ENGINE_EXHAUST] = param[ENGINE_P_EM_VOLUME];
}

double engine_cycle(const engine_flow_data *data, double theta)
{
    return floor((theta * ENGINE_DEG_PER_RAD - data->offset_deg) / ENGINE_CYCLE_DEG);
}

/* [Heywood, eq. 2.5], angle counted from top dead centre. */
double engine_volume(const engine_flow_data *data, double phi_deg, double *ret_slope_m3,
                     double *ret_travel_m)
{
    const double angle = (phi_deg - tdc_deg) / ENGINE_DEG_PER_RAD;
    const double r = data->crank_m;
    const double sine = sin(angle), cosine = cos(angle);
    const double root = sqrt(data->rod_m * data->rod_m - r * r * sine * sine);
    const double travel = r * (1 - cosine) + data->rod_m - root;
    if (ret_slope_m3 != NULL)
        *ret_slope_m3 = data->piston_area_m2 * (r * sine + r * r * sine * cosine / root);
    if (ret_travel_m != NULL)
        *ret_travel_m = travel;
    return data->clearance_m3 + data->piston_area_m2 * travel;
}

/* The angle a valve's timing is given in: the intake phase runs past 720. */
static double valve_angle(engine_valve_side side, double phi_deg)
{
    return side == ENGINE_INTAKE && phi_deg < wrap_deg ? phi_deg + ENGINE_CYCLE_DEG : phi_deg;
}

int engine_valve_is_open(const engine_flow_data *data, engine_valve_side side, double phi_deg)
{
    const double angle = valve_angle(side, phi_deg);
    return angle > data->valve[side].open_deg && angle < data->valve[side].close_deg;
}

/* Effective area of an open valve, m2. Fills in its lift. share is the part of the curtain area
 * (lift times circumference) that the flow uses. */
static double valve_area(const engine_flow_data *data, engine_valve_side side,
                         const engine_flow_point *at, double *ret_lift_m, double *ret_share)
{
    const engine_valve *valve = &data->valve[side];
    const engine_flow_branch *branch = at->branch;
    const double swing = sin(ENGINE_PI * (valve_angle(side, at->phi_deg) - valve->open_deg) /
                             (valve->close_deg - valve->open_deg));
    const double lift = valve->lift_m * swing * swing;
    const double ratio = lift / valve->diameter_m;
    const double cd = engine_table(engine_lift_ratio, discharge, ENGINE_LIFT_BREAKS,
                                   branch != NULL ? branch->lift_table[side] : NULL, ratio);
    const int is_throat = branch != NULL ? branch->is_throat[side] : ratio > ENGINE_THROAT_RATIO;
    const double curtain = ENGINE_PI * valve->diameter_m * lift;
    const double throat =
        ENGINE_PI / 4 * valve->diameter_m * valve->diameter_m * ENGINE_THROAT_FRACTION;
    *ret_lift_m = lift;
    *ret_share = is_throat ? cd * throat / curtain : cd;
    return cd * valve->count * (is_throat ? throat : curtain);
}

/* Gas that leaves the cylinder carries its mixture. */
static void carry_cylinder(const engine_gas *gas, const double *cylinder, double mass, int range,
                           engine_valve_flow *flow)
{
    const double T = cylinder[ENGINE_CYL_T];
    const double share = flow->mass / mass;
    flow->air = share * cylinder[ENGINE_CYL_AIR];
    flow->burned_gas = share * cylinder[ENGINE_CYL_BURNED];
    flow->fuel = share * cylinder[ENGINE_CYL_FUEL];
    flow->enthalpy = flow->air * engine_gas_h(gas, ENGINE_AIR, range, T) +
                     flow->burned_gas * engine_gas_h(gas, ENGINE_BURNED, range, T) +
                     flow->fuel * engine_gas_h(gas, ENGINE_FUEL, range, T);
}

/* Gas that comes from a manifold carries its mixture. The range of its temperature is taken by
 * value: the polynomials of air and burned gas are smooth enough across 1000 K (see gas.h). */
static void carry_manifold(const engine_gas *gas, double T, engine_valve_flow *flow)
{
    const int range = engine_gas_range(T);
    flow->air = flow->mass * (1 - flow->burned);
    flow->burned_gas = flow->mass * flow->burned;
    flow->enthalpy = flow->air * engine_gas_h(gas, ENGINE_AIR, range, T) +
                     flow->burned_gas * engine_gas_h(gas, ENGINE_BURNED, range, T);
}

static void valve_flow(const engine_flow_data *data, engine_valve_side side,
                       const engine_flow_point *at, const engine_flow *cyl,
                       engine_valve_flow *ret_flow)
{
    const engine_flow_branch *branch = at->branch;
    const double *manifold = at->manifold[side];
    const double mass = manifold[ENGINE_MAN_AIR] + manifold[ENGINE_MAN_BURNED];
    const double mass_r = manifold[ENGINE_MAN_AIR] * data->gas.r[ENGINE_AIR] +
                          manifold[ENGINE_MAN_BURNED] * data->gas.r[ENGINE_BURNED];
    engine_valve_flow flow = {0};
    flow.p = mass_r * manifold[ENGINE_MAN_T] / data->manifold_m3[side];
    flow.rt = mass_r / mass * manifold[ENGINE_MAN_T];
    flow.burned = manifold[ENGINE_MAN_BURNED] / mass;

    const int is_open =
        branch != NULL ? branch->is_open[side] : engine_valve_is_open(data, side, at->phi_deg);
    if (is_open) {
        const unsigned char *mode = branch != NULL ? branch->orifice[side] : NULL;
        double share;
        const double area = valve_area(data, side, at, &flow.lift_m, &share);
        const double per_area = side == ENGINE_INTAKE
                                    ? engine_orifice(1.0, flow.p, flow.rt, cyl->p, cyl->rt, mode)
                                    : engine_orifice(1.0, cyl->p, cyl->rt, flow.p, flow.rt, mode);
        flow.mass = area * per_area;
        const int is_forward = mode != NULL ? mode[ENGINE_ORIFICE_FORWARD] : per_area > 0;
        if (is_forward == (side == ENGINE_INTAKE))
            carry_manifold(&data->gas, manifold[ENGINE_MAN_T], &flow);
        else
            carry_cylinder(&data->gas, at->cylinder, cyl->mass,
                           branch != NULL ? branch->range
                                          : engine_gas_range(at->cylinder[ENGINE_CYL_T]),
                           &flow);
        if (side == ENGINE_INTAKE && is_forward)
            flow.jet_m_s = per_area * share * flow.rt / (flow.p * jet_contraction);
    }
    *ret_flow = flow;
}

void engine_cylinder_gas(const engine_flow_data *data, const engine_flow_point *at,
                         engine_flow *ret_flow)
{
    const double *x = at->cylinder;
    const double mass_r = x[ENGINE_CYL_AIR] * data->gas.r[ENGINE_AIR] +
                          x[ENGINE_CYL_FUEL] * data->gas.r[ENGINE_FUEL] +
                          x[ENGINE_CYL_BURNED] * data->gas.r[ENGINE_BURNED];
    ret_flow->phi_deg = at->phi_deg;
    ret_flow->volume_m3 =
        engine_volume(data, at->phi_deg, &ret_flow->slope_m3, &ret_flow->travel_m);
    ret_flow->mass = x[ENGINE_CYL_AIR] + x[ENGINE_CYL_FUEL] + x[ENGINE_CYL_BURNED];
    ret_flow->rt = mass_r / ret_flow->mass * x[ENGINE_CYL_T];
    ret_flow->p = mass_r * x[ENGINE_CYL_T] / ret_flow->volume_m3;
    ret_flow->torque = (ret_flow->p - data->crankcase_pa) * ret_flow->slope_m3;
}

void engine_cylinder_flow(const engine_flow_data *data, const engine_flow_point *at,
                          engine_flow *ret_flow)
{
    engine_cylinder_gas(data, at, ret_flow);
    for (int side = 0; side < ENGINE_VALVE_COUNT; side++)
        valve_flow(data, (engine_valve_side)side, at, ret_flow, &ret_flow->valve[side]);
}
