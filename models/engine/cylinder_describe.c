/* Declarations of the cylinder: parameters, variables, indicators and incidence patterns.
 *
 * tests/unit/models/test_engine_cylinder.c compares the patterns with the equations by perturbation.
 *
 * Thread: one at a time per instance. Real-time: no (setup).
 */
#include <stdio.h>

#include "models/describe.h"
#include "models/engine/cylinder_variables.h"

/* Sources of the values: models/engine/readme.md, unless a row names another source. */
#define PARAM_ROW(i, ...) [CYL_P_##i] = WR_PARAM(__VA_ARGS__),
const wrsim_variable cyl_params[CYL_PARAM_COUNT] = {ENGINE_FLOW_PARAMS CYL_PARAM_LIST(PARAM_ROW)};

/* Start values: fresh charge just after intake closing, warm engine. */
#define STATE_ROW(i, ...) [CYL_X_##i] = WR_VALUE(__VA_ARGS__),
static const wrsim_variable states[CYL_X_COUNT] = {CYL_STATE_LIST(STATE_ROW)};

#define SUM_ROW(i, ...) [CYL_S_##i] = WR_VALUE(__VA_ARGS__),
static const wrsim_variable sums[CYL_S_COUNT] = {CYL_SUM_LIST(SUM_ROW)};

static const wrsim_variable inputs[CYL_U_COUNT] = {
    [CYL_U_THETA] = WR_REQUIRED("theta", "rad", 10, "crank angle"),
    [CYL_U_OMEGA] = WR_REQUIRED("omega", "rad/s", 261.8, "crank speed"),
    [CYL_U_INTAKE] = WR_REQUIRED("im_m_air", "kg", 5e-3, "air in the intake manifold"),
    WR_REQUIRED("im_m_burned", "kg", 1e-3, "burned gas in the intake manifold"),
    WR_REQUIRED("im_T", "K", 350, "temperature of the intake manifold"),
    [CYL_U_EXHAUST] = WR_REQUIRED("em_m_air", "kg", 1e-3, "air in the exhaust manifold"),
    WR_REQUIRED("em_m_burned", "kg", 1e-3, "burned gas in the exhaust manifold"),
    WR_REQUIRED("em_T", "K", 900, "temperature of the exhaust manifold"),
    [CYL_U_FUEL] = WR_VALUE("fuel_factor", "1", 1, 1,
                            "factor on the injected mass; sampled at the start of the pilot "
                            "injection for a whole cycle"),
};

static const wrsim_variable gas_inputs[ENGINE_DISS_COUNT] = {
    [ENGINE_DISS_P] = WR_REQUIRED("gas_p", "Pa", 1e6, "pressure in the cylinder"),
    [ENGINE_DISS_H] = WR_REQUIRED("gas_h", "J/kg", 1e4, "enthalpy of dissociation"),
    [ENGINE_DISS_C] = WR_REQUIRED("gas_C", "J/K", 0.1, "heat capacity of dissociation"),
    [ENGINE_DISS_U_AIR] =
        WR_REQUIRED("gas_u_air", "J/kg", 1e4, "energy of dissociation by mass of air"),
    [ENGINE_DISS_U_BURNED] =
        WR_REQUIRED("gas_u_burned", "J/kg", 1e4, "energy of dissociation by mass of burned gas"),
    [ENGINE_DISS_P_INTERNAL] =
        WR_REQUIRED("gas_p_internal", "J/m3", 1e4, "energy of dissociation by volume"),
    [ENGINE_DISS_U] = WR_REQUIRED("gas_U", "J", 1, "energy of dissociation"),
};

