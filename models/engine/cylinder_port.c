/* The airpath's side of a cylinder: valve flows and torque, computed from states. engine.cylinder_port has all outputs.
 * With gas = "ideal", engine.intake_port, engine.exhaust_port and engine.cylinder_torque compute the same bits, for configs that integrate
 * intake side, exhaust side and drive separately.
 *
 * The model has no states. The model evaluates the function of the cylinder (cylinder_flow.h) at the states of the cylinder and
 * of the manifolds. Present values select every branch, because the coupling transfers no modes of the cylinder. All branches of
 * the flow are continuous.
 *
 * Flows are positive from the intake manifold into the cylinder, and from the cylinder into the exhaust manifold. Fuel
 * vapour is a separate flow, which a manifold counts as burned gas (models/engine/readme.md, Coupling).
 *
 * Thread: one at a time per instance. Real-time: yes, except describe() and init().
 */
#include "models/describe.h"
#include "models/engine/valve_flow.h"

enum {
    U_THETA,
    U_OMEGA,
    U_CYLINDER,
    U_INTAKE = U_CYLINDER + ENGINE_CYL_COUNT,
    U_EXHAUST = U_INTAKE + ENGINE_MAN_COUNT,
    U_COUNT = U_EXHAUST + ENGINE_MAN_COUNT
};

/* The model reads inputs in input blocks: theta and omega, cylinder, both manifolds, gas if connected. */
enum { PORT_CRANK, PORT_CYLINDER, PORT_INTAKE, PORT_EXHAUST, PORT_GAS };

enum {
    Y_INTAKE_AIR,
    Y_INTAKE_BURNED,
    Y_INTAKE_FUEL,
    Y_INTAKE_H,
    Y_EXHAUST_AIR,
    Y_EXHAUST_BURNED,
    Y_EXHAUST_FUEL,
    Y_EXHAUST_H,
    Y_TORQUE,
    Y_POWER,
    Y_COUNT
};

static const wrsim_variable params[] = {ENGINE_FLOW_PARAMS};
enum { P_GAS = ENGINE_FLOW_PARAM_COUNT };
#define GAS_ROW(...) WR_PARAM(__VA_ARGS__)
static const wrsim_variable port_params[] = {ENGINE_FLOW_PARAMS GAS_ROW(ENGINE_GAS_PARAM)};

static const wrsim_variable inputs[U_COUNT] = {
    [U_THETA] = WR_REQUIRED("theta", "rad", 10, "crank angle"),
    [U_OMEGA] = WR_SIGNAL("omega", "rad/s", 261.8, "crank speed, used for power only"),
    [U_CYLINDER] = WR_REQUIRED("m_air", "kg", 5e-4, "air in the cylinder"),
    WR_REQUIRED("m_fuel", "kg", 2e-5, "fuel vapour in the cylinder"),
    WR_REQUIRED("m_burned", "kg", 5e-4, "burned gas in the cylinder"),
    WR_REQUIRED("T", "K", 800, "temperature in the cylinder"),
    [U_INTAKE] = WR_REQUIRED("im_m_air", "kg", 5e-3, "air in the intake manifold"),
    WR_REQUIRED("im_m_burned", "kg", 1e-3, "burned gas in the intake manifold"),
    WR_REQUIRED("im_T", "K", 350, "temperature of the intake manifold"),
    [U_EXHAUST] = WR_REQUIRED("em_m_air", "kg", 1e-3, "air in the exhaust manifold"),
    WR_REQUIRED("em_m_burned", "kg", 1e-3, "burned gas in the exhaust manifold"),
    WR_REQUIRED("em_T", "K", 900, "temperature of the exhaust manifold"),
};

static const wrsim_variable gas_inputs[ENGINE_DISS_PORT_COUNT] = {
    [ENGINE_DISS_P] = WR_REQUIRED("gas_p", "Pa", 1e6, "pressure in the cylinder"),
    [ENGINE_DISS_H] = WR_REQUIRED("gas_h", "J/kg", 1e4, "enthalpy of dissociation"),
};

