/* The airpath's side of a cylinder: valve flows and torque, computed from states.
 *
 * The model has no states. It evaluates the function of the cylinder (cylinder_flow.h) at the states of the cylinder
 * and of the manifolds. Every branch is taken by value, because the cylinder's modes are on the other side of the
 * coupling. All branches of the flow are continuous.
 *
 * Flows are positive from the intake manifold into the cylinder, and from the cylinder into the exhaust manifold. Fuel
 * vapour is a separate flow; readme.md says how a manifold counts it.
 *
 * Thread: one at a time per instance. Real-time: yes, but describe() and init().
 */
#include "models/describe.h"
#include "models/engine/engine.h"
#include "models/engine/valve_flow.h"

enum {
    U_THETA,
    U_OMEGA,
    U_CYLINDER,
    U_INTAKE = U_CYLINDER + ENGINE_CYL_COUNT,
    U_EXHAUST = U_INTAKE + ENGINE_MAN_COUNT,
    U_COUNT = U_EXHAUST + ENGINE_MAN_COUNT
};

/* Inputs are read in ports: theta and omega, cylinder, both manifolds. */
enum { PORT_CRANK, PORT_CYLINDER, PORT_INTAKE, PORT_EXHAUST };

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

static const wrsim_variable inputs[U_COUNT] = {
    [U_THETA] = {.name = "theta",
                 .unit = "rad",
                 .description = "crank angle",
                 .nominal = 10,
                 .flags = WRSIM_REQUIRED},
    [U_OMEGA] = {.name = "omega",
                 .unit = "rad/s",
                 .description = "crank speed, used for power only",
                 .nominal = 261.8},
    [U_CYLINDER] = {.name = "m_air",
                    .unit = "kg",
                    .description = "air in the cylinder",
                    .nominal = 5e-4,
                    .flags = WRSIM_REQUIRED},
    {.name = "m_fuel",
     .unit = "kg",
     .description = "fuel vapour in the cylinder",
     .nominal = 2e-5,
     .flags = WRSIM_REQUIRED},
    {.name = "m_burned",
     .unit = "kg",
     .description = "burned gas in the cylinder",
     .nominal = 5e-4,
     .flags = WRSIM_REQUIRED},
    {.name = "T",
     .unit = "K",
     .description = "temperature in the cylinder",
     .nominal = 800,
     .flags = WRSIM_REQUIRED},
    [U_INTAKE] = {.name = "im_m_air",
                  .unit = "kg",
                  .description = "air in the intake manifold",
                  .nominal = 5e-3,
                  .flags = WRSIM_REQUIRED},
    {.name = "im_m_burned",
     .unit = "kg",
     .description = "burned gas in the intake manifold",
     .nominal = 1e-3,
     .flags = WRSIM_REQUIRED},
    {.name = "im_T",
     .unit = "K",
     .description = "temperature of the intake manifold",
     .nominal = 350,
     .flags = WRSIM_REQUIRED},
    [U_EXHAUST] = {.name = "em_m_air",
                   .unit = "kg",
                   .description = "air in the exhaust manifold",
                   .nominal = 1e-3,
                   .flags = WRSIM_REQUIRED},
    {.name = "em_m_burned",
     .unit = "kg",
     .description = "burned gas in the exhaust manifold",
     .nominal = 1e-3,
     .flags = WRSIM_REQUIRED},
    {.name = "em_T",
     .unit = "K",
     .description = "temperature of the exhaust manifold",
     .nominal = 900,
     .flags = WRSIM_REQUIRED},
};

static const wrsim_variable outputs[Y_COUNT] = {
    [Y_INTAKE_AIR] = {.name = "intake_m_air",
                      .unit = "kg/s",
                      .description = "air from the intake manifold",
                      .nominal = 0.05},
    [Y_INTAKE_BURNED] = {.name = "intake_m_burned",
                         .unit = "kg/s",
                         .description = "burned gas from the intake manifold",
                         .nominal = 0.05},
    [Y_INTAKE_FUEL] = {.name = "intake_m_fuel",
                       .unit = "kg/s",
                       .description = "fuel vapour from the intake manifold (only back-flow: <= 0)",
                       .nominal = 1e-3},
    [Y_INTAKE_H] = {.name = "intake_H",
                    .unit = "W",
                    .description = "sensible enthalpy from the intake manifold",
                    .nominal = 2e4},
    [Y_EXHAUST_AIR] = {.name = "exhaust_m_air",
                       .unit = "kg/s",
                       .description = "air into the exhaust manifold",
                       .nominal = 0.05},
    [Y_EXHAUST_BURNED] = {.name = "exhaust_m_burned",
                          .unit = "kg/s",
                          .description = "burned gas into the exhaust manifold",
                          .nominal = 0.05},
    [Y_EXHAUST_FUEL] = {.name = "exhaust_m_fuel",
                        .unit = "kg/s",
                        .description = "unburned fuel vapour into the exhaust manifold",
                        .nominal = 1e-3},
    [Y_EXHAUST_H] = {.name = "exhaust_H",
                     .unit = "W",
                     .description = "sensible enthalpy into the exhaust manifold",
                     .nominal = 2e4},
    [Y_TORQUE] = {.name = "torque",
                  .unit = "N m",
                  .description = "torque of the gas on the crank",
                  .nominal = 200},
    [Y_POWER] = {.name = "power", .unit = "W", .description = "torque times speed", .nominal = 5e4},
};

