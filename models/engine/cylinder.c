/* One cylinder of a direct-injection diesel engine as a model: "engine.cylinder".
 *
 * The default has 15 states and 80 indicators. zones > 1 adds wall layers, and balance = 1 adds sums. This file has the
 * start values, actions of events and outputs. Declarations are in cylinder_describe.c, equations in cylinder_rates.c
 * and cylinder_indicators.c.
 *
 * Thread: one at a time per instance. Real-time: yes, except describe() and init().
 */
#include <math.h>

#include "models/describe.h"
#include "models/engine/cylinder_variables.h"

/* Largest angle, deg, by which an injection may begin late if the crank angle input is held between exchanges. If the crank jumps past the
 * start of an injection by more, the model skips the injection (models/engine/readme.md, Jumps of the crank angle). */
static const double most_late_deg = 60;

/* Heat transfer to coolant and oil (assumed): film coefficient below the threshold, W/(m2 K), and its slope above the
 * threshold, W/(m2 K2). The slope stands for boiling in the head's passages, and for faster oil cooling. The wetted area
 * is twice the piston's area (passages of the head, underside and pin). */
static const double wetted_ratio = 2;
static const double head_film = 1500, head_film_slope = 1100.0 / 85, head_threshold_k = 450;
static const double piston_film = 900, piston_film_slope = 500.0 / 95, piston_threshold_k = 480;
/* Gas-side areas over the bore's area (models/engine/readme.md): head with valves, piston with bowl. */
static const double head_area_ratio = 1.1, piston_area_ratio = 1.05;
/* Woschni's h in W/(m2 K) with bore in m, p in kPa (Heywood, Internal Combustion Engine Fundamentals, 1988, section 12.4.3). */
static const double woschni_factor = 3.26, woschni_bore_power = -0.2, woschni_p_power = 0.8;
static const double pascal_per_kpa = 1e3;
/* Temperature, K, at which the enthalpy of vapour less the heat of vaporisation is the enthalpy of liquid fuel
 * (models/engine/readme.md). */
static const double evaporation_temperature_k = 500;
/* Polytropic exponent of the compression before a start with closed valves (models/engine/readme.md). */
static const double start_exponent = 1.33;

static void init_walls(cyl_data *data, const double *param)
{
    const int n = data->n_layer;
    const double area = data->flow.piston_area_m2, wetted_m2 = wetted_ratio * area;
    data->wall[CYL_HEAD] = (cyl_wall){
        .first = CYL_X_HEAD,
        .rest = CYL_X_COUNT,
        .n_layer = n,
        .capacity_j_k = param[CYL_P_HEAD_MASS] * param[CYL_P_HEAD_CP] / n,
        .conductance = param[CYL_P_HEAD_CONDUCTIVITY] * area * n / param[CYL_P_HEAD_THICKNESS],
        .gas_m2 = area * head_area_ratio,
        .coolant_k = param[CYL_P_COOLANT],
        .film_w_k = head_film * wetted_m2,
        .film_slope = head_film_slope * wetted_m2,
        .threshold_k = head_threshold_k,
    };
    data->wall[CYL_PISTON] = (cyl_wall){
        .first = CYL_X_PISTON,
        .rest = CYL_X_COUNT + n - 1,
        .n_layer = n,
        .capacity_j_k = param[CYL_P_PISTON_MASS] * param[CYL_P_PISTON_CP] / n,
        .conductance = param[CYL_P_PISTON_CONDUCTIVITY] * area * n / param[CYL_P_PISTON_THICKNESS],
        .gas_m2 = area * piston_area_ratio,
        .coolant_k = param[CYL_P_OIL],
        .film_w_k = piston_film * wetted_m2,
        .film_slope = piston_film_slope * wetted_m2,
        .threshold_k = piston_threshold_k,
    };
    for (int i = 0; i < CYL_WALL_COUNT; i++)
        data->wall[i].per_capacity = 1 / data->wall[i].capacity_j_k;
}