static const wrsim_variable outputs[Y_COUNT] = {
    [Y_INTAKE_AIR] = WR_SIGNAL("intake_m_air", "kg/s", 0.05, "air from the intake manifold"),
    [Y_INTAKE_BURNED] =
        WR_SIGNAL("intake_m_burned", "kg/s", 0.05, "burned gas from the intake manifold"),
    [Y_INTAKE_FUEL] = WR_SIGNAL("intake_m_fuel", "kg/s", 1e-3,
                                "fuel vapour from the intake manifold (only back-flow: <= 0)"),
    [Y_INTAKE_H] = WR_SIGNAL("intake_H", "W", 2e4, "sensible enthalpy from the intake manifold"),
    [Y_EXHAUST_AIR] = WR_SIGNAL("exhaust_m_air", "kg/s", 0.05, "air into the exhaust manifold"),
    [Y_EXHAUST_BURNED] =
        WR_SIGNAL("exhaust_m_burned", "kg/s", 0.05, "burned gas into the exhaust manifold"),
    [Y_EXHAUST_FUEL] =
        WR_SIGNAL("exhaust_m_fuel", "kg/s", 1e-3, "unburned fuel vapour into the exhaust manifold"),
    [Y_EXHAUST_H] = WR_SIGNAL("exhaust_H", "W", 2e4, "sensible enthalpy into the exhaust manifold"),
    [Y_TORQUE] = WR_SIGNAL("torque", "N m", 200, "torque of the gas on the crank"),
    [Y_POWER] = WR_SIGNAL("power", "W", 5e4, "torque times speed"),
};

/* Pattern of the outputs. Rows: four of the intake, four of the exhaust, torque, power. Columns: theta omega | cylinder: air fuel
 * burned T | intake manifold: air burned T | exhaust manifold: air burned T. */
#define INTAKE_ROW "x.xxxxxxx... "
#define EXHAUST_ROW "x.xxxx...xxx "
static const char u_y[] =
    INTAKE_ROW INTAKE_ROW INTAKE_ROW INTAKE_ROW EXHAUST_ROW EXHAUST_ROW EXHAUST_ROW EXHAUST_ROW
    "x.xxxx...... xxxxxx......";

static int is_connected(const wrsim_instance *self)
{
    return (int)self->param[P_GAS] == ENGINE_GAS_CONNECTED;
}

static int describe_gas(wrsim_description *to)
{
    int bad = WR_DESCRIBE_ADD(to, WRSIM_INPUT, gas_inputs);
    bad |= to->port(to, U_COUNT, ENGINE_DISS_PORT_COUNT);
    for (int y = 0; y < Y_COUNT; y++)
        for (int i = 0; i < ENGINE_DISS_PORT_COUNT; i++)
            bad |= to->depends(to, WRSIM_U_Y, y, U_COUNT + i);
    return bad;
}

static int describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    to->data_bytes = sizeof(engine_flow_data);
    if (WR_DESCRIBE_ADD(to, WRSIM_INPUT, inputs) != 0 || to->port(to, U_THETA, 2) != 0 ||
        to->port(to, U_CYLINDER, ENGINE_CYL_COUNT) != 0 ||
        to->port(to, U_INTAKE, ENGINE_MAN_COUNT) != 0 ||
        to->port(to, U_EXHAUST, ENGINE_MAN_COUNT) != 0 ||
        WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, outputs) != 0 ||
        (is_connected(self) && describe_gas(to) != 0))
        return -1;
    return WR_DESCRIBE_PATTERNS(to, [WRSIM_U_Y] = u_y);
}

static int init(wrsim_instance *self, double t_s, double *x, double *d)
{
    (void)t_s, (void)x, (void)d;
    engine_flow_data_init((engine_flow_data *)self->data, self->param);
    return 0;
}

/* Writes the flow through a valve as the four signals of a flow port. */
static inline void put_valve(const engine_valve_flow *valve, double *ret_y)
{
    ret_y[Y_INTAKE_AIR] = valve->air;
    ret_y[Y_INTAKE_BURNED] = valve->burned_gas;
    ret_y[Y_INTAKE_FUEL] = valve->fuel;
    ret_y[Y_INTAKE_H] = valve->enthalpy;
}

