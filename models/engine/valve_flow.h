/* Geometry, gas state and valve flows of a cylinder: functions on the types of cylinder_flow.h, which cylinder and port call at
 * every evaluation. The functions are inline, so that the compiler removes the selection that a caller does not use. Modes
 * select the cylinder's branches, and present values select the port's branches.
 *
 * Sources: see cylinder_flow.h.
 *
 * Thread: any. Real-time: yes.
 */
#ifndef ENGINE_VALVE_FLOW_H
#define ENGINE_VALVE_FLOW_H

#include <math.h>
#include <stddef.h>

#include "models/engine/cylinder_flow.h"
#include "models/engine/orifice.h"
#include "models/engine/powers.h"
#include "models/engine/table.h"

#define ENGINE_TDC_DEG 180.0 /* firing top dead centre */

/* Contraction of the jet behind the valve, for the speed of the intake jet (assumed). */
#define ENGINE_JET_CONTRACTION 0.6

/* Returns the volume, m3. Writes its slope, m3/rad, and the piston's travel from top dead centre, m (Heywood, Internal Combustion Engine
 * Fundamentals, 1988, eq. 2.5, with the angle from top dead centre). */
static inline double engine_volume_at(const engine_flow_data *data, double phi_deg,
                                      double *ret_slope_m3, double *ret_travel_m)
{
    const double r = data->crank_m;
    double sine, cosine;
    engine_sine_cosine_deg(phi_deg - ENGINE_TDC_DEG, &sine, &cosine);
    const double across = r * sine, along = r * cosine; /* position of the crank pin, m */
    const double rod = sqrt(data->rod_m * data->rod_m - across * across);
    const double travel = r - along + data->rod_m - rod;
    *ret_slope_m3 = data->piston_area_m2 * (across + across * along / rod);
    *ret_travel_m = travel;
    return data->clearance_m3 + data->piston_area_m2 * travel;
}

/* Computes geometry and gas state for the states cylinder[ENGINE_CYL_COUNT]. */
static inline void engine_cylinder_gas(const engine_flow_data *data, double phi_deg,
                                       const double *cylinder, engine_flow *ret_flow)
{
    const double *x = cylinder;
    const double mass_r = x[ENGINE_CYL_AIR] * data->gas.r[ENGINE_AIR] +
                          x[ENGINE_CYL_FUEL] * data->gas.r[ENGINE_FUEL] +
                          x[ENGINE_CYL_BURNED] * data->gas.r[ENGINE_BURNED];
    const double energy = mass_r * x[ENGINE_CYL_T]; /* p V, J */
    engine_flow flow = {.phi_deg = phi_deg};
    flow.volume_m3 = engine_volume_at(data, phi_deg, &flow.slope_m3, &flow.travel_m);
    flow.mass = x[ENGINE_CYL_AIR] + x[ENGINE_CYL_FUEL] + x[ENGINE_CYL_BURNED];
    flow.per_kg = 1 / flow.mass;
    flow.rt = energy * flow.per_kg;
    flow.p = energy / flow.volume_m3;
    flow.torque = (flow.p - data->crankcase_pa) * flow.slope_m3;
    *ret_flow = flow;
}

/* Replaces the pressure of the frozen gas. p: pressure of the gas in equilibrium, Pa. */
static inline void engine_set_pressure(const engine_flow_data *data, double p, engine_flow *flow)
{
    flow->p = p;
    flow->rt = p * flow->volume_m3 * flow->per_kg;
    flow->torque = (p - data->crankcase_pa) * flow->slope_m3;
}

/* Adds the enthalpy of dissociation, J/kg, to the enthalpies of air and burned gas, which flow as one mixture. */
static inline void engine_add_dissociation(double dissociation_h, double h[ENGINE_SPECIES_COUNT])
{
    h[ENGINE_AIR] += dissociation_h;
    h[ENGINE_BURNED] += dissociation_h;
}

/* Returns the lift of an open valve, m. */
static inline double engine_valve_lift(const engine_flow_data *data, engine_valve_side side,
                                       double phi_deg)
{
    const engine_valve *valve = &data->valve[side];
    const double swing = engine_sine_deg((engine_valve_angle(side, phi_deg) - valve->open_deg) *
                                         valve->half_turns_per_deg);
    return valve->lift_m * swing * swing;
}

