/* Constants and geometry of a cylinder. See models/engine/cylinder_flow.h. */
#include "models/engine/valve_flow.h"

const double engine_lift_ratio[ENGINE_LIFT_BREAKS + 2] = {0, 0.03, 0.06, 0.10, 0.15, 0.20, 0.40};

const char *const engine_gas_sources[] = {"ideal", "connected", NULL};

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

double engine_volume(const engine_flow_data *data, double phi_deg, double *ret_slope_m3,
                     double *ret_travel_m)
{
    double slope, travel;
    const double volume = engine_volume_at(data, phi_deg, &slope, &travel);
    if (ret_slope_m3 != NULL)
        *ret_slope_m3 = slope;
    if (ret_travel_m != NULL)
        *ret_travel_m = travel;
    return volume;
}