/* Writes the flow through the valves of one side, or zeros if the valves are closed. */
ENGINE_INLINE void put_flow(const engine_flow_data *data, engine_valve_side side,
                            const engine_flow_point *at, const engine_flow *flow, double *ret_y)
{
    engine_valve_flow valve = {0};
    if (engine_valve_is_open(data, side, flow->phi_deg))
        engine_flow_through(data, side, at, flow, &valve);
    put_valve(&valve, ret_y);
}

static int output(wrsim_instance *self, const wrsim_point *point, double *ret_y)
{
    const engine_flow_data *data = (const engine_flow_data *)self->data;
    const double theta = point->port[PORT_CRANK][U_THETA];
    const double omega = point->port[PORT_CRANK][U_OMEGA];
    engine_flow_point at = {
        .cylinder = point->port[PORT_CYLINDER],
        .manifold = {[ENGINE_INTAKE] = point->port[PORT_INTAKE],
                     [ENGINE_EXHAUST] = point->port[PORT_EXHAUST]},
    };
    engine_flow flow;
    double h[ENGINE_SPECIES_COUNT];
    engine_cylinder_gas(data, engine_phi(data, theta, engine_cycle(data, theta)), at.cylinder,
                        &flow);
    if (is_connected(self)) {
        const double *gas = point->port[PORT_GAS], T = at.cylinder[ENGINE_CYL_T];
        engine_set_pressure(data, gas[ENGINE_DISS_P], &flow);
        engine_gas_all_h(&data->gas, engine_gas_range(T), T, h);
        engine_add_dissociation(gas[ENGINE_DISS_H], h);
        at.cylinder_h = h;
    }
    put_flow(data, ENGINE_INTAKE, &at, &flow, ret_y);
    put_flow(data, ENGINE_EXHAUST, &at, &flow, ret_y + Y_EXHAUST_AIR);
    ret_y[Y_TORQUE] = flow.torque;
    ret_y[Y_POWER] = flow.torque * omega;
    return 0;
}

const wrsim_model engine_cylinder_port_model = {
    WR_MODEL("engine.cylinder_port", "valve flows and torque of a cylinder, on the airpath's side",
             port_params, describe),
    .init = init,
    .output = output,
};

/* Inputs of the three models for intake flow, exhaust flow and torque. All three models have the angle and the cylinder's gas as inputs.
 * The torque model also has a speed, and a flow model also has a manifold. A flow model evaluates the gas only for an open valve. */
enum {
    S_THETA,
    S_CYLINDER,
    S_COUNT = S_CYLINDER + ENGINE_CYL_COUNT,
    S_OMEGA = S_COUNT,
    S_MANIFOLD = S_COUNT
};
enum { F_AIR, F_BURNED, F_FUEL, F_H };
enum { DRIVE_TORQUE, DRIVE_POWER };

static const wrsim_variable side_inputs[S_COUNT] = {
    [S_THETA] = WR_REQUIRED("theta", "rad", 10, "crank angle"),
    [S_CYLINDER] = WR_REQUIRED("m_air", "kg", 5e-4, "air in the cylinder"),
    WR_REQUIRED("m_fuel", "kg", 2e-5, "fuel vapour in the cylinder"),
    WR_REQUIRED("m_burned", "kg", 5e-4, "burned gas in the cylinder"),
    WR_REQUIRED("T", "K", 800, "temperature in the cylinder"),
};

static const wrsim_variable speed[] = {
    WR_SIGNAL("omega", "rad/s", 261.8, "crank speed, used for power only")};

static const wrsim_variable manifold[ENGINE_MAN_COUNT] = {
    WR_REQUIRED("manifold_m_air", "kg", 1e-3, "air in the manifold"),
    WR_REQUIRED("manifold_m_burned", "kg", 1e-3, "burned gas in the manifold"),
    WR_REQUIRED("manifold_T", "K", 600, "temperature of the manifold"),
};

