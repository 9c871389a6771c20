/* The surroundings of the engine, a source and sink of gas: air at constant pressure and temperature.
 *
 * With balance = 1 the model integrates air, burned gas and enthalpy that cross the border. Each in-port (gas out of
 * the engine) and each out-port (air into the engine) has three integrals. The outputs air_out, burned_out and energy_out
 * are the net losses of the engine.
 *
 * Thread: one at a time per instance. Real-time: yes, except describe() and init().
 */
#include <stdio.h>
#include <string.h>

#include "models/engine/declare.h"
#include "models/engine/gas.h"

enum { P_PRESSURE, P_TEMPERATURE, P_IN, P_OUT, P_BALANCE, N_PARAM };
enum { ACC_AIR, ACC_BURNED, ACC_ENERGY, ACC_COUNT }; /* integrals of a port, with balance = 1 */

static const wrsim_variable params[N_PARAM] = {
    [P_PRESSURE] = WR_PARAM("p", "Pa", 1.0e5, 1e3, 1e7, "ambient pressure"),
    [P_TEMPERATURE] = WR_PARAM("T", "K", 298, 200, 1000, "ambient temperature"),
    [P_IN] = WR_INTEGER("in_ports", "1", 1, 0, 16, "number of flows into the surroundings"),
    [P_OUT] = WR_INTEGER("out_ports", "1", 1, 0, 16, "number of flows out of the surroundings"),
    [P_BALANCE] = WR_INTEGER("balance", "1", 0, 0, 1,
                             "1: integrate all flows across the border (adds 3 states per port)"),
};

static int n_ports(const wrsim_instance *self)
{
    return (int)self->param[P_IN] + (int)self->param[P_OUT];
}

static int has_balance(const wrsim_instance *self) { return self->param[P_BALANCE] > 0.5; }

static int describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    engine_list list = {.to = to};
    to->data_bytes = sizeof(double[GAS_COUNT]);
    for (int i = 1; i <= (int)self->param[P_IN]; i++) {
        char port[16];
        snprintf(port, sizeof port, "in%d", i);
        engine_declare_flow_port(&list, port);
    }
    for (int i = 1; i <= (int)self->param[P_OUT]; i++) {
        char port[16];
        snprintf(port, sizeof port, "out%d", i);
        engine_declare_flow_port(&list, port);
    }
    engine_declare_gas(&list, WRSIM_OUTPUT, "", -1);
    engine_depends_not(&list, WRSIM_U_Y);
    if (has_balance(self)) {
        static const wrsim_variable accumulator[ACC_COUNT] = {
            WR_SIGNAL("air", "kg", 1e-2, "air that passed the port"),
            WR_SIGNAL("burned", "kg", 1e-2, "burned gas that passed the port"),
            WR_SIGNAL("energy", "J", 1e4, "enthalpy that passed the port"),
        };
        static const int signal[ACC_COUNT] = {FLOW_AIR, FLOW_BURNED, FLOW_H};
        const int n_in = (int)self->param[P_IN], n = n_ports(self);
        for (int port = 0; port < n; port++)
            for (int i = 0; i < ACC_COUNT; i++) {
                const int x = ENGINE_DECLARE_NAMED(
                    &list, WRSIM_STATE, accumulator[i], "%s%d_%s", port < n_in ? "in" : "out",
                    port < n_in ? port + 1 : port - n_in + 1, accumulator[i].name);
                engine_depends(&list, WRSIM_U_X, x, port * FLOW_COUNT + signal[i]);
            }
        for (int i = 0; i < ACC_COUNT; i++) {
            wrsim_variable out = accumulator[i];
            out.description = "net loss of the engine to the surroundings";
            const int y =
                ENGINE_DECLARE_NAMED(&list, WRSIM_OUTPUT, out, "%s_out", accumulator[i].name);
            for (int port = 0; port < n; port++)
                engine_depends(&list, WRSIM_X_Y, y, port * ACC_COUNT + i);
        }
        if (n > 0)
            engine_depends_not(&list, WRSIM_X_X);
    }
    return list.status;
}

static int init(wrsim_instance *self, double t_s, double *x, double *d)
{
    (void)t_s, (void)x, (void)d;
    engine_gas gas;
    engine_gas_init(&gas);
    const double T = self->param[P_TEMPERATURE];
    const double signals[GAS_COUNT] = {
        [GAS_P] = self->param[P_PRESSURE],
        [GAS_RT] = engine_gas_R(&gas, ENGINE_AIR) * T,
        [GAS_T] = T,
        [GAS_BURNED] = 0,
        [GAS_H] = engine_gas_h(&gas, ENGINE_AIR, engine_gas_range(T), T),
    };
    memcpy(self->data, signals, sizeof signals);
    return 0;
}

static int rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    if (!has_balance(self))
        return 0;
    for (int port = 0; port < n_ports(self); port++) {
        const double *const flow = at->u + port * FLOW_COUNT;
        ret_dx[port * ACC_COUNT + ACC_AIR] = flow[FLOW_AIR];
        ret_dx[port * ACC_COUNT + ACC_BURNED] = flow[FLOW_BURNED];
        ret_dx[port * ACC_COUNT + ACC_ENERGY] = flow[FLOW_H];
    }
    return 0;
}

static int output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    memcpy(ret_y, self->data, sizeof(double[GAS_COUNT]));
    if (!has_balance(self))
        return 0;
    for (int i = 0; i < ACC_COUNT; i++) {
        double sum = 0;
        for (int port = 0; port < n_ports(self); port++) {
            const double passed = at->x[port * ACC_COUNT + i];
            sum += port < (int)self->param[P_IN] ? passed : -passed;
        }
        ret_y[GAS_COUNT + i] = sum;
    }
    return 0;
}

const wrsim_model engine_ambient_model = {
    WR_MODEL("engine.ambient", "Surroundings: air of constant pressure and temperature", params,
             describe),
    .init = init,
    .rhs = rhs,
    .output = output,
};
