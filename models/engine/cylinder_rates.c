/* Equations of the cylinder: one zone of three species, two walls, liquid fuel, burning, heat
 * transfer, turbulence, NO and soot. Formulas and sources: models/engine/readme.md.
 *
 * Modes and discrete states select the branches, except for limits by engine_max() and the gas range of the manifolds. If the equation of
 * a state has a branch whose border depends on this state, the branch is continuous. Otherwise the solution could slide along the border.
 * The exception is CYL_Z_OXYGEN, where the burn rate jumps but keeps its sign.
 *
 * Energy. U = sum m_i (h_i(T) - R_i T); dU/dt = released - wall - p dV/dt + enthalpies in - out + evaporating fuel. The
 * temperature equation is this balance solved for dT/dt with all dm_i/dt, so the balance holds exactly at every point. With a gas in
 * equilibrium U has the further term U_d(T, V, m_air, m_burned), whose four derivatives are inputs (cylinder_gas.c).
 *
 * Thread: one at a time per instance. Real-time: yes.
 */
#include <math.h>
#include <string.h>

#include "models/engine/cylinder_variables.h"
#include "models/engine/powers.h"
#include "models/engine/table.h"

/* Wiebe function 1 - exp(-a y^(m+1)) with 99.9 % burned at y = 1 (Heywood, Internal Combustion Engine Fundamentals, 1988, eq. 9.27). */
static const double wiebe_a = 6.9;
static const double low_oxygen_factor = 0.3;

/* Length and speed of the mixing time tau = length / (sqrt(k) + speed) (models/engine/readme.md, Burning). */
static const double mixing_length_m = 0.004;
static const double mixing_speed_m_s = 5.0;

/* Discharge coefficient of the nozzle without cavitation over the coefficient with cavitation (models/engine/readme.md, Injection). */
static const double nozzle_attached = 0.98;

/* Droplet lifetime (models/engine/readme.md): 0.09 ms at 700 K, proportional to T^-0.8. Below 600 K the vapour pressure makes the lifetime
 * depend more strongly on T. */
static const double evaporation_600_s = 0.00010181222794003582; /* 0.9e-4 s (700/600)^0.8 */
static const double evaporation_600_08 = 166.92485217612375;    /* 600^0.8 */

/* Ignition delay tau = 2.4 ms p_bar^-1.02 exp(2100 K / T) (form of Heywood, Internal Combustion Engine Fundamentals, 1988, eq. 10.37). */
static const double delay_s = 2.4e-3;
static const double delay_pressure_power = 1.02;
static const double delay_k = 2100.0;

/* Woschni's heat transfer (Heywood, Internal Combustion Engine Fundamentals, 1988, section 12.4.3). */
static const double woschni_c1_open = 6.18, woschni_c1_closed = 2.28;
static const double woschni_c2 = 3.24e-3; /* m/(s K) */
static const double woschni_min_m_s = 0.1;
static const double motored_exponent = 1.33;
/* Height of the liner above the piston at top dead centre, m (assumed). */
static const double piston_top_gap_m = 0.002;

/* Factor on heat transfer over temperature, for the growth of conductivity and the radiation of soot (assumed). The first table has
 * temperatures, K. */
const double cyl_conductivity_k[CYL_CONDUCTIVITY_BREAKS + 2] = {200, 600, 1000.5, 1400, 2000, 4000};
static const double conductivity[CYL_CONDUCTIVITY_BREAKS + 2] = {0.85, 1.0, 1.12, 1.2, 1.28, 1.4};

/* R T of air from the crankcase, J/kg. */
static const double crankcase_rt = 287.0 * CYL_CRANKCASE_K;

/* Turbulent kinetic energy k (models/engine/readme.md, Turbulence). Sources are the inlet jet, compression, squish and spray. The sink is
 * k^1.5 / length. rest_production keeps k positive without other sources. */
