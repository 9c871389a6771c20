/* Gas of a cylinder in chemical equilibrium: "engine.cylinder_gas". The model has no states, and computes pressure and dissociation once at
 * each point, for the cylinder and for the port, which have gas = "connected".
 *
 * Air and burned gas of the cylinder form one mixture in equilibrium, as in the single-zone models of R. B. Krieger, G. L. Borman, "The
 * computation of apparent heat release for internal combustion engines", ASME 66-WA/DGP-4, 1966. Fuel vapour does not react before it
 * burns, and it adds its partial pressure.
 *
 * Thread: one at a time per instance. Real-time: yes, except describe() and init().
 */
#include "models/describe.h"
#include "models/engine/equilibrium_table.h"
#include "models/engine/valve_flow.h"

enum { U_THETA, U_CYLINDER, U_COUNT = U_CYLINDER + ENGINE_CYL_COUNT };
enum { PORT_THETA, PORT_CYLINDER };

enum { P_PROPERTIES = ENGINE_FLOW_PARAM_COUNT };
enum { EQUILIBRIUM, TABLE };
static const char *const sources[] = {"equilibrium", "table", NULL};
static const wrsim_variable params[] = {ENGINE_FLOW_PARAMS WR_PARAM(
    "properties", "1", EQUILIBRIUM, 0, 0,
    "\"equilibrium\": solved at each point; \"table\": interpolated in a "
    "table that the start computes",
    .choices = sources)};

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
    engine_elements air, burned;     /* amounts of elements, mol/kg */
    engine_equilibrium_table *table; /* behind this struct; NULL: no table */
} gas_data;

static int describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    to->data_bytes = sizeof(gas_data);
    if ((int)self->param[P_PROPERTIES] == TABLE)
        to->data_bytes += sizeof(engine_equilibrium_table);
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
    data->table = NULL;
    if ((int)self->param[P_PROPERTIES] != TABLE)
        return 0;
    data->table = (engine_equilibrium_table *)(void *)(data + 1);
    return -engine_equilibrium_table_init(data->table, &data->equilibrium, &data->air,
                                          &data->burned);
}

static int output(wrsim_instance *self, const wrsim_point *point, double *ret_y)
{
    const gas_data *data = (const gas_data *)self->data;
    const double *x = point->port[PORT_CYLINDER];
    const double theta = point->port[PORT_THETA][0];
    engine_flow flow;
    engine_cylinder_gas(&data->flow,
                        engine_phi(&data->flow, theta, engine_cycle(&data->flow, theta)), x, &flow);
    const double mass = x[ENGINE_CYL_AIR] + x[ENGINE_CYL_BURNED];
    const engine_mixture mixture = {
        .T = x[ENGINE_CYL_T], .rho = mass / flow.volume_m3, .burned = x[ENGINE_CYL_BURNED] / mass};
    engine_mixture_properties gas;
    if (data->table != NULL) {
        if (engine_equilibrium_table_at(data->table, &mixture, &gas) != 0) {
            self->message =
                "T is outside 250 to 3210 K, density outside 0.02 to 132 kg/m3, or the burned "
                "fraction outside 0.004 to 0.996; check start values, or set properties = "
                "\"equilibrium\"";
            return 1;
        }
    } else if (engine_mixture_at(&data->equilibrium, &data->air, &data->burned, &mixture, &gas) !=
               0) {
        self->message =
            "the gas in the cylinder has no chemical equilibrium, because mass, temperature or "
            "burned fraction is out of range; check start values and inputs";
        return 1;
    }
    /* U = m e(T, ln(m / V), burned), m = m_air + m_burned */
    const double by_mass = gas.energy + gas.energy_ln_rho - mixture.burned * gas.energy_burned;
    ret_y[ENGINE_DISS_P] = flow.p + mixture.rho * gas.p;
    ret_y[ENGINE_DISS_H] = gas.energy + gas.p;
    ret_y[ENGINE_DISS_C] = mass * gas.energy_T;
    ret_y[ENGINE_DISS_U_AIR] = by_mass;
    ret_y[ENGINE_DISS_U_BURNED] = by_mass + gas.energy_burned;
    ret_y[ENGINE_DISS_P_INTERNAL] = -mixture.rho * gas.energy_ln_rho;
    ret_y[ENGINE_DISS_U] = mass * gas.energy;
    return 0;
}

const wrsim_model engine_cylinder_gas_model = {
    WR_MODEL("engine.cylinder_gas", "gas of a cylinder in chemical equilibrium", params, describe),
    .init = init,
    .output = output,
};