/* Returns the effective area of the open valves of a side, m2. Writes this area over the curtain area (lift times circumference). */
static inline double engine_valve_area(const engine_flow_data *data, engine_valve_side side,
                                       double phi_deg, const engine_flow_branch *branch,
                                       double *ret_share)
{
    /* Discharge coefficient over lift / diameter, referred to the curtain area: steady-flow-bench
     * shape of a poppet valve (Heywood, Internal Combustion Engine Fundamentals, 1988, fig. 6-18). */
    static const double discharge[ENGINE_LIFT_BREAKS + 2] = {0.52, 0.60, 0.66, 0.70,
                                                             0.71, 0.68, 0.55};
    const engine_valve *valve = &data->valve[side];
    const double lift = engine_valve_lift(data, side, phi_deg);
    const double ratio = lift * valve->per_diameter;
    const double cd = engine_table(engine_lift_ratio, discharge, ENGINE_LIFT_BREAKS,
                                   branch != NULL ? branch->lift_table[side] : NULL, ratio);
    const int is_throat = branch != NULL ? branch->is_throat[side] : ratio > ENGINE_THROAT_RATIO;
    const double curtain = valve->circumference_m * lift;
    *ret_share = is_throat ? cd * valve->throat_m2 / curtain : cd;
    return cd * (is_throat ? valve->throat_m2 : curtain);
}

/* Sets composition and enthalpy of gas that leaves the cylinder. */
static inline void engine_carry_cylinder(const engine_flow_data *data, const engine_flow_point *at,
                                         double per_kg, engine_valve_flow *valve)
{
    const double *x = at->cylinder, *h = at->cylinder_h, T = x[ENGINE_CYL_T];
    const double share = valve->mass * per_kg;
    double own_h[ENGINE_SPECIES_COUNT];
    if (h == NULL) {
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

/* Sets composition and enthalpy of gas that leaves a manifold. The value of T selects the range, because both ranges
 * agree to 1e-5 at 1000 K (gas.h). */
static inline void engine_carry_manifold(const engine_gas *gas, double burned, double T,
                                         engine_valve_flow *valve)
{
    const engine_pair h = engine_gas_pair_h(gas, engine_gas_range(T), T);
    valve->burned_gas = valve->mass * burned;
    valve->air = valve->mass - valve->burned_gas;
    valve->fuel = 0;
    valve->enthalpy = valve->air * h[ENGINE_AIR] + valve->burned_gas * h[ENGINE_BURNED];
}

/* Forces inlining. Compilers do not inline functions of the size of engine_flow_through() if they have several calls. */
#define ENGINE_INLINE __attribute__((always_inline)) static inline

/* Computes the flow through the open valves of one side, after engine_cylinder_gas(). */
ENGINE_INLINE void engine_flow_through(const engine_flow_data *data, engine_valve_side side,
                                       const engine_flow_point *at, const engine_flow *flow,
                                       engine_valve_flow *ret_valve)
{
    const engine_flow_branch *branch = at->branch;
    const double *manifold = at->manifold[side];
    const double T = manifold[ENGINE_MAN_T];
    const double per_kg = 1 / (manifold[ENGINE_MAN_AIR] + manifold[ENGINE_MAN_BURNED]);
    const double energy = engine_manifold_energy(data, manifold);
    const double rt = energy * per_kg, p = energy * data->per_manifold_m3[side];
    const unsigned char *mode = branch != NULL ? branch->orifice[side] : NULL;
    double share;
    const double area = engine_valve_area(data, side, flow->phi_deg, branch, &share);
    const double per_area = side == ENGINE_INTAKE
                                ? engine_orifice(1.0, p, rt, flow->p, flow->rt, mode)
                                : engine_orifice(1.0, flow->p, flow->rt, p, rt, mode);
    engine_valve_flow valve = {.mass = area * per_area};
    const int is_forward = mode != NULL ? mode[ENGINE_ORIFICE_FORWARD] : per_area > 0;
    if (is_forward == (side == ENGINE_INTAKE))
        engine_carry_manifold(&data->gas, manifold[ENGINE_MAN_BURNED] * per_kg, T, &valve);
    else
        engine_carry_cylinder(data, at, flow->per_kg, &valve);
    valve.jet_m_s = side == ENGINE_INTAKE && is_forward
                        ? per_area * share * rt / (p * ENGINE_JET_CONTRACTION)
                        : 0;
    *ret_valve = valve;
}

#endif