static const double jet_share = 0.6;
static const double compression_share = 0.67; /* 2/3, factor of k div v */
static const double squish_firing = 40.0, squish_gas_exchange = 4.0;
static const double squish_length_m = 0.05;
static const double spray_energy_j_kg = 200.0;
static const double rest_production = 3.0e3; /* m2/s3 */
static const double length_share = 0.2;      /* share of the cube root of the volume */
static const double dissipation_share = 0.5;

/* Initial rate of NO by the extended Zeldovich mechanism, mg/s (form of Heywood, 1988, eq. 11.10). */
static const double nox_factor = 6.0e15;    /* mg K^0.5/(kg s) (assumed) */
static const double nox_k = 69090.0;        /* K */
static const double oxygen_fraction = 0.23; /* mass fraction of oxygen in air */
/* share of a temperature rise above CYL_DISSOCIATION_K that remains after dissociation (models/engine/readme.md) */
static const double dissociation_share = 0.8;

/* Soot, mg (models/engine/readme.md): 1 % of the burning fuel if the charge has more air than burned gas, else 2 %, less oxidation. */
static const double soot_yield = 0.01e6; /* mg/kg */
static const double soot_dilution_factor = 2.0;
static const double soot_oxidation_1_s = 400.0;
static const double soot_oxidation_k = 3000.0;

static const double pascal_per_bar = 1.0e5;

double cyl_injection_rate(const cyl_data *data, const wrsim_point *point, double p)
{
    const double *state = point->d + CYL_D_NEEDLE;
    const double ramp = data->param[CYL_P_RAMP];
    double needle = 0; /* sum of relative needle lifts, each 0 ... 1 */
    for (int j = 0; j < CYL_INJECTIONS; j++) {
        const double since = point->t_s - point->d[CYL_D_SOI_TIME + j];
        switch ((int)state[j]) {
        case CYL_NEEDLE_OPENING:
            needle += since / ramp;
            break;
        case CYL_NEEDLE_OPEN:
            needle += 1;
            break;
        case CYL_NEEDLE_CLOSING:
            needle += 1 - (since - (data->param[CYL_P_DURATION + j] - ramp)) / ramp;
            break;
        default:
            break;
        }
    }
    const double cd = point->mode[CYL_Z_CAVITATION] ? 1.0 : nozzle_attached;
    return point->d[CYL_D_FUEL] * data->param[CYL_P_NOZZLE] * cd * needle *
           sqrt(2 * data->param[CYL_P_DENSITY] * (data->param[CYL_P_RAIL] - p));
}

double cyl_wiebe_rate(const cyl_data *data, const wrsim_point *point, double phi_deg)
{
    double per_deg = 0;
    for (int j = 0; j < CYL_INJECTIONS; j++) {
        if ((int)point->d[CYL_D_BURN + j] != CYL_BURN_ACTIVE)
            continue;
        const double duration = data->param[CYL_P_BURN + j];
        const double form = data->param[CYL_P_FORM + j];
        /* At the event that starts burning, a rounding error may make y negative. */
        const double y = engine_max((phi_deg - point->d[CYL_D_BURN_START + j]) / duration, 0);
        const double ym = engine_power(y, form);
        per_deg += data->injected_kg[j] * wiebe_a * (form + 1) * ym *
                   engine_exp(-wiebe_a * ym * y) / duration;
    }
    return point->d[CYL_D_FUEL] * per_deg * cyl_omega(point) * ENGINE_DEG_PER_RAD;
}

static double turbulent_speed(const double *x)
{
    return sqrt(engine_max(x[CYL_X_K], CYL_K_FLOOR_M2_S2));
}

double cyl_mixing_limit(const double *x)
{
    return x[CYL_X_FUEL] * (turbulent_speed(x) + mixing_speed_m_s) * (1 / mixing_length_m);
}