static int init(wrsim_instance *self, double t_s, double *x, double *d)
{
    (void)x;
    cyl_data *data = (cyl_data *)self->data;
    data->start_s = t_s;
    const double *param = self->param;
    engine_flow_data_init(&data->flow, param);
    data->param = param;
    data->n_layer = (int)param[CYL_P_ZONES];
    data->has_sums = param[CYL_P_BALANCE] > 0.5;
    data->is_connected = (int)param[CYL_P_GAS] == ENGINE_GAS_CONNECTED;
    data->first_sum = CYL_X_COUNT + 2 * (data->n_layer - 1);
    init_walls(data, param);
    const double ramp = param[CYL_P_RAMP];
    data->injected_sum_kg = 0;
    for (int j = 0; j < CYL_INJECTIONS; j++) {
        if (param[CYL_P_DURATION + j] < 2 * ramp) {
            self->message = "an injection is shorter than opening and closing of the needle: raise "
                            "its duration";
            return -1;
        }
        data->injected_kg[j] =
            param[CYL_P_NOZZLE] * (param[CYL_P_DURATION + j] - ramp) *
            sqrt(2 * param[CYL_P_DENSITY] * (param[CYL_P_RAIL] - param[CYL_P_BACK_PRESSURE]));
        data->injected_sum_kg += data->injected_kg[j];
    }
    data->liquid_h = engine_gas_h(&data->flow.gas, ENGINE_FUEL, 0, evaporation_temperature_k) -
                     param[CYL_P_VAPORISATION];
    data->heat_factor = woschni_factor * pow(param[ENGINE_P_BORE], woschni_bore_power) *
                        pow(pascal_per_kpa, -woschni_p_power);
    cyl_indicator_init(data);
    data->speed_m = param[ENGINE_P_STROKE] / ENGINE_PI;
    data->liner_m = ENGINE_PI * param[ENGINE_P_BORE];
    data->crankcase_h = engine_gas_h(&data->flow.gas, ENGINE_AIR, engine_gas_range(CYL_CRANKCASE_K),
                                     CYL_CRANKCASE_K);
    d[CYL_D_V_IVC] = engine_volume(&data->flow, param[ENGINE_P_IVC] - ENGINE_CYCLE_DEG, NULL, NULL);
    return 0;
}

/* Sets discrete states that fit the start angle, which is an input. Only injections that the config sets are active
 * at the start. */
static void start(const cyl_data *data, const wrsim_point *point, double *d)
{
    const double *x = point->x;
    d[CYL_D_CYCLE] = engine_cycle(&data->flow, cyl_theta(point));
    d[CYL_D_FUEL] = point->port[CYL_PORT_FUEL][0];
    const double phi = engine_phi(&data->flow, cyl_theta(point), d[CYL_D_CYCLE]);
    d[CYL_D_INTAKE_OPEN] = engine_valve_is_open(&data->flow, ENGINE_INTAKE, phi);
    d[CYL_D_EXHAUST_OPEN] = engine_valve_is_open(&data->flow, ENGINE_EXHAUST, phi);
    d[CYL_D_COMBUSTION] = 0;
    for (int j = 0; j < CYL_INJECTIONS; j++)
        if ((int)d[CYL_D_BURN + j] == CYL_BURN_ACTIVE)
            d[CYL_D_COMBUSTION] = 1;
    /* With closed valves, the charge in the cylinder determines the state at intake closing, and so the motored pressure. */
    const double closed_deg = data->param[ENGINE_P_IVC] - ENGINE_CYCLE_DEG;
    if (phi < closed_deg || phi > data->param[ENGINE_P_EVO])
        return;
    const double volume = engine_volume(&data->flow, phi, NULL, NULL);
    if (phi < data->param[CYL_P_SOI])
        d[CYL_D_T_IVC] = x[CYL_X_T] * pow(volume / d[CYL_D_V_IVC], start_exponent - 1);
    const double mass_r = x[CYL_X_AIR] * data->flow.gas.r[ENGINE_AIR] +
                          x[CYL_X_FUEL] * data->flow.gas.r[ENGINE_FUEL] +
                          x[CYL_X_BURNED] * data->flow.gas.r[ENGINE_BURNED];
    d[CYL_D_P_IVC] = mass_r * d[CYL_D_T_IVC] / d[CYL_D_V_IVC];
}

/* Returns 1 if the crank has passed the angle of indicator z forwards. After a jump past the end of a cycle, phi_deg decides: the crank
 * may have passed angles of the next cycle without a rising indicator. */
static int has_passed(const cyl_data *data, const signed char *fired, int z, double phi_deg)
{
    return fired[z] > 0 || (fired[CYL_Z_WRAP] > 0 && phi_deg > data->timing_deg[z]);
}

/* Returns the crank angle of the point, deg. */
static double angle_of(const cyl_data *data, const wrsim_point *point)
{
    return engine_phi(&data->flow, cyl_theta(point), point->d[CYL_D_CYCLE]);
}