static const wrsim_variable flows[] = {
    [F_AIR] = WR_SIGNAL("flow_air", "kg/s", 0.05, "air in the usual flow direction"),
    [F_BURNED] = WR_SIGNAL("flow_burned", "kg/s", 0.05, "burned gas in the usual flow direction"),
    [F_FUEL] = WR_SIGNAL("flow_fuel", "kg/s", 1e-3, "fuel vapour in the usual flow direction"),
    [F_H] = WR_SIGNAL("flow_H", "W", 2e4, "sensible enthalpy in the usual flow direction"),
};

static const wrsim_variable drive[] = {
    [DRIVE_TORQUE] = WR_SIGNAL("torque", "N m", 200, "torque of the gas on the crank"),
    [DRIVE_POWER] = WR_SIGNAL("power", "W", 5e4, "torque times speed"),
};

static int describe_side(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    (void)self;
    to->data_bytes = sizeof(engine_flow_data);
    return WR_DESCRIBE_ADD(to, WRSIM_INPUT, side_inputs) ||
           WR_DESCRIBE_ADD(to, WRSIM_INPUT, manifold) ||
           WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, flows); /* an undeclared pattern is full */
}

static int describe_drive(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    (void)self;
    to->data_bytes = sizeof(engine_flow_data);
    return WR_DESCRIBE_ADD(to, WRSIM_INPUT, side_inputs) ||
           WR_DESCRIBE_ADD(to, WRSIM_INPUT, speed) || WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, drive) ||
           WR_DESCRIBE_PATTERNS(to, [WRSIM_U_Y] = "xxxxx. xxxxxx"); /* rows: torque, power */
}

ENGINE_INLINE int put_side(const wrsim_instance *self, engine_valve_side side, const double *u,
                           double *ret_y)
{
    const engine_flow_data *data = (const engine_flow_data *)self->data;
    const double phi_deg = engine_phi(data, u[S_THETA], engine_cycle(data, u[S_THETA]));
    engine_valve_flow valve = {0};
    if (engine_valve_is_open(data, side, phi_deg)) {
        engine_flow_point at = {.cylinder = u + S_CYLINDER};
        at.manifold[side] = u + S_MANIFOLD;
        engine_flow flow;
        engine_cylinder_gas(data, phi_deg, u + S_CYLINDER, &flow);
        engine_flow_through(data, side, &at, &flow, &valve);
    }
    put_valve(&valve, ret_y);
    return 0;
}

static int put_intake(wrsim_instance *self, const wrsim_point *point, double *ret_y)
{
    return put_side(self, ENGINE_INTAKE, point->u, ret_y);
}

static int put_exhaust(wrsim_instance *self, const wrsim_point *point, double *ret_y)
{
    return put_side(self, ENGINE_EXHAUST, point->u, ret_y);
}

static int put_drive(wrsim_instance *self, const wrsim_point *point, double *ret_y)
{
    const engine_flow_data *data = (const engine_flow_data *)self->data;
    engine_flow flow;
    const double theta = point->u[S_THETA];
    engine_cylinder_gas(data, engine_phi(data, theta, engine_cycle(data, theta)),
                        point->u + S_CYLINDER, &flow);
    ret_y[DRIVE_TORQUE] = flow.torque;
    ret_y[DRIVE_POWER] = flow.torque * point->u[S_OMEGA];
    return 0;
}

#define SIDE(name, description, describe_, put)                                                    \
    {                                                                                              \
        WR_MODEL(name, description, params, describe_), .init = init, .output = put                \
    }
const wrsim_model engine_intake_port_model =
    SIDE("engine.intake_port", "flow through a cylinder's intake valves, on the airpath's side",
         describe_side, put_intake);
const wrsim_model engine_exhaust_port_model =
    SIDE("engine.exhaust_port", "flow through a cylinder's exhaust valves, on the airpath's side",
         describe_side, put_exhaust);
const wrsim_model engine_cylinder_torque_model =
    SIDE("engine.cylinder_torque", "torque of a cylinder, on the crankshaft's side", describe_drive,
         put_drive);