double cyl_burn_rate(const cyl_data *data, const wrsim_point *point, double phi_deg)
{
    if (point->d[CYL_D_COMBUSTION] < 0.5)
        return 0;
    const double rate = point->mode[CYL_Z_MIXING] ? cyl_mixing_limit(point->x)
                                                  : cyl_wiebe_rate(data, point, phi_deg);
    return point->mode[CYL_Z_OXYGEN] ? rate : low_oxygen_factor * rate;
}

double cyl_motored_pressure(const double *d, double volume_m3)
{
    return d[CYL_D_P_IVC] * engine_power(d[CYL_D_V_IVC] / volume_m3, motored_exponent);
}

/* Computes the flow through the valves of one side, which is zero if the valves are closed. */
ENGINE_INLINE void valve_flow(const cyl_data *data, engine_valve_side side,
                              const engine_flow_point *at, const engine_flow *flow, int is_open,
                              engine_valve_flow *ret_valve)
{
    if (is_open)
        engine_flow_through(&data->flow, side, at, flow, ret_valve);
    else
        *ret_valve = (engine_valve_flow){0};
}

void cyl_valve_flows(const cyl_data *data, const wrsim_point *point, const double *h,
                     engine_valve_flow ret_valve[ENGINE_VALVE_COUNT])
{
    const unsigned char *mode = point->mode;
    const engine_flow_branch branch = {
        .orifice = {[ENGINE_INTAKE] = mode + CYL_Z_INTAKE, [ENGINE_EXHAUST] = mode + CYL_Z_EXHAUST},
        .lift_table = {[ENGINE_INTAKE] = mode + CYL_Z_INTAKE_LIFT,
                       [ENGINE_EXHAUST] = mode + CYL_Z_EXHAUST_LIFT},
        .is_throat = {[ENGINE_INTAKE] = mode[CYL_Z_INTAKE_THROAT],
                      [ENGINE_EXHAUST] = mode[CYL_Z_EXHAUST_THROAT]},
        .range = mode[CYL_Z_RANGE],
    };
    const engine_flow_point at = {
        .cylinder = point->x,
        .cylinder_h = h,
        .manifold = {[ENGINE_INTAKE] = point->port[CYL_PORT_INTAKE],
                     [ENGINE_EXHAUST] = point->port[CYL_PORT_EXHAUST]},
        .branch = &branch,
    };
    const engine_flow *flow = &cyl_work_of(point)->flow;
    valve_flow(data, ENGINE_INTAKE, &at, flow, point->d[CYL_D_INTAKE_OPEN] > 0.5,
               &ret_valve[ENGINE_INTAKE]);
    valve_flow(data, ENGINE_EXHAUST, &at, flow, point->d[CYL_D_EXHAUST_OPEN] > 0.5,
               &ret_valve[ENGINE_EXHAUST]);
}

void cyl_gas(const cyl_data *data, const wrsim_point *point, engine_flow *ret_flow)
{
    const engine_flow_data *flow = &data->flow;
    engine_cylinder_gas(flow, engine_phi(flow, cyl_theta(point), point->d[CYL_D_CYCLE]), point->x,
                        ret_flow);
    if (data->is_connected)
        engine_set_pressure(flow, point->port[CYL_PORT_GAS][ENGINE_DISS_P], ret_flow);
}

int cyl_algebra(wrsim_instance *self, const wrsim_point *point, double *ret_w)
{
    cyl_gas(self->data, point, &((cyl_work *)(void *)ret_w)->flow);
    return 0;
}

/* Terms of the state derivatives, except for the valve flows. */
typedef struct rates {
    double h[ENGINE_SPECIES_COUNT];      /* enthalpies of the gas in the cylinder, J/kg */
    double injection, evaporation, burn; /* kg/s */
    double released;                     /* W */
    double wall[CYL_WALL_COUNT], liner;  /* heat flow from gas to each wall, and to the liner, W */
    double heat;                         /* sum of all heat flows to the walls, W */
    double coolant;                      /* heat flow from head and piston to coolant and oil, W */
    engine_valve_flow blow_by;           /* flow out of the cylinder past the rings */
    double dvolume;                      /* dV/dt, m3/s */
    double evaporation_power;            /* energy flow of the evaporated fuel, W */
    double piston_speed;                 /* mean speed, m/s */
} rates;

