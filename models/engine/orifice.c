/* The model engine.orifice, a restriction between two gases: air filter, valve, waste-gate, exhaust. The model has no states. The
 * flow of air, burned gas and enthalpy is positive from a to b, with the upstream composition and enthalpy. orifice.h has the
 * flow function and the indicators.
 *
 * Thread: one at a time per instance. Real-time: yes, except describe().
 */
#include "models/engine/orifice.h"
#include "models/engine/declare.h"
#include "models/engine/powers.h"

const char *const engine_orifice_mode_name[ENGINE_ORIFICE_MODE_COUNT] = {
    [ENGINE_ORIFICE_FORWARD] = "forward",
    [ENGINE_ORIFICE_FREE] = "free",
    [ENGINE_ORIFICE_CHOKED] = "choked"};

/* Isentropic exponent, between the values of warm air and exhaust gas (models/engine/readme.md). */
static const double gamma_gas = 1.36;

double engine_orifice_formula(double ratio)
{
    const double a = pow(ratio, 1.0 / gamma_gas);
    return engine_max(2 * gamma_gas / (gamma_gas - 1) * (a * a - a * ratio), 0);
}

enum { P_AREA, N_PARAM };
enum { U_A, U_B = U_A + GAS_COUNT, U_OPENING = U_B + GAS_COUNT };
enum { PORT_A, PORT_B = PORT_A + GAS_PORT_COUNT, PORT_OPENING = PORT_B + GAS_PORT_COUNT };
/* outputs: air, burned gas, enthalpy, then total flow; no fuel vapour */
enum { Y_FLOW = FLOW_COUNT - 1 };

static const wrsim_variable params[N_PARAM] = {
    [P_AREA] = WR_PARAM("area", "m2", 0, 1e-9, 10,
                        "effective flow area (with discharge coefficient) when fully open",
                        .flags = WRSIM_REQUIRED | WRSIM_TUNABLE),
};

static const struct {
    wrsim_variable output;
    /* 1: the output depends on this signal of both gases; signals: p RT T burned h */
    unsigned char needs[GAS_COUNT];
} signals[] = {
    {WR_SIGNAL("m_air", "kg/s", 0.05, "air from a to b"), {1, 1, 0, 1, 0}},
    {WR_SIGNAL("m_burned", "kg/s", 0.05, "burned gas from a to b"), {1, 1, 0, 1, 0}},
    {WR_SIGNAL("H", "W", 2e4, "enthalpy from a to b"), {1, 1, 0, 0, 1}},
    {WR_SIGNAL("flow", "kg/s", 0.05, "mass flow from a to b"), {1, 1, 0, 0, 0}},
};

static int describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    (void)self;
    engine_list list = {.to = to};
    engine_declare_gas(&list, WRSIM_INPUT, "a_", -1);
    engine_declare_gas(&list, WRSIM_INPUT, "b_", -1);
    engine_declare(
        &list, WRSIM_INPUT,
        (wrsim_variable)WR_VALUE("opening", "1", 1, 1, "fraction of the area that is open"));
    engine_gas_ports(&list, U_A);
    engine_gas_ports(&list, U_B);
    engine_port(&list, U_OPENING, 1);
    for (int y = 0; y < WR_DESCRIBE_COUNT(signals); y++) {
        engine_declare(&list, WRSIM_OUTPUT, signals[y].output);
        for (int i = 0; i < GAS_COUNT; i++)
            if (signals[y].needs[i]) {
                engine_depends(&list, WRSIM_U_Y, y, U_A + i);
                engine_depends(&list, WRSIM_U_Y, y, U_B + i);
            }
        engine_depends(&list, WRSIM_U_Y, y, U_OPENING);
    }
    for (int z = 0; z < ENGINE_ORIFICE_MODE_COUNT; z++) {
        engine_declare(&list, WRSIM_INDICATOR,
                       (wrsim_variable){.name = engine_orifice_mode_name[z]});
        engine_depends(&list, WRSIM_U_Z, z, U_A + GAS_P);
        engine_depends(&list, WRSIM_U_Z, z, U_B + GAS_P);
    }
    return list.status;
}

static int output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    const double *const a = at->port[PORT_A], *const b = at->port[PORT_B];
    const double flow = engine_orifice(self->param[P_AREA] * at->port[PORT_OPENING][0], a[GAS_P],
                                       a[GAS_RT], b[GAS_P], b[GAS_RT], at->mode);
    const double *const up =
        at->port[(at->mode[ENGINE_ORIFICE_FORWARD] ? PORT_A : PORT_B) + GAS_PORT_MIXTURE];
    ret_y[0] = flow * (1 - up[MIXTURE_BURNED]);
    ret_y[1] = flow * up[MIXTURE_BURNED];
    ret_y[2] = flow * up[MIXTURE_H];
    ret_y[Y_FLOW] = flow;
    return 0;
}

static int indicator(wrsim_instance *self, const wrsim_point *at, double *ret_z)
{
    (void)self;
    engine_orifice_indicators(at->port[PORT_A][GAS_P], at->port[PORT_B][GAS_P], ret_z);
    return 0;
}

const wrsim_model engine_orifice_model = {
    WR_MODEL("engine.orifice", "Flow of gas through a restriction or valve", params, describe),
    .output = output,
    .indicator = indicator,
};