/* Row: output; column: input (theta omega | cylinder: air fuel burned T | intake manifold: air
 * burned T | exhaust manifold: air burned T). */
static const char *const u_y[Y_COUNT] = {
    /* intake  m_air    */ "X.XXXXXXX...",
    /*         m_burned */ "X.XXXXXXX...",
    /*         m_fuel   */ "X.XXXXXXX...",
    /*         H        */ "X.XXXXXXX...",
    /* exhaust m_air    */ "X.XXXX...XXX",
    /*         m_burned */ "X.XXXX...XXX",
    /*         m_fuel   */ "X.XXXX...XXX",
    /*         H        */ "X.XXXX...XXX",
    /* torque           */ "X.XXXX......",
    /* power            */ "XXXXXX......",
};

static int describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    (void)self;
    to->data_bytes = sizeof(engine_flow_data);
    if (WR_DESCRIBE_ADD(to, WRSIM_INPUT, inputs) != 0 || to->port(to, U_THETA, 2) != 0 ||
        to->port(to, U_CYLINDER, ENGINE_CYL_COUNT) != 0 ||
        to->port(to, U_INTAKE, ENGINE_MAN_COUNT) != 0 ||
        to->port(to, U_EXHAUST, ENGINE_MAN_COUNT) != 0 ||
        WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, outputs) != 0)
        return -1;
    return WR_DESCRIBE_PATTERN(to, WRSIM_U_Y, u_y);
}

static int init(wrsim_instance *self, double t_s, double *x, double *d)
{
    (void)t_s, (void)x, (void)d;
    engine_flow_data_init((engine_flow_data *)self->data, self->param);
    return 0;
}

/* Writes the four signals of the flow port of one side; zeros while its valves are closed. */
ENGINE_INLINE void put_flow(const engine_flow_data *data, engine_valve_side side,
                            const engine_flow_point *at, const engine_flow *flow, double *ret_y)
{
    engine_valve_flow valve = {0};
    if (engine_valve_is_open(data, side, flow->phi_deg))
        engine_flow_through(data, side, at, flow, &valve);
    ret_y[Y_INTAKE_AIR] = valve.air;
    ret_y[Y_INTAKE_BURNED] = valve.burned_gas;
    ret_y[Y_INTAKE_FUEL] = valve.fuel;
    ret_y[Y_INTAKE_H] = valve.enthalpy;
}

static int output(wrsim_instance *self, const wrsim_point *point, double *ret_y)
{
    const engine_flow_data *data = (const engine_flow_data *)self->data;
    const double theta = point->port[PORT_CRANK][U_THETA];
    const double omega = point->port[PORT_CRANK][U_OMEGA];
    const engine_flow_point at = {
        .cylinder = point->port[PORT_CYLINDER],
        .manifold = {[ENGINE_INTAKE] = point->port[PORT_INTAKE],
                     [ENGINE_EXHAUST] = point->port[PORT_EXHAUST]},
    };
    engine_flow flow;
    engine_cylinder_gas(data, engine_phi(data, theta, engine_cycle(data, theta)), at.cylinder,
                        &flow);
    put_flow(data, ENGINE_INTAKE, &at, &flow, ret_y);
    put_flow(data, ENGINE_EXHAUST, &at, &flow, ret_y + Y_EXHAUST_AIR);
    ret_y[Y_TORQUE] = flow.torque;
    ret_y[Y_POWER] = flow.torque * omega;
    return 0;
}

const wrsim_model engine_cylinder_port_model = {
    .abi = WRSIM_MODEL_ABI,
    .struct_size = sizeof(wrsim_model),
    .name = "engine.cylinder_port",
    .description = "valve flows and torque of a cylinder, on the airpath's side",
    .caps = WRSIM_CAP_RT_SAFE,
    .n_param = ENGINE_FLOW_PARAM_COUNT,
    .params = params,
    .describe = describe,
    .init = init,
    .output = output,
};