static const wrsim_variable outputs[CYL_Y_COUNT] = {
    [CYL_Y_GAS + ENGINE_CYL_AIR] =
        WR_STATE_OUTPUT("m_air", "kg", 5e-4, CYL_X_AIR, "air in the cylinder"),
    [CYL_Y_GAS + ENGINE_CYL_FUEL] =
        WR_STATE_OUTPUT("m_fuel", "kg", 2e-5, CYL_X_FUEL, "fuel vapour in the cylinder"),
    [CYL_Y_GAS + ENGINE_CYL_BURNED] =
        WR_STATE_OUTPUT("m_burned", "kg", 5e-4, CYL_X_BURNED, "burned gas in the cylinder"),
    [CYL_Y_GAS + ENGINE_CYL_T] = WR_STATE_OUTPUT("T", "K", 800, CYL_X_T, "gas temperature"),
    [CYL_Y_P] = WR_SIGNAL("p", "Pa", 1e6, "cylinder pressure"),
    [CYL_Y_V] = WR_SIGNAL("V", "m3", 5e-4, "cylinder volume"),
    [CYL_Y_PHI] = WR_SIGNAL("phi", "deg", 360, "crank angle in the cycle (180 = firing TDC)",
                            .flags = WRSIM_DISCONTINUOUS),
    [CYL_Y_TORQUE] = WR_SIGNAL("torque", "N m", 200, "torque of the gas on the crank"),
    [CYL_Y_BURN] =
        WR_SIGNAL("burn_rate", "kg/s", 1e-2, "fuel burned per time", .flags = WRSIM_DISCONTINUOUS),
    [CYL_Y_INJECTION] = WR_SIGNAL("injection_rate", "kg/s", 3e-2, "fuel injected per time"),
    [CYL_Y_ENERGY] = WR_SIGNAL("energy", "J", 500,
                               "energy of gas, fuel (chemical included), head and piston; zero for "
                               "gas at 298.15 K, walls at 0 K"),
};

#define DISCRETE_ROW(i, ...) [CYL_D_##i] = WR_VALUE(__VA_ARGS__),
static const wrsim_variable discretes[CYL_D_COUNT] = {CYL_DISCRETE_LIST(DISCRETE_ROW)};

/* States and inputs on which a row depends. Columns of x: air fuel burned T head piston | liquid x_burn ignition work loss
 * in k NOx soot. Columns of u: theta omega | im: air burned T | em: air burned T | fuel_factor. */
typedef struct row_pattern {
    const char *x, *u;
} row_pattern;

/* clang-format off */
static const row_pattern state_rows[CYL_X_COUNT] = {
    [CYL_X_AIR]      = {"xxxx........x..", "xxxxxxxx."},
    [CYL_X_FUEL]     = {"xxxx..x.....x..", "xxxxxxxx."},
    [CYL_X_BURNED]   = {"xxxx........x..", "xxxxxxxx."},
    [CYL_X_T]        = {"xxxxxxx.....x..", "xxxxxxxx."},
    [CYL_X_HEAD]     = {"xxxxx..........", "xx......."},
    [CYL_X_PISTON]   = {"xxxx.x.........", "xx......."},
    [CYL_X_LIQUID]   = {"xxxx..x........", "x........"},
    [CYL_X_BURN]     = {".x..........x..", "xx......."},
    [CYL_X_IGNITION] = {"xxxx...........", "x........"},
    [CYL_X_WORK]     = {"xxxx...........", "xx......."},
    [CYL_X_LOSS]     = {"xxxxxx.........", "xx......."},
    [CYL_X_IN]       = {"xxxx...........", "x.xxx...."},
    [CYL_X_K]        = {"xxxx........x..", "xxxxx...."},
    [CYL_X_NOX]      = {"xxxx...........", "........."},
    [CYL_X_SOOT]     = {"xxxx........x.x", "xx......."},
};
static const row_pattern sum_rows[CYL_S_COUNT] = {
    [CYL_S_IN_AIR]             = {"xxxx...........", "x.xxx...."},
    [CYL_S_IN_BURNED]          = {"xxxx...........", "x.xxx...."},
    [CYL_S_IN_FUEL]            = {"xxxx...........", "x.xxx...."},
    [CYL_S_IN_H]               = {"xxxx...........", "x.xxx...."},
    [CYL_S_OUT_AIR]            = {"xxxx...........", "x....xxx."},
    [CYL_S_OUT_BURNED]         = {"xxxx...........", "x....xxx."},
    [CYL_S_OUT_FUEL]           = {"xxxx...........", "x....xxx."},
    [CYL_S_OUT_H]              = {"xxxx...........", "x....xxx."},
    [CYL_S_BLOW_BY_AIR]        = {"xxxx...........", "x........"},
    [CYL_S_BLOW_BY_BURNED]     = {"xxxx...........", "x........"},
    [CYL_S_BLOW_BY_FUEL]       = {"xxxx...........", "x........"},
    [CYL_S_BLOW_BY_H]          = {"xxxx...........", "x........"},
    [CYL_S_INJECTED]           = {"xxxx...........", "x........"},
    [CYL_S_EVAPORATED]         = {"...x..x........", "........."},
    [CYL_S_FUEL_BURNED]        = {".x..........x..", "xx......."},
    [CYL_S_HEAT_RELEASED]      = {".x..........x..", "xx......."},
    [CYL_S_HEAT_WALL]          = {"xxxxxx.........", "xx......."},
    [CYL_S_WORK]               = {"xxxx...........", "xx......."},
    [CYL_S_EVAPORATION]        = {"...x..x........", "........."},
    [CYL_S_HEAT_COOLANT]       = {"....xx.........", "........."},
    [CYL_S_HEAT_LINER]         = {"xxxx...........", "xx......."},
};
static const row_pattern output_rows[CYL_Y_COUNT] = {
    [CYL_Y_GAS + ENGINE_CYL_AIR]    = {"x..............", "........."},
    [CYL_Y_GAS + ENGINE_CYL_FUEL]   = {".x.............", "........."},
    [CYL_Y_GAS + ENGINE_CYL_BURNED] = {"..x............", "........."},
    [CYL_Y_GAS + ENGINE_CYL_T]      = {"...x...........", "........."},
    [CYL_Y_P]                       = {"xxxx...........", "x........"},
    [CYL_Y_V]                       = {"...............", "x........"},
    [CYL_Y_PHI]                     = {"...............", "x........"},
    [CYL_Y_TORQUE]                  = {"xxxx...........", "x........"},
    [CYL_Y_BURN]                    = {".x..........x..", "xx......."},
    [CYL_Y_INJECTION]               = {"xxxx...........", "x........"},
    [CYL_Y_ENERGY]                  = {"xxxxxxx........", "........."},
};
/* clang-format on */