/* Returns the evaporation rate, kg/s: liquid fuel over the lifetime of a droplet. The lifetime is evaporation_600_s times (600 K / T)^0.8.
 * Below 600 K the exponent of the ratio is four. */
static double evaporation_rate(const wrsim_point *point)
{
    const double T = point->x[CYL_X_T], liquid = point->x[CYL_X_LIQUID];
    if (point->mode[CYL_Z_WARM])
        return liquid * engine_power_08(T) * (1 / (evaporation_600_s * evaporation_600_08));
    const double share = T * (1 / CYL_EVAPORATION_K), square = share * share;
    return liquid * (square * square) * (1 / evaporation_600_s);
}

/* Returns the gas speed in Woschni's equation, m/s. */
static double woschni_speed(const cyl_data *data, const wrsim_point *point, double piston_speed)
{
    const engine_flow *flow = &cyl_work_of(point)->flow;
    const double *d = point->d;
    double speed = (cyl_is_gas_exchange(d) ? woschni_c1_open : woschni_c1_closed) * piston_speed;
    if (point->mode[CYL_Z_MOTORED]) {
        /* The motored pressure is defined from half_way_deg (cylinder_indicators.c) to exhaust opening. At other angles p_motored is 0. */
        const int is_firing_stroke = point->mode[CYL_Z_HALF_WAY] && !point->mode[CYL_Z_EVO];
        const double p_motored = is_firing_stroke ? cyl_motored_pressure(d, flow->volume_m3) : 0;
        speed += woschni_c2 * data->flow.swept_m3 * d[CYL_D_T_IVC] /
                 (d[CYL_D_P_IVC] * d[CYL_D_V_IVC]) * (flow->p - p_motored);
    }
    return engine_max(speed, woschni_min_m_s);
}

/* Computes the heat flows from the gas to head, piston and liner. */
static void wall_heat(const cyl_data *data, const wrsim_point *point, rates *r)
{
    const engine_flow *flow = &cyl_work_of(point)->flow;
    const double T = point->x[CYL_X_T];
    /* (p w)^0.8 T^-0.55 = p w (p w T^2.75)^-0.2 */
    const double pw = flow->p * woschni_speed(data, point, r->piston_speed), root = sqrt(T);
    const double h = data->heat_factor * pw *
                     engine_inverse_root5(pw * (T * T) * (root * sqrt(root))) *
                     engine_table(cyl_conductivity_k, conductivity, CYL_CONDUCTIVITY_BREAKS,
                                  point->mode + CYL_Z_CONDUCTIVITY, T);
    for (int i = 0; i < CYL_WALL_COUNT; i++)
        r->wall[i] = h * data->wall[i].gas_m2 * (T - point->x[data->wall[i].first]);
    const double liner_m2 = data->liner_m * (flow->travel_m + piston_top_gap_m);
    r->liner = h * liner_m2 * (T - data->param[CYL_P_LINER]);
    r->heat = r->wall[CYL_HEAD] + r->wall[CYL_PISTON] + r->liner;
}

