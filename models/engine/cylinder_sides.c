/* The airpath's side of a cylinder, cut in three: flow through the intake valves, flow through the
 * exhaust valves, torque. Together they are engine.cylinder_port (cylinder_port.c), bit for bit, for
 * configs in which intake side, exhaust side and drive are integrated apart: each of them needs one.
 *
 * A closed valve costs nothing but the angle: the gas is looked at while it is open only.
 *
 * Flows are positive from the intake manifold into the cylinder and from the cylinder into the
 * exhaust manifold. Fuel vapour is given separately: see readme.md for how a manifold counts it.
 *
 * Thread: one at a time per instance. Real-time: yes, but describe() and init().
 */
#include "models/describe.h"
#include "models/engine/engine.h"
#include "models/engine/valve_flow.h"

/* Common inputs. The torque model also has a speed, the flow models have a manifold. */
enum {
    U_THETA,
    U_CYLINDER,
    U_COUNT = U_CYLINDER + ENGINE_CYL_COUNT,
    U_OMEGA = U_COUNT,
    U_MANIFOLD = U_COUNT
};
enum { Y_AIR, Y_BURNED, Y_FUEL, Y_H };
enum { Y_TORQUE, Y_POWER };

static const wrsim_variable params[] = {ENGINE_FLOW_PARAMS};

static const wrsim_variable inputs[U_COUNT] = {
    [U_THETA] = WR_REQUIRED("theta", "rad", 10, "crank angle"),
    [U_CYLINDER] = WR_REQUIRED("m_air", "kg", 5e-4, "air in the cylinder"),
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
    [Y_AIR] = WR_SIGNAL("flow_air", "kg/s", 0.05, "air in the usual flow direction"),
    [Y_BURNED] = WR_SIGNAL("flow_burned", "kg/s", 0.05, "burned gas in the usual flow direction"),
    [Y_FUEL] = WR_SIGNAL("flow_fuel", "kg/s", 1e-3, "fuel vapour in the usual flow direction"),
    [Y_H] = WR_SIGNAL("flow_H", "W", 2e4, "sensible enthalpy in the usual flow direction"),
};

static const wrsim_variable drive[] = {
    [Y_TORQUE] = WR_SIGNAL("torque", "N m", 200, "torque of the gas on the crank"),
    [Y_POWER] = WR_SIGNAL("power", "W", 5e4, "torque times speed"),
};

static int describe_side(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    (void)self;
    to->data_bytes = sizeof(engine_flow_data);
    return WR_DESCRIBE_ADD(to, WRSIM_INPUT, inputs) || WR_DESCRIBE_ADD(to, WRSIM_INPUT, manifold) ||
           WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, flows); /* all of them in all */
}

static int describe_drive(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    (void)self;
    to->data_bytes = sizeof(engine_flow_data);
    return WR_DESCRIBE_ADD(to, WRSIM_INPUT, inputs) || WR_DESCRIBE_ADD(to, WRSIM_INPUT, speed) ||
           WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, drive) ||
           WR_DESCRIBE_PATTERNS(to, [WRSIM_U_Y] = "XXXXX. XXXXXX"); /* torque, power */
}

static int init(wrsim_instance *self, double t_s, double *x, double *d)
{
    (void)t_s, (void)x, (void)d;
    engine_flow_data_init((engine_flow_data *)self->data, self->param);
    return 0;
}

static inline double phi_of(const engine_flow_data *data, const double *u)
{
    return engine_phi(data, u[U_THETA], engine_cycle(data, u[U_THETA]));
}

ENGINE_INLINE int put_flow(const wrsim_instance *self, engine_valve_side side, const double *u,
                           double *ret_y)
{
    const engine_flow_data *data = (const engine_flow_data *)self->data;
    const double phi_deg = phi_of(data, u);
    engine_valve_flow valve = {0};
    if (engine_valve_is_open(data, side, phi_deg)) {
        engine_flow_point at = {.cylinder = u + U_CYLINDER};
        at.manifold[side] = u + U_MANIFOLD;
        engine_flow flow;
        engine_cylinder_gas(data, phi_deg, u + U_CYLINDER, &flow);
        engine_flow_through(data, side, &at, &flow, &valve);
    }
    ret_y[Y_AIR] = valve.air;
    ret_y[Y_BURNED] = valve.burned_gas;
    ret_y[Y_FUEL] = valve.fuel;
    ret_y[Y_H] = valve.enthalpy;
    return 0;
}

static int put_intake(wrsim_instance *self, const wrsim_point *point, double *ret_y)
{
    return put_flow(self, ENGINE_INTAKE, point->u, ret_y);
}

static int put_exhaust(wrsim_instance *self, const wrsim_point *point, double *ret_y)
{
    return put_flow(self, ENGINE_EXHAUST, point->u, ret_y);
}

static int put_drive(wrsim_instance *self, const wrsim_point *point, double *ret_y)
{
    const engine_flow_data *data = (const engine_flow_data *)self->data;
    engine_flow flow;
    engine_cylinder_gas(data, phi_of(data, point->u), point->u + U_CYLINDER, &flow);
    ret_y[Y_TORQUE] = flow.torque;
    ret_y[Y_POWER] = flow.torque * point->u[U_OMEGA];
    return 0;
}

#define SIDE(name, description, describe_, put)                                                    \
    {                                                                                              \
        WR_MODEL(name, description), WR_MODEL_PARAMS(params), .describe = describe_, .init = init, \
                                                              .output = put                        \
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