/* Groups of adjacent indicators: the number of indicators, and the states and inputs on which the indicators depend. */
#define NOTHING "...............", "........."
#define ANGLE "...............", "x........"
#define GAS_AND_ANGLE "xxxx...........", "x........"
#define GAS_T "...x...........", "........."
#define INTAKE "xxxx...........", "x.xxx...."
#define EXHAUST "xxxx...........", "x....xxx."
static const struct {
    const char *name, *description;
    int n;
    row_pattern on;
} indicators[] = {
    {"cycle_end", "phi passes 720 degrees, or -60 backwards", 1, {ANGLE}},
    {"intake_opens", "phi passes intake_open", 1, {ANGLE}},
    {"intake_closes", "phi passes intake_close - 720", 1, {ANGLE}},
    {"exhaust_opens", "phi passes exhaust_open", 1, {ANGLE}},
    {"exhaust_closes", "phi passes exhaust_close", 1, {ANGLE}},
    {"injection", "phi passes soi (pilot, main, post)", 3, {ANGLE}},
    {"needle", "needle fully open, closing, shut (pilot, main, post)", 9, {NOTHING}},
    {"ignition", "delay integral is 1 (pilot, main, post)", 3, {"........x......", "........."}},
    {"burn_end", "end of the Wiebe function (pilot, main, post)", 3, {ANGLE}},
    {"mixing", "burning limited by mixing", 1, {".x..........x..", "xx......."}},
    {"liquid", "liquid fuel above 1e-8 kg", 1, {"......x........", "........."}},
    {"oxygen", "air fraction above 5 %", 1, {"xxx............", "........."}},
    {"intake_flow", "intake: into the cylinder, not laminar, choked", 3, {INTAKE}},
    {"exhaust_flow", "exhaust: out of the cylinder, not laminar, choked", 3, {EXHAUST}},
    {"blow_by", "past the rings: out, not laminar, choked", 3, {GAS_AND_ANGLE}},
    {"intake_lift", "lift ratio passes a break of the discharge table", 5, {ANGLE}},
    {"exhaust_lift", "lift ratio passes a break of the discharge table", 5, {ANGLE}},
    {"intake_throat", "throat instead of curtain limits the intake area", 1, {ANGLE}},
    {"exhaust_throat", "throat instead of curtain limits the exhaust area", 1, {ANGLE}},
    {"hot_range", "T above 1000 K: range of gas properties", 1, {GAS_T}},
    {"combustion_pressure", "p above the motored pressure", 1, {GAS_AND_ANGLE}},
    {"hotter_than_head", "T above T_head", 1, {"...xx..........", "........."}},
    {"hotter_than_piston", "T above T_piston", 1, {"...x.x.........", "........."}},
    {"hotter_than_liner", "T above the liner temperature", 1, {GAS_T}},
    {"conductivity", "T passes a break of the conductivity table", 4, {GAS_T}},
    {"nox", "burned zone above 1800 K", 1, {"xxxx...........", "........."}},
    {"dissociation", "burned zone above 2400 K", 1, {"xxxx...........", "........."}},
    {"soot_oxidation", "T above 1300 K", 1, {GAS_T}},
    {"burned_share", "10, 50, 90 % of the fuel burned", 3, {".......x.......", "........."}},
    {"peak_pressure", "p above 150, 100 bar", 2, {GAS_AND_ANGLE}},
    {"squish", "phi passes 160, 200, 500, 580 degrees", 4, {ANGLE}},
    {"dead_centre", "phi passes 180, 360, 540 degrees", 3, {ANGLE}},
    {"half_way", "phi passes 90 degrees: the motored pressure is computed", 1, {ANGLE}},
    {"turbulence", "k_turb above 20 m2/s2", 1, {"............x..", "........."}},
    {"cavitation", "rail over cylinder pressure above 12", 1, {GAS_AND_ANGLE}},
    {"head_hot", "head on the coolant side above 450 K", 1, {"....x..........", "........."}},
    {"piston_hot", "piston on the oil side above 480 K", 1, {".....x.........", "........."}},
    {"air_rich", "more air than burned gas", 1, {"x.x............", "........."}},
    {"diluted", "burned fraction above one half", 1, {"xxx............", "........."}},
    {"pressure", "p above 4 bar", 1, {GAS_AND_ANGLE}},
    {"warm", "T above 600 K: evaporation without vapour-pressure limit", 1, {GAS_T}},
};