/* Computes the flow past the rings into the crankcase, or back into the cylinder. */
static void blow_by(const cyl_data *data, const wrsim_point *point, const double *h,
                    engine_valve_flow *ret_flow)
{
    const engine_flow *flow = &cyl_work_of(point)->flow;
    const unsigned char *mode = point->mode + CYL_Z_BLOW_BY;
    const double *x = point->x;
    const double mass = engine_orifice(data->param[CYL_P_BLOW_BY_AREA], flow->p, flow->rt,
                                       data->param[CYL_P_BLOW_BY_PRESSURE], crankcase_rt, mode);
    engine_valve_flow leak = {.mass = mass};
    if (mode[ENGINE_ORIFICE_FORWARD]) {
        const double share = mass * flow->per_kg;
        leak.air = share * x[CYL_X_AIR];
        leak.fuel = share * x[CYL_X_FUEL];
        leak.burned_gas = share * x[CYL_X_BURNED];
        leak.enthalpy = leak.air * h[ENGINE_AIR] + leak.burned_gas * h[ENGINE_BURNED] +
                        leak.fuel * h[ENGINE_FUEL];
    } else {
        leak.air = mass;
        leak.enthalpy = mass * data->crankcase_h;
    }
    *ret_flow = leak;
}

/* Computes the rates of masses and temperature of the gas. h: enthalpies of the species, J/kg. */
static void gas_rates(const cyl_data *data, const wrsim_point *point, const rates *r,
                      const double *h, const engine_valve_flow valve[ENGINE_VALVE_COUNT],
                      double *ret_dx)
{
    const engine_gas *gas = &data->flow.gas;
    const engine_valve_flow *in = &valve[ENGINE_INTAKE], *out = &valve[ENGINE_EXHAUST];
    const engine_valve_flow *leak = &r->blow_by;
    const double *x = point->x, T = x[CYL_X_T];
    const double afr = data->param[CYL_P_AFR];
    const int range = point->mode[CYL_Z_RANGE];
    const double air = in->air - out->air - leak->air - afr * r->burn;
    const double fuel = in->fuel - out->fuel - leak->fuel + r->evaporation - r->burn;
    const double burned = in->burned_gas - out->burned_gas - leak->burned_gas + (1 + afr) * r->burn;
    ret_dx[CYL_X_AIR] = air;
    ret_dx[CYL_X_FUEL] = fuel;
    ret_dx[CYL_X_BURNED] = burned;

    double power = r->released - cyl_work_of(point)->flow.p * r->dvolume - r->heat + in->enthalpy -
                   out->enthalpy - leak->enthalpy + r->evaporation_power; /* dU/dt */
    power -= air * (h[ENGINE_AIR] - gas->r[ENGINE_AIR] * T) +
             burned * (h[ENGINE_BURNED] - gas->r[ENGINE_BURNED] * T) +
             fuel * (h[ENGINE_FUEL] - gas->r[ENGINE_FUEL] * T);
    const engine_pair cv = engine_gas_pair_cv(gas, range, T);
    double capacity = x[CYL_X_AIR] * cv[ENGINE_AIR] + x[CYL_X_BURNED] * cv[ENGINE_BURNED] +
                      x[CYL_X_FUEL] * engine_gas_fuel_cv(gas, T); /* m cv, J/K */
    if (data->is_connected) {
        const double *u = point->port[CYL_PORT_GAS];
        power -= u[ENGINE_DISS_U_AIR] * air + u[ENGINE_DISS_U_BURNED] * burned +
                 u[ENGINE_DISS_P_INTERNAL] * r->dvolume;
        capacity += u[ENGINE_DISS_C];
    }
    ret_dx[CYL_X_T] = power / capacity;
}

/* Writes the temperature rates of a wall's layers, K/s. Returns the heat flow to the coolant, W. */
static inline double wall_rates(const cyl_wall *wall, int is_above_threshold, const double *x,
                                double heat_in, double *ret_dx)
{
    double heat = heat_in;
    int last = wall->first;
    if (wall->n_layer > 1) {
        /* conduction between the layers; heat is the flow into layer i, W */
        for (int i = 0; i < wall->n_layer - 1; i++) {
            const double next =
                wall->conductance * (x[cyl_layer(wall, i)] - x[cyl_layer(wall, i + 1)]);
            ret_dx[cyl_layer(wall, i)] = (heat - next) * wall->per_capacity;
            heat = next;
        }
        last = cyl_layer(wall, wall->n_layer - 1);
    }
    double film = wall->film_w_k;
    if (is_above_threshold)
        film += wall->film_slope * (x[last] - wall->threshold_k);
    const double out = film * (x[last] - wall->coolant_k);
    ret_dx[last] = (heat - out) * wall->per_capacity;
    return out;
}