/* Opens or closes the valves of a side when the crank passes their angle. A jump may pass both angles, or go backwards. */
static void move_valve(const cyl_data *data, const signed char *fired, engine_valve_side side,
                       double phi_deg, double *is_open)
{
    const int opening = side == ENGINE_INTAKE ? CYL_Z_IVO : CYL_Z_EVO;
    const int closing = side == ENGINE_INTAKE ? CYL_Z_IVC : CYL_Z_EVC;
    const int has_opened = has_passed(data, fired, opening, phi_deg);
    const int has_closed = has_passed(data, fired, closing, phi_deg);
    if (has_opened != has_closed)
        *is_open = has_opened;
    else if (has_opened || fired[opening] < 0 || fired[closing] < 0)
        *is_open = engine_valve_is_open(&data->flow, side, phi_deg);
}

static void end_burning(double *d)
{
    d[CYL_D_COMBUSTION] = 0;
    for (int j = 0; j < CYL_INJECTIONS; j++)
        d[CYL_D_BURN + j] = CYL_BURN_NONE;
}

static int turn(wrsim_instance *self, const wrsim_point *point, const signed char *fired, double *x,
                double *d)
{
    const cyl_data *data = (const cyl_data *)self->data;
    double phi_deg = angle_of(data, point);
    const int is_start = point->t_s <= data->start_s;
    if (is_start || (fired[CYL_Z_WRAP] > 0 && phi_deg < 0)) {
        /* At the start, and if the crank has turned back into the previous cycle, the passed events are unknown. So the angle determines
         * the discrete states. */
        const double theta = cyl_theta(point);
        d[CYL_D_CYCLE] = engine_cycle(&data->flow, theta);
        phi_deg = engine_phi(&data->flow, theta, d[CYL_D_CYCLE]);
        d[CYL_D_INTAKE_OPEN] = engine_valve_is_open(&data->flow, ENGINE_INTAKE, phi_deg);
        d[CYL_D_EXHAUST_OPEN] = engine_valve_is_open(&data->flow, ENGINE_EXHAUST, phi_deg);
        if (!is_start)
            end_burning(d);
        return 0;
    }
    /* CYL_Z_WRAP falls if an event has changed the cycle count. The crank has then passed no angle. */
    if (fired[CYL_Z_WRAP] < 0)
        return 0;
    if (fired[CYL_Z_WRAP] > 0) {
        /* sums over one cycle, which the event resets */
        static const int per_cycle[] = {CYL_X_BURN,     CYL_X_WORK, CYL_X_LOSS, CYL_X_IN,
                                        CYL_X_IGNITION, CYL_X_NOX,  CYL_X_SOOT};
        d[CYL_D_CYCLE] += 1;
        for (int i = 0; i < (int)(sizeof per_cycle / sizeof per_cycle[0]); i++)
            x[per_cycle[i]] = 0;
        phi_deg -= ENGINE_CYCLE_DEG;
    }
    /* If the crank has passed all timings, it has jumped by nearly a whole cycle or more. */
    int n = 0;
    for (int z = CYL_Z_WRAP; z < CYL_Z_WRAP + CYL_TIMINGS; z++)
        n += has_passed(data, fired, z, phi_deg);
    if (n == CYL_TIMINGS) {
        self->message =
            "the crank angle has jumped by nearly a cycle or more: exchange it more often, "
            "or set it in smaller steps";
        return -1;
    }
    move_valve(data, fired, ENGINE_INTAKE, phi_deg, d + CYL_D_INTAKE_OPEN);
    move_valve(data, fired, ENGINE_EXHAUST, phi_deg, d + CYL_D_EXHAUST_OPEN);
    if (has_passed(data, fired, CYL_Z_IVC, phi_deg)) {
        engine_flow flow;
        cyl_gas(data, point, &flow);
        d[CYL_D_P_IVC] = flow.p;
        d[CYL_D_V_IVC] = flow.volume_m3;
        d[CYL_D_T_IVC] = x[CYL_X_T];
    }
    if (has_passed(data, fired, CYL_Z_EVO, phi_deg))
        end_burning(d);
    for (int j = 0; j < CYL_INJECTIONS; j++) {
        const int z = CYL_Z_SOI + j;
        const double now_deg = fired[z] > 0 ? angle_of(data, point) : phi_deg;
        if (!has_passed(data, fired, z, phi_deg) || now_deg > data->timing_deg[z] + most_late_deg)
            continue;
        if (j == 0)
            d[CYL_D_FUEL] = point->port[CYL_PORT_FUEL][0];
        d[CYL_D_NEEDLE + j] = CYL_NEEDLE_OPENING;
        d[CYL_D_SOI_TIME + j] = point->t_s;
        d[CYL_D_BURN + j] = CYL_BURN_WAITING;
        x[CYL_X_IGNITION] = 0;
    }
    return 0;
}

