/* Gas of a cylinder in chemical equilibrium: "engine.cylinder_gas". The model has no states. It computes pressure and dissociation once at
 * each point, for the cylinder and for the port, which have gas = "connected".
 *
 * Air and burned gas of the cylinder form one mixture in equilibrium, as in the single-zone models of R. B. Krieger, G. L. Borman, "The
 * computation of apparent heat release for internal combustion engines", ASME 66-WA/DGP-4, 1966. Fuel vapour does not react before it
 * burns, and it adds its partial pressure.
 *
 * Thread: one at a time per instance. Real-time: yes, except describe() and init().
 */
#include "models/describe.h"
#include "models/engine/equilibrium.h"
#include "models/engine/valve_flow.h"

enum { U_THETA, U_CYLINDER, U_COUNT = U_CYLINDER + ENGINE_CYL_COUNT };
enum { PORT_THETA, PORT_CYLINDER };

static const wrsim_variable params[] = {ENGINE_FLOW_PARAMS};

static const wrsim_variable inputs[U_COUNT] = {
    [U_THETA] = WR_REQUIRED("theta", "rad", 10, "crank angle"),
    [U_CYLINDER] = WR_REQUIRED("m_air", "kg", 5e-4, "air in the cylinder"),
    WR_REQUIRED("m_fuel", "kg", 2e-5, "fuel vapour in the cylinder"),
    WR_REQUIRED("m_burned", "kg", 5e-4, "burned gas in the cylinder"),
    WR_REQUIRED("T", "K", 800, "temperature in the cylinder"),
};

static const wrsim_variable outputs[ENGINE_DISS_COUNT] = {
    [ENGINE_DISS_P] = WR_SIGNAL("p", "Pa", 1e6, "pressure in the cylinder"),
    [ENGINE_DISS_H] =
        WR_SIGNAL("h", "J/kg", 1e4, "enthalpy of dissociation per mass of air and burned gas"),
    [ENGINE_DISS_C] = WR_SIGNAL("C", "J/K", 0.1, "heat capacity of dissociation"),
    [ENGINE_DISS_U_AIR] = WR_SIGNAL("u_air", "J/kg", 1e4, "energy of dissociation by mass of air"),
    [ENGINE_DISS_U_BURNED] =
        WR_SIGNAL("u_burned", "J/kg", 1e4, "energy of dissociation by mass of burned gas"),
    [ENGINE_DISS_P_INTERNAL] =
        WR_SIGNAL("p_internal", "J/m3", 1e4, "energy of dissociation by volume"),
    [ENGINE_DISS_U] = WR_SIGNAL("U", "J", 1, "energy of dissociation"),
};

typedef struct gas_data {
    engine_flow_data flow;
    engine_equilibrium equilibrium;
    engine_elements air, burned; /* amounts of elements, mol/kg */
} gas_data;

static int describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    (void)self;
    to->data_bytes = sizeof(gas_data);
    return WR_DESCRIBE_ADD(to, WRSIM_INPUT, inputs) || to->port(to, U_THETA, 1) ||
           to->port(to, U_CYLINDER, ENGINE_CYL_COUNT) || WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, outputs);
}

/* Returns the elements of air or burned gas. Burned gas is the product of complete combustion without excess air, so only air has
 * excess oxygen. */
static engine_elements elements_of(int species)
{
    double mol_kg[ENGINE_PURE_COUNT];
    engine_gas_moles(species, mol_kg);
    return (engine_elements){.carbon = mol_kg[ENGINE_CO2],
                             .hydrogen = 2 * mol_kg[ENGINE_H2O],
                             .nitrogen = 2 * mol_kg[ENGINE_N2],
                             .excess = 2 * mol_kg[ENGINE_O2]};
}

static int init(wrsim_instance *self, double t_s, double *x, double *d)
{
    (void)t_s, (void)x, (void)d;
    gas_data *data = (gas_data *)self->data;
    engine_flow_data_init(&data->flow, self->param);
    engine_equilibrium_init(&data->equilibrium);
    data->air = elements_of(ENGINE_AIR);
    data->burned = elements_of(ENGINE_BURNED);
    return 0;
}

/* Returns the derivative of the energy by the density of a mixture of elements e, mol/kg. */
static double energy_by(const engine_dissociation *gas, const engine_elements *e)
{
    const engine_elements *by = &gas->energy_by;
    return by->carbon * e->carbon + by->hydrogen * e->hydrogen + by->nitrogen * e->nitrogen +
           by->excess * e->excess;
}

static int output(wrsim_instance *self, const wrsim_point *point, double *ret_y)
{
    const gas_data *data = (const gas_data *)self->data;
    const double *x = point->port[PORT_CYLINDER];
    const double theta = point->port[PORT_THETA][0];
    engine_flow flow;
    engine_cylinder_gas(&data->flow,
                        engine_phi(&data->flow, theta, engine_cycle(&data->flow, theta)), x, &flow);
    const double per_m3 = 1 / flow.volume_m3;
    const double air = x[ENGINE_CYL_AIR] * per_m3, burned = x[ENGINE_CYL_BURNED] * per_m3;
    const engine_elements elements = {.carbon = burned * data->burned.carbon,
                                      .hydrogen = burned * data->burned.hydrogen,
                                      .nitrogen =
                                          air * data->air.nitrogen + burned * data->burned.nitrogen,
                                      .excess = air * data->air.excess};
    engine_dissociation gas;
    if (engine_equilibrium_at(&data->equilibrium, x[ENGINE_CYL_T], &elements, &gas) != 0) {
        self->message =
            "the gas in the cylinder has no chemical equilibrium: mass or temperature is "
            "not positive; check start values and inputs";
        return 1;
    }
    ret_y[ENGINE_DISS_P] = flow.p + gas.p;
    ret_y[ENGINE_DISS_H] = (gas.energy + gas.p) / (air + burned);
    ret_y[ENGINE_DISS_C] = gas.energy_T * flow.volume_m3;
    ret_y[ENGINE_DISS_U_AIR] = energy_by(&gas, &data->air);
    ret_y[ENGINE_DISS_U_BURNED] = energy_by(&gas, &data->burned);
    ret_y[ENGINE_DISS_P_INTERNAL] =
        gas.energy - air * ret_y[ENGINE_DISS_U_AIR] - burned * ret_y[ENGINE_DISS_U_BURNED];
    ret_y[ENGINE_DISS_U] = gas.energy * flow.volume_m3;
    return 0;
}

const wrsim_model engine_cylinder_gas_model = {
    WR_MODEL("engine.cylinder_gas", "gas of a cylinder in chemical equilibrium", params, describe),
    .init = init,
    .output = output,
};