static int describe_states(wrsim_description *to, int n_layer, int has_sums)
{
    if (WR_DESCRIBE_ADD(to, WRSIM_STATE, states) != 0)
        return -1;
    for (int wall = 0; wall < CYL_WALL_COUNT; wall++)
        for (int layer = 1; layer < n_layer; layer++) {
            char name[32];
            wrsim_variable v = states[wall == CYL_HEAD ? CYL_X_HEAD : CYL_X_PISTON];
            snprintf(name, sizeof name, "%s_%d", wall == CYL_HEAD ? "T_head" : "T_piston",
                     layer + 1);
            v.name = name;
            v.description = "wall layer, counted from the gas side";
            if (to->add(to, WRSIM_STATE, &v) != 0)
                return -1;
        }
    return has_sums ? WR_DESCRIBE_ADD(to, WRSIM_STATE, sums) : 0;
}

/* Options of describe_row(). */
typedef struct row_options {
    int on_x;         /* 0 omits the pattern of states */
    int is_connected; /* 1: rows that depend on the pressure depend on the inputs of the gas */
} row_options;

/* Declares a row of two patterns. Returns 0, or non-zero if the description refuses an entry. */
static int describe_row(wrsim_description *to, wrsim_pattern of_x, wrsim_pattern of_u, int row,
                        const row_pattern *on, row_options options)
{
    int bad = 0;
    const int on_x = options.on_x;
    const int has_pressure = on->x[CYL_X_AIR] != '.' && on->x[CYL_X_T] != '.';
    for (int i = 0; i < ENGINE_DISS_COUNT && options.is_connected && has_pressure; i++)
        bad |= to->depends(to, of_u, row, CYL_U_GAS + i);
    for (int column = 0; on_x && on->x[column] != '\0'; column++)
        if (on->x[column] != '.')
            bad |= to->depends(to, of_x, row, column);
    for (int column = 0; on->u[column] != '\0'; column++)
        if (on->u[column] != '.')
            bad |= to->depends(to, of_u, row, column);
    return bad;
}