static double ignition_rate(const wrsim_point *point)
{
    for (int j = 0; j < CYL_INJECTIONS; j++)
        if ((int)point->d[CYL_D_BURN + j] == CYL_BURN_WAITING)
            return engine_power(cyl_work_of(point)->flow.p * (1 / pascal_per_bar),
                                delay_pressure_power) *
                   engine_exp(-delay_k / point->x[CYL_X_T]) / delay_s;
    return 0;
}

static double turbulence_rate(const wrsim_point *point, const rates *r, const engine_valve_flow *in)
{
    const engine_flow *flow = &cyl_work_of(point)->flow;
    const unsigned char *squish = point->mode + CYL_Z_SQUISH;
    const double k = point->x[CYL_X_K];
    const double per_length = engine_inverse_root3(flow->volume_m3) * (1 / length_share);
    const double squish_power =
        r->piston_speed * r->piston_speed * r->piston_speed * (1 / squish_length_m);

    double production = rest_production + spray_energy_j_kg * r->injection * flow->per_kg -
                        compression_share * k * r->dvolume / flow->volume_m3;
    if (in->jet_m_s > 0)
        production += 0.5 * in->jet_m_s * in->jet_m_s * in->mass * flow->per_kg * jet_share;
    if (squish[0] != squish[1])
        production += squish_firing * squish_power;
    if (squish[2] != squish[3])
        production += squish_gas_exchange * squish_power;
    const double speed =
        point->mode[CYL_Z_TURBULENCE] ? turbulent_speed(point->x) : sqrt(CYL_K_LOW_M2_S2);
    return production - dissipation_share * speed * k * per_length;
}

static double nox_rate(const wrsim_point *point)
{
    if (!point->mode[CYL_Z_NOX])
        return 0;
    const double *x = point->x;
    const double per_kg = cyl_work_of(point)->flow.per_kg;
    const double undissociated = cyl_flame_temperature(x[CYL_X_T], x[CYL_X_BURNED] * per_kg);
    const double T =
        point->mode[CYL_Z_DISSOCIATION]
            ? CYL_DISSOCIATION_K + dissociation_share * (undissociated - CYL_DISSOCIATION_K)
            : undissociated;
    const double oxygen = engine_max(x[CYL_X_AIR] * per_kg * oxygen_fraction, 0);
    return nox_factor * x[CYL_X_BURNED] * sqrt(oxygen / T) * engine_exp(-nox_k / T);
}

static double soot_rate(const wrsim_point *point, double burn)
{
    const double *x = point->x;
    double rate = burn * soot_yield * (point->mode[CYL_Z_LEAN] ? 1.0 : soot_dilution_factor);
    if (point->mode[CYL_Z_SOOT])
        rate -= x[CYL_X_SOOT] * soot_oxidation_1_s * engine_exp(-soot_oxidation_k / x[CYL_X_T]) *
                (x[CYL_X_AIR] * cyl_work_of(point)->flow.per_kg);
    return rate;
}

static void valve_sums(const engine_valve_flow *flow, double *ret_sum)
{
    ret_sum[0] = flow->air;
    ret_sum[1] = flow->burned_gas;
    ret_sum[2] = flow->fuel;
    ret_sum[3] = flow->enthalpy;
}