static int event(wrsim_instance *self, const wrsim_point *point, const wrsim_event *what, double *x,
                 double *d)
{
    if (what->is_initial) {
        start((const cyl_data *)self->data, point, d);
        return 0;
    }
    const signed char *fired = what->fired;
    int has_turned = 0;
    for (int z = CYL_Z_WRAP; z < CYL_Z_WRAP + CYL_TIMINGS && !has_turned; z++)
        if (fired[z] != 0)
            has_turned = 1;
    if (has_turned && turn(self, point, fired, x, d) != 0)
        return -1;
    for (int j = 0; j < CYL_INJECTIONS; j++) {
        const signed char *needle = fired + CYL_Z_NEEDLE + CYL_NEEDLE_INDICATORS * j;
        if (needle[0] > 0)
            d[CYL_D_NEEDLE + j] = CYL_NEEDLE_OPEN;
        if (needle[1] > 0)
            d[CYL_D_NEEDLE + j] = CYL_NEEDLE_CLOSING;
        if (needle[2] > 0)
            d[CYL_D_NEEDLE + j] = CYL_NEEDLE_SHUT;
    }
    for (int j = 0; j < CYL_INJECTIONS; j++) {
        if (fired[CYL_Z_IGNITION + j] > 0) {
            d[CYL_D_BURN + j] = CYL_BURN_ACTIVE;
            d[CYL_D_BURN_START + j] = angle_of((const cyl_data *)self->data, point);
            d[CYL_D_COMBUSTION] = 1;
        }
        if (fired[CYL_Z_BURN_END + j] > 0) {
            d[CYL_D_BURN + j] = CYL_BURN_NONE;
            int is_burning = 0;
            for (int i = 0; i < CYL_INJECTIONS; i++)
                is_burning |= (int)d[CYL_D_BURN + i] == CYL_BURN_ACTIVE;
            d[CYL_D_COMBUSTION] = is_burning;
        }
    }
    return 0;
}

/* Returns the energy of gas (sensible, chemical, and of dissociation if connected), liquid fuel, head and piston, J. */
static double energy(const cyl_data *data, const wrsim_point *point)
{
    const engine_gas *gas = &data->flow.gas;
    const double *x = point->x, T = x[CYL_X_T];
    const int range = point->mode[CYL_Z_RANGE];
    const double lhv = data->param[CYL_P_LHV];
    double sum = x[CYL_X_FUEL] * lhv + x[CYL_X_LIQUID] * (lhv + data->liquid_h);
    sum += x[CYL_X_AIR] * (engine_gas_h(gas, ENGINE_AIR, range, T) - gas->r[ENGINE_AIR] * T);
    sum += x[CYL_X_FUEL] * (engine_gas_h(gas, ENGINE_FUEL, range, T) - gas->r[ENGINE_FUEL] * T);
    sum +=
        x[CYL_X_BURNED] * (engine_gas_h(gas, ENGINE_BURNED, range, T) - gas->r[ENGINE_BURNED] * T);
    if (data->is_connected)
        sum += point->port[CYL_PORT_GAS][ENGINE_DISS_U];
    for (int i = 0; i < CYL_WALL_COUNT; i++)
        for (int layer = 0; layer < data->n_layer; layer++)
            sum += data->wall[i].capacity_j_k * x[cyl_layer(&data->wall[i], layer)];
    return sum;
}

static int output(wrsim_instance *self, const wrsim_point *point, double *ret_y)
{
    const cyl_data *data = (const cyl_data *)self->data;
    engine_flow flow;
    cyl_gas(data, point, &flow);
    for (int i = 0; i < ENGINE_CYL_COUNT; i++)
        ret_y[CYL_Y_GAS + i] = point->x[i];
    ret_y[CYL_Y_P] = flow.p;
    ret_y[CYL_Y_V] = flow.volume_m3;
    ret_y[CYL_Y_PHI] = flow.phi_deg;
    ret_y[CYL_Y_TORQUE] = flow.torque;
    ret_y[CYL_Y_BURN] = cyl_burn_rate(data, point, flow.phi_deg);
    ret_y[CYL_Y_INJECTION] =
        cyl_is_injecting(point->d) ? cyl_injection_rate(data, point, flow.p) : 0;
    ret_y[CYL_Y_ENERGY] = energy(data, point);
    return 0;
}

const wrsim_model engine_cylinder_model = {
    WR_MODEL_CAPS("engine.cylinder", "one cylinder of a direct-injection diesel engine",
                  WRSIM_CAP_EVENT_WITHOUT_W, cyl_describe),
    .n_param = WR_DESCRIBE_COUNT(cyl_params),
    .params = cyl_params,
    .init = init,
    .rhs = cyl_rhs,
    .output = output,
    .algebra = cyl_algebra,
    .indicator = cyl_indicator,
    .event = event,
};