/* Declares the patterns of further wall layers, and of variables that depend on the layer at the coolant. */
static int describe_layers(wrsim_description *to, int n_layer, int first_sum)
{
    for (int i = 0; i < CYL_WALL_COUNT; i++) {
        const cyl_wall wall = {.first = i == CYL_HEAD ? CYL_X_HEAD : CYL_X_PISTON,
                               .rest = CYL_X_COUNT + i * (n_layer - 1)};
        for (int layer = 1; layer < n_layer; layer++) {
            const int above = cyl_layer(&wall, layer - 1), here = cyl_layer(&wall, layer);
            if (to->depends(to, WRSIM_X_X, above, here) != 0 ||
                to->depends(to, WRSIM_X_X, here, above) != 0 ||
                to->depends(to, WRSIM_X_X, here, here) != 0)
                return -1;
            if (to->depends(to, WRSIM_X_Y, CYL_Y_ENERGY, here) != 0)
                return -1;
        }
        const int last = cyl_layer(&wall, n_layer - 1);
        if (n_layer > 1 &&
            to->depends(to, WRSIM_X_Z, i == CYL_HEAD ? CYL_Z_HEAD : CYL_Z_CROWN, last) != 0)
            return -1;
        if (n_layer > 1 && first_sum > 0 &&
            to->depends(to, WRSIM_X_X, first_sum + CYL_S_HEAT_COOLANT, last) != 0)
            return -1;
    }
    return 0;
}

static int describe_indicators(wrsim_description *to, int n_layer, int is_connected)
{
    int row = 0;
    for (int g = 0; g < WR_DESCRIBE_COUNT(indicators); g++)
        for (int i = 0; i < indicators[g].n; i++, row++) {
            char name[48];
            if (indicators[g].n == 1)
                snprintf(name, sizeof name, "%s", indicators[g].name);
            else
                snprintf(name, sizeof name, "%s[%d]", indicators[g].name, i + 1);
            const wrsim_variable v = WR_SIGNAL(name, "1", 0, indicators[g].description);
            /* With several layers, describe_layers() declares the state on the coolant side. */
            const int is_moved = n_layer > 1 && (row == CYL_Z_HEAD || row == CYL_Z_CROWN);
            if (to->add(to, WRSIM_INDICATOR, &v) != 0 ||
                describe_row(to, WRSIM_X_Z, WRSIM_U_Z, row, &indicators[g].on,
                             (row_options){!is_moved, is_connected}) != 0)
                return -1;
        }
    return 0;
}

int cyl_describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    const int n_layer = (int)self->param[CYL_P_ZONES];
    const int has_sums = self->param[CYL_P_BALANCE] > 0.5;
    const int is_connected = (int)self->param[CYL_P_GAS] == ENGINE_GAS_CONNECTED;
    const int first_sum = has_sums ? CYL_X_COUNT + 2 * (n_layer - 1) : 0;
    to->n_w = CYL_WORK_COUNT;
    to->data_bytes = sizeof(cyl_data);
    if (describe_states(to, n_layer, has_sums) != 0 ||
        WR_DESCRIBE_ADD(to, WRSIM_DISCRETE, discretes) != 0 ||
        WR_DESCRIBE_ADD(to, WRSIM_INPUT, inputs) != 0 ||
        (is_connected && WR_DESCRIBE_ADD(to, WRSIM_INPUT, gas_inputs) != 0) ||
        to->port(to, CYL_U_THETA, 2) != 0 || to->port(to, CYL_U_INTAKE, ENGINE_MAN_COUNT) != 0 ||
        to->port(to, CYL_U_EXHAUST, ENGINE_MAN_COUNT) != 0 || to->port(to, CYL_U_FUEL, 1) != 0 ||
        (is_connected && to->port(to, CYL_U_GAS, ENGINE_DISS_COUNT) != 0) ||
        WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, outputs) != 0 ||
        describe_indicators(to, n_layer, is_connected) != 0)
        return -1;
    int bad = describe_layers(to, n_layer, first_sum);
    for (int x = 0; x < CYL_X_COUNT; x++)
        bad |= describe_row(to, WRSIM_X_X, WRSIM_U_X, x, &state_rows[x],
                            (row_options){1, is_connected});
    for (int y = 0; y < CYL_Y_COUNT; y++)
        bad |= describe_row(to, WRSIM_X_Y, WRSIM_U_Y, y, &output_rows[y],
                            (row_options){1, is_connected});
    for (int s = 0; has_sums && s < CYL_S_COUNT; s++)
        bad |= describe_row(to, WRSIM_X_X, WRSIM_U_X, first_sum + s, &sum_rows[s],
                            (row_options){n_layer == 1 || s != CYL_S_HEAT_COOLANT, is_connected});
    return bad;
}