static inline void sum_rates(const wrsim_point *point, const rates *r,
                             const engine_valve_flow valve[ENGINE_VALVE_COUNT], double *ret_sum)
{
    const engine_flow *flow = &cyl_work_of(point)->flow;
    valve_sums(&valve[ENGINE_INTAKE], ret_sum + CYL_S_IN_AIR);
    valve_sums(&valve[ENGINE_EXHAUST], ret_sum + CYL_S_OUT_AIR);
    valve_sums(&r->blow_by, ret_sum + CYL_S_BLOW_BY_AIR);
    ret_sum[CYL_S_INJECTED] = r->injection;
    ret_sum[CYL_S_EVAPORATED] = r->evaporation;
    ret_sum[CYL_S_FUEL_BURNED] = r->burn;
    ret_sum[CYL_S_HEAT_RELEASED] = r->released;
    ret_sum[CYL_S_HEAT_WALL] = r->heat;
    ret_sum[CYL_S_WORK] = flow->p * r->dvolume;
    ret_sum[CYL_S_EVAPORATION] = r->evaporation_power;
    ret_sum[CYL_S_HEAT_COOLANT] = r->coolant;
    ret_sum[CYL_S_HEAT_LINER] = r->liner;
}

int cyl_rhs(wrsim_instance *self, const wrsim_point *point, double *ret_dx)
{
    const cyl_data *data = (const cyl_data *)self->data;
    const cyl_work *work = cyl_work_of(point);
    const double omega = cyl_omega(point);
    const double fuel = point->d[CYL_D_FUEL];

    if (!(work->flow.p > 0) || !(point->x[CYL_X_T] > 0) || !(work->flow.mass > 0)) {
        self->message = "mass, temperature or pressure in the cylinder is not positive: check "
                        "start values and inputs";
        return 1;
    }
    rates r;
    double h[ENGINE_SPECIES_COUNT], flow_h[ENGINE_SPECIES_COUNT];
    engine_valve_flow valve[ENGINE_VALVE_COUNT];
    engine_gas_all_h(&data->flow.gas, point->mode[CYL_Z_RANGE], point->x[CYL_X_T], h);
    memcpy(flow_h, h, sizeof h);
    if (data->is_connected)
        engine_add_dissociation(point->port[CYL_PORT_GAS][ENGINE_DISS_H], flow_h);
    cyl_valve_flows(data, point, flow_h, valve);
    r.piston_speed = data->speed_m * omega;
    r.dvolume = work->flow.slope_m3 * omega;
    r.injection = cyl_is_injecting(point->d) ? cyl_injection_rate(data, point, work->flow.p) : 0;
    r.evaporation = evaporation_rate(point);
    r.evaporation_power = r.evaporation * data->liquid_h;
    r.burn = cyl_burn_rate(data, point, work->flow.phi_deg);
    r.released = r.burn * data->param[CYL_P_LHV];
    wall_heat(data, point, &r);
    blow_by(data, point, flow_h, &r.blow_by);

    gas_rates(data, point, &r, h, valve, ret_dx);
    r.coolant = wall_rates(&data->wall[CYL_HEAD], point->mode[CYL_Z_HEAD], point->x,
                           r.wall[CYL_HEAD], ret_dx) +
                wall_rates(&data->wall[CYL_PISTON], point->mode[CYL_Z_CROWN], point->x,
                           r.wall[CYL_PISTON], ret_dx);
    ret_dx[CYL_X_LIQUID] = r.injection - r.evaporation;
    ret_dx[CYL_X_BURN] = fuel > 0 ? r.burn / (fuel * data->injected_sum_kg) : 0;
    ret_dx[CYL_X_IGNITION] = ignition_rate(point);
    ret_dx[CYL_X_WORK] = work->flow.torque * omega;
    ret_dx[CYL_X_LOSS] = r.heat;
    ret_dx[CYL_X_IN] = valve[ENGINE_INTAKE].mass;
    ret_dx[CYL_X_K] = turbulence_rate(point, &r, &valve[ENGINE_INTAKE]);
    ret_dx[CYL_X_NOX] = nox_rate(point);
    ret_dx[CYL_X_SOOT] = soot_rate(point, r.burn);
    if (data->has_sums)
        sum_rates(point, &r, valve, ret_dx + data->first_sum);
    return 0;
}
