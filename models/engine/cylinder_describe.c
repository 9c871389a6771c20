/* Declarations of the cylinder: parameters, variables, indicators and incidence patterns.
 *
 * tests/unit/models/test_engine_cylinder.c compares the patterns with the equations by perturbation.
 *
 * Thread: one at a time per instance. Real-time: no (setup).
 */
#include <stdio.h>

#include "models/describe.h"
#include "models/engine/cylinder_variables.h"

/* Sources of the values: models/engine/readme.md, unless a row has another source. */
const wrsim_variable cyl_params[CYL_PARAM_COUNT] = {
    ENGINE_FLOW_PARAMS,
    [CYL_P_SOI] = {.name = "soi_pilot",
                   .unit = "deg",
                   .start = 158,
                   .min = 91,
                   .max = 249,
                   .description = "start of the pilot injection (180 = firing TDC)"},
    {.name = "soi_main",
     .unit = "deg",
     .start = 177,
     .min = 91,
     .max = 249,
     .description = "start of the main injection"},
    {.name = "soi_post",
     .unit = "deg",
     .start = 205,
     .min = 91,
     .max = 249,
     .description = "start of the post injection"},
    [CYL_P_DURATION] =
        {.name = "duration_pilot",
         .unit = "s",
         .start = 0.28e-3,
         .min = 1e-6,
         .max = 0.1,
         .description = "duration of the pilot injection, from start of opening to end of closing"},
    {.name = "duration_main",
     .unit = "s",
     .start = 0.95e-3,
     .min = 1e-6,
     .max = 0.1,
     .description = "duration of the main injection, from start of opening to end of closing"},
    {.name = "duration_post",
     .unit = "s",
     .start = 0.25e-3,
     .min = 1e-6,
     .max = 0.1,
     .description = "duration of the post injection, from start of opening to end of closing"},
    [CYL_P_RAMP] = {.name = "needle_ramp",
                    .unit = "s",
                    .start = 0.12e-3,
                    .min = 1e-7,
                    .max = 0.1,
                    .description = "needle opening and closing time, each at most half a duration"},
    [CYL_P_NOZZLE] = {.name = "nozzle_area",
                      .unit = "m2",
                      .start = 0.080e-6,
                      .min = 0,
                      .max = 1e-3,
                      .description = "effective area of all nozzle holes"},
    [CYL_P_RAIL] = {.name = "rail_pressure",
                    .unit = "Pa",
                    .start = 1100e5,
                    .min = 400e5,
                    .max = 5000e5,
                    .description = "fuel pressure in the common rail"},
    [CYL_P_DENSITY] = {.name = "fuel_density",
                       .unit = "kg/m3",
                       .start = 830,
                       .min = 100,
                       .max = 2000,
                       .description = "density of liquid diesel fuel (EN 590)"},
    [CYL_P_BACK_PRESSURE] = {.name = "back_pressure",
                             .unit = "Pa",
                             .start = 60e5,
                             .min = 0,
                             .max = 300e5,
                             .description =
                                 "cylinder pressure at which the nominal masses are injected"},
    [CYL_P_BURN] = {.name = "burn_pilot",
                    .unit = "deg",
                    .start = 10,
                    .min = 1,
                    .max = 180,
                    .description = "burn duration of the pilot (Wiebe)"},
    {.name = "burn_main",
     .unit = "deg",
     .start = 48,
     .min = 1,
     .max = 180,
     .description = "burn duration of the main injection (Wiebe)"},
    {.name = "burn_post",
     .unit = "deg",
     .start = 22,
     .min = 1,
     .max = 180,
     .description = "burn duration of the post injection (Wiebe)"},
    [CYL_P_FORM] = {.name = "form_pilot",
                    .unit = "1",
                    .start = 2.0,
                    .min = 0,
                    .max = 10,
                    .description = "form factor m of the pilot (Wiebe)"},
    {.name = "form_main",
     .unit = "1",
     .start = 1.1,
     .min = 0,
     .max = 10,
     .description = "form factor m of the main injection (Wiebe)"},
    {.name = "form_post",
     .unit = "1",
     .start = 1.5,
     .min = 0,
     .max = 10,
     .description = "form factor m of the post injection (Wiebe)"},
    [CYL_P_LHV] = {.name = "heating_value",
                   .unit = "J/kg",
                   .start = 42.8e6,
                   .min = 0,
                   .max = 2e8,
                   .description = "lower heating value of the fuel vapour at 298 K (diesel fuel: "
                                  "Heywood, table D.4)"},
    [CYL_P_AFR] = {.name = "air_fuel_ratio",
                   .unit = "1",
                   .start = 14.6,
                   .min = 1,
                   .max = 40,
                   .description = "stoichiometric air/fuel ratio by mass (Heywood, table D.4)"},
    [CYL_P_VAPORISATION] = {.name = "vaporisation_heat",
                            .unit = "J/kg",
                            .start = 3.0e5,
                            .min = 0,
                            .max = 3e6,
                            .description = "heat of vaporisation of the fuel"},
    [CYL_P_LINER] = {.name = "liner_temperature",
                     .unit = "K",
                     .start = 400,
                     .min = 200,
                     .max = 900,
                     .description = "temperature of the liner's inner wall, constant"},
    [CYL_P_COOLANT] = {.name = "coolant_temperature",
                       .unit = "K",
                       .start = 365,
                       .min = 200,
                       .max = 600,
                       .description = "temperature of the coolant in the head"},
    [CYL_P_OIL] = {.name = "oil_temperature",
                   .unit = "K",
                   .start = 385,
                   .min = 200,
                   .max = 600,
                   .description = "temperature of the oil that cools the piston"},
    [CYL_P_HEAD_MASS] = {.name = "head_mass",
                         .unit = "kg",
                         .start = 0.9,
                         .min = 1e-6,
                         .max = 1e3,
                         .description = "mass of the head that takes part in heat exchange"},
    [CYL_P_HEAD_CP] = {.name = "head_heat_capacity",
                       .unit = "J/(kg K)",
                       .start = 460,
                       .min = 1,
                       .max = 1e4,
                       .description = "specific heat of the head (cast iron)"},
    [CYL_P_HEAD_CONDUCTIVITY] = {.name = "head_conductivity",
                                 .unit = "W/(m K)",
                                 .start = 45,
                                 .min = 1e-3,
                                 .max = 1e3,
                                 .description =
                                     "conductivity of the head (cast iron); used with zones > 1"},
    [CYL_P_HEAD_THICKNESS] =
        {.name = "head_thickness",
         .unit = "m",
         .start = 0.012,
         .min = 1e-5,
         .max = 1,
         .description = "wall thickness of the head, gas to coolant; used with zones > 1"},
    [CYL_P_PISTON_MASS] = {.name = "piston_mass",
                           .unit = "kg",
                           .start = 0.55,
                           .min = 1e-6,
                           .max = 1e3,
                           .description = "piston"},
    [CYL_P_PISTON_CP] = {.name = "piston_heat_capacity",
                         .unit = "J/(kg K)",
                         .start = 900,
                         .min = 1,
                         .max = 1e4,
                         .description = "specific heat of the piston (aluminium-silicon alloy)"},
    [CYL_P_PISTON_CONDUCTIVITY] =
        {.name = "piston_conductivity",
         .unit = "W/(m K)",
         .start = 150,
         .min = 1e-3,
         .max = 1e3,
         .description =
             "conductivity of the piston (aluminium-silicon alloy); used with zones > 1"},
    [CYL_P_PISTON_THICKNESS] =
        {.name = "piston_thickness",
         .unit = "m",
         .start = 0.012,
         .min = 1e-5,
         .max = 1,
         .description = "wall thickness of the piston, gas to oil; used with zones > 1"},
    [CYL_P_BLOW_BY_AREA] = {.name = "blow_by_area",
                            .unit = "m2",
                            .start = 0.6e-6,
                            .min = 0,
                            .max = 1e-3,
                            .description = "effective area of the ring gaps"},
    [CYL_P_BLOW_BY_PRESSURE] = {.name = "blow_by_pressure",
                                .unit = "Pa",
                                .start = 1.02e5,
                                .min = 1e3,
                                .max = 1e7,
                                .description = "pressure behind the rings"},
    [CYL_P_ZONES] =
        {.name = "zones",
         .unit = "1",
         .start = 1,
         .min = 1,
         .max = 64,
         .flags = WRSIM_INTEGER,
         .description =
             "number of conducting layers in head and piston: adds 2 (zones - 1) states"},
    [CYL_P_BALANCE] = {.name = "balance",
                       .unit = "1",
                       .start = 0,
                       .min = 0,
                       .max = 1,
                       .flags = WRSIM_INTEGER,
                       .description = "1: add sums of all flows of mass and energy as states"},
};

/* Start values: fresh charge just after intake closing, warm engine. */
static const wrsim_variable states[CYL_X_COUNT] = {
    [CYL_X_AIR] = {.name = "m_air",
                   .unit = "kg",
                   .start = 7.2e-4,
                   .nominal = 5e-4,
                   .description = "air in the cylinder"},
    [CYL_X_FUEL] = {.name = "m_fuel",
                    .unit = "kg",
                    .start = 0,
                    .nominal = 2e-5,
                    .description = "fuel vapour in the cylinder"},
    [CYL_X_BURNED] = {.name = "m_burned",
                      .unit = "kg",
                      .start = 5.5e-5,
                      .nominal = 5e-4,
                      .description = "burned gas in the cylinder"},
    [CYL_X_T] =
        {.name = "T", .unit = "K", .start = 390, .nominal = 800, .description = "gas temperature"},
    [CYL_X_HEAD] = {.name = "T_head",
                    .unit = "K",
                    .start = 451,
                    .nominal = 400,
                    .description = "temperature of the head on the gas side"},
    [CYL_X_PISTON] = {.name = "T_piston",
                      .unit = "K",
                      .start = 481,
                      .nominal = 400,
                      .description = "temperature of the piston on the gas side"},
    [CYL_X_LIQUID] = {.name = "m_liquid",
                      .unit = "kg",
                      .start = 0,
                      .nominal = 1e-5,
                      .description = "liquid fuel"},
    [CYL_X_BURN] = {.name = "x_burn",
                    .unit = "1",
                    .start = 0,
                    .nominal = 1,
                    .description = "fuel burned in this cycle over the nominal injected mass"},
    [CYL_X_IGNITION] = {.name = "ignition",
                        .unit = "1",
                        .start = 0,
                        .nominal = 1,
                        .description = "ignition delay integral"},
    [CYL_X_WORK] = {.name = "W_ind",
                    .unit = "J",
                    .start = 0,
                    .nominal = 500,
                    .description = "work on the piston in this cycle"},
    [CYL_X_LOSS] = {.name = "Q_loss",
                    .unit = "J",
                    .start = 0,
                    .nominal = 300,
                    .description = "heat to the walls in this cycle"},
    [CYL_X_IN] = {.name = "m_in",
                  .unit = "kg",
                  .start = 0,
                  .nominal = 5e-4,
                  .description = "mass through the intake valves in this cycle"},
    [CYL_X_K] = {.name = "k_turb",
                 .unit = "m2/s2",
                 .start = 60,
                 .nominal = 200,
                 .description = "turbulent kinetic energy"},
    [CYL_X_NOX] = {.name = "NOx",
                   .unit = "mg",
                   .start = 0,
                   .nominal = 1,
                   .description = "NO formed in this cycle"},
    [CYL_X_SOOT] = {.name = "soot",
                    .unit = "mg",
                    .start = 0,
                    .nominal = 0.1,
                    .description = "soot formed and not oxidised in this cycle"},
};

#define SUM_MASS(text) .unit = "kg", .nominal = 5e-4, .description = text
#define SUM_FUEL(text) .unit = "kg", .nominal = 2e-5, .description = text
#define SUM_ENERGY(text) .unit = "J", .nominal = 500, .description = text

static const wrsim_variable sums[CYL_S_COUNT] = {
    [CYL_S_IN_AIR] = {.name = "sum_air_in", SUM_MASS("air through the intake")},
    [CYL_S_IN_BURNED] = {.name = "sum_burned_in", SUM_MASS("burned gas through the intake")},
    [CYL_S_IN_FUEL] = {.name = "sum_fuel_in", SUM_FUEL("fuel vapour through the intake (<= 0)")},
    [CYL_S_IN_H] = {.name = "sum_enthalpy_in", SUM_ENERGY("enthalpy through the intake")},
    [CYL_S_OUT_AIR] = {.name = "sum_air_out", SUM_MASS("air through the exhaust")},
    [CYL_S_OUT_BURNED] = {.name = "sum_burned_out", SUM_MASS("burned gas through the exhaust")},
    [CYL_S_OUT_FUEL] = {.name = "sum_fuel_out", SUM_FUEL("fuel vapour through the exhaust")},
    [CYL_S_OUT_H] = {.name = "sum_enthalpy_out", SUM_ENERGY("enthalpy through the exhaust")},
    [CYL_S_BLOW_BY_AIR] = {.name = "sum_air_blow_by", SUM_FUEL("air past the rings")},
    [CYL_S_BLOW_BY_BURNED] = {.name = "sum_burned_blow_by", SUM_FUEL("burned gas past the rings")},
    [CYL_S_BLOW_BY_FUEL] = {.name = "sum_fuel_blow_by", SUM_FUEL("fuel vapour past the rings")},
    [CYL_S_BLOW_BY_H] = {.name = "sum_enthalpy_blow_by", SUM_ENERGY("enthalpy past the rings")},
    [CYL_S_INJECTED] = {.name = "sum_fuel_injected", SUM_FUEL("liquid fuel injected")},
    [CYL_S_EVAPORATED] = {.name = "sum_fuel_evaporated", SUM_FUEL("fuel evaporated")},
    [CYL_S_FUEL_BURNED] = {.name = "sum_fuel_burned", SUM_FUEL("fuel burned")},
    [CYL_S_HEAT_RELEASED] = {.name = "sum_heat_released", SUM_ENERGY("chemical energy released")},
    [CYL_S_HEAT_WALL] = {.name = "sum_heat_wall", SUM_ENERGY("heat from gas to walls")},
    [CYL_S_WORK] = {.name = "sum_work", SUM_ENERGY("work p dV of the gas")},
    [CYL_S_EVAPORATION] = {.name = "sum_evaporation", SUM_ENERGY("energy of evaporated fuel")},
    [CYL_S_HEAT_COOLANT] = {.name = "sum_heat_coolant", SUM_ENERGY("heat to coolant and oil")},
    [CYL_S_HEAT_LINER] = {.name = "sum_heat_liner", SUM_ENERGY("heat to the liner")},
};

static const wrsim_variable inputs[CYL_U_COUNT] = {
    [CYL_U_THETA] = {.name = "theta",
                     .unit = "rad",
                     .nominal = 10,
                     .flags = WRSIM_REQUIRED,
                     .description = "crank angle"},
    [CYL_U_OMEGA] = {.name = "omega",
                     .unit = "rad/s",
                     .nominal = 261.8,
                     .flags = WRSIM_REQUIRED,
                     .description = "crank speed"},
    [CYL_U_INTAKE] = {.name = "im_m_air",
                      .unit = "kg",
                      .nominal = 5e-3,
                      .flags = WRSIM_REQUIRED,
                      .description = "air in the intake manifold"},
    {.name = "im_m_burned",
     .unit = "kg",
     .nominal = 1e-3,
     .flags = WRSIM_REQUIRED,
     .description = "burned gas in the intake manifold"},
    {.name = "im_T",
     .unit = "K",
     .nominal = 350,
     .flags = WRSIM_REQUIRED,
     .description = "temperature of the intake manifold"},
    [CYL_U_EXHAUST] = {.name = "em_m_air",
                       .unit = "kg",
                       .nominal = 1e-3,
                       .flags = WRSIM_REQUIRED,
                       .description = "air in the exhaust manifold"},
    {.name = "em_m_burned",
     .unit = "kg",
     .nominal = 1e-3,
     .flags = WRSIM_REQUIRED,
     .description = "burned gas in the exhaust manifold"},
    {.name = "em_T",
     .unit = "K",
     .nominal = 900,
     .flags = WRSIM_REQUIRED,
     .description = "temperature of the exhaust manifold"},
    [CYL_U_FUEL] = {.name = "fuel_factor",
                    .unit = "1",
                    .start = 1,
                    .nominal = 1,
                    .description = "factor on the injected mass; sampled at the start of the pilot "
                                   "injection for a whole cycle"},
};

static const wrsim_variable outputs[CYL_Y_COUNT] = {
    [CYL_Y_GAS + ENGINE_CYL_AIR] = {.name = "m_air",
                                    .unit = "kg",
                                    .nominal = 5e-4,
                                    .description = "air in the cylinder",
                                    .flags = WRSIM_IS_STATE,
                                    .index = CYL_X_AIR},
    [CYL_Y_GAS + ENGINE_CYL_FUEL] = {.name = "m_fuel",
                                     .unit = "kg",
                                     .nominal = 2e-5,
                                     .description = "fuel vapour in the cylinder",
                                     .flags = WRSIM_IS_STATE,
                                     .index = CYL_X_FUEL},
    [CYL_Y_GAS + ENGINE_CYL_BURNED] = {.name = "m_burned",
                                       .unit = "kg",
                                       .nominal = 5e-4,
                                       .description = "burned gas in the cylinder",
                                       .flags = WRSIM_IS_STATE,
                                       .index = CYL_X_BURNED},
    [CYL_Y_GAS + ENGINE_CYL_T] = {.name = "T",
                                  .unit = "K",
                                  .nominal = 800,
                                  .description = "gas temperature",
                                  .flags = WRSIM_IS_STATE,
                                  .index = CYL_X_T},
    [CYL_Y_P] = {.name = "p", .unit = "Pa", .nominal = 1e6, .description = "cylinder pressure"},
    [CYL_Y_V] = {.name = "V", .unit = "m3", .nominal = 5e-4, .description = "cylinder volume"},
    [CYL_Y_PHI] = {.name = "phi",
                   .unit = "deg",
                   .nominal = 360,
                   .flags = WRSIM_DISCONTINUOUS,
                   .description = "crank angle in the cycle (180 = firing TDC)"},
    [CYL_Y_TORQUE] = {.name = "torque",
                      .unit = "N m",
                      .nominal = 200,
                      .description = "torque of the gas on the crank"},
    [CYL_Y_BURN] = {.name = "burn_rate",
                    .unit = "kg/s",
                    .nominal = 1e-2,
                    .flags = WRSIM_DISCONTINUOUS,
                    .description = "fuel burned per time"},
    [CYL_Y_INJECTION] = {.name = "injection_rate",
                         .unit = "kg/s",
                         .nominal = 3e-2,
                         .description = "fuel injected per time"},
    [CYL_Y_ENERGY] = {.name = "energy",
                      .unit = "J",
                      .nominal = 500,
                      .description =
                          "energy of gas, fuel (chemical included), head and piston; zero "
                          "for gas at 298.15 K, walls at 0 K"},
};

static const wrsim_variable discretes[CYL_D_COUNT] = {
    [CYL_D_CYCLE] = {.name = "cycle", .unit = "1", .description = "number of cycles begun"},
    [CYL_D_NEEDLE] = {.name = "needle_pilot",
                      .unit = "1",
                      .description =
                          "needle of the pilot injection: 0 shut, 1 opening, 2 open, 3 closing"},
    {.name = "needle_main",
     .unit = "1",
     .description = "needle of the main injection, values as needle_pilot"},
    {.name = "needle_post",
     .unit = "1",
     .description = "needle of the post injection, values as needle_pilot"},
    [CYL_D_SOI_TIME] = {.name = "soi_time_pilot",
                        .unit = "s",
                        .description = "start time of the last pilot injection"},
    {.name = "soi_time_main", .unit = "s", .description = "start time of the last main injection"},
    {.name = "soi_time_post", .unit = "s", .description = "start time of the last post injection"},
    [CYL_D_BURN] = {.name = "burn_phase_pilot",
                    .unit = "1",
                    .description = "pilot fuel: 0 not burning, 1 waiting for ignition, 2 burning"},
    {.name = "burn_phase_main",
     .unit = "1",
     .description = "main fuel, values as burn_phase_pilot"},
    {.name = "burn_phase_post",
     .unit = "1",
     .description = "post fuel, values as burn_phase_pilot"},
    [CYL_D_BURN_START] = {.name = "burn_start_pilot",
                          .unit = "deg",
                          .description = "angle at which the pilot fuel ignited"},
    {.name = "burn_start_main",
     .unit = "deg",
     .description = "angle at which the main fuel ignited"},
    {.name = "burn_start_post",
     .unit = "deg",
     .description = "angle at which the post fuel ignited"},
    [CYL_D_P_IVC] = {.name = "p_ivc",
                     .unit = "Pa",
                     .start = 1.6e5,
                     .description = "pressure at intake closing"},
    [CYL_D_V_IVC] = {.name = "V_ivc",
                     .unit = "m3",
                     .start = 5e-4,
                     .description = "volume at intake closing"},
    [CYL_D_T_IVC] = {.name = "T_ivc",
                     .unit = "K",
                     .start = 380,
                     .description = "temperature at intake closing"},
    [CYL_D_INTAKE_OPEN] = {.name = "intake_is_open",
                           .unit = "1",
                           .description = "1 while the intake valves are open"},
    [CYL_D_EXHAUST_OPEN] = {.name = "exhaust_is_open",
                            .unit = "1",
                            .description = "1 while the exhaust valves are open"},
    [CYL_D_COMBUSTION] = {.name = "is_burning", .unit = "1", .description = "1 while fuel burns"},
    [CYL_D_FUEL] = {.name = "fuel",
                    .unit = "1",
                    .start = 1,
                    .description = "fuel_factor of this cycle"},
};

/* Columns of X patterns: air fuel burned T head piston | liquid x_burn ignition work loss in k NOx
 * soot. Columns of U patterns: theta omega | im: air burned T | em: air burned T | fuel_factor. */
/* clang-format off */
static const char *const x_x[CYL_X_COUNT] = {
    [CYL_X_AIR]      = "XXXX........X..",
    [CYL_X_FUEL]     = "XXXX..X.....X..",
    [CYL_X_BURNED]   = "XXXX........X..",
    [CYL_X_T]        = "XXXXXXX.....X..",
    [CYL_X_HEAD]     = "XXXXX..........",
    [CYL_X_PISTON]   = "XXXX.X.........",
    [CYL_X_LIQUID]   = "XXXX..X........",
    [CYL_X_BURN]     = ".X..........X..",
    [CYL_X_IGNITION] = "XXXX...........",
    [CYL_X_WORK]     = "XXXX...........",
    [CYL_X_LOSS]     = "XXXXXX.........",
    [CYL_X_IN]       = "XXXX...........",
    [CYL_X_K]        = "XXXX........X..",
    [CYL_X_NOX]      = "XXXX...........",
    [CYL_X_SOOT]     = "XXXX........X.X",
};
static const char *const u_x[CYL_X_COUNT] = {
    [CYL_X_AIR]      = "XXXXXXXX.",
    [CYL_X_FUEL]     = "XXXXXXXX.",
    [CYL_X_BURNED]   = "XXXXXXXX.",
    [CYL_X_T]        = "XXXXXXXX.",
    [CYL_X_HEAD]     = "XX.......",
    [CYL_X_PISTON]   = "XX.......",
    [CYL_X_LIQUID]   = "X........",
    [CYL_X_BURN]     = "XX.......",
    [CYL_X_IGNITION] = "X........",
    [CYL_X_WORK]     = "XX.......",
    [CYL_X_LOSS]     = "XX.......",
    [CYL_X_IN]       = "X.XXX....",
    [CYL_X_K]        = "XXXXX....",
    [CYL_X_NOX]      = ".........",
    [CYL_X_SOOT]     = "XX.......",
};
/* clang-format on */
/* Rows of the sums. */
static const struct {
    const char *x, *u;
    /* clang-format off */
} sum_pattern[CYL_S_COUNT] = {
    [CYL_S_IN_AIR]             = {"XXXX...........", "X.XXX...."},
    [CYL_S_IN_BURNED]          = {"XXXX...........", "X.XXX...."},
    [CYL_S_IN_FUEL]            = {"XXXX...........", "X.XXX...."},
    [CYL_S_IN_H]               = {"XXXX...........", "X.XXX...."},
    [CYL_S_OUT_AIR]            = {"XXXX...........", "X....XXX."},
    [CYL_S_OUT_BURNED]         = {"XXXX...........", "X....XXX."},
    [CYL_S_OUT_FUEL]           = {"XXXX...........", "X....XXX."},
    [CYL_S_OUT_H]              = {"XXXX...........", "X....XXX."},
    [CYL_S_BLOW_BY_AIR]        = {"XXXX...........", "X........"},
    [CYL_S_BLOW_BY_BURNED]     = {"XXXX...........", "X........"},
    [CYL_S_BLOW_BY_FUEL]       = {"XXXX...........", "X........"},
    [CYL_S_BLOW_BY_H]          = {"XXXX...........", "X........"},
    [CYL_S_INJECTED]           = {"XXXX...........", "X........"},
    [CYL_S_EVAPORATED]         = {"...X..X........", "........."},
    [CYL_S_FUEL_BURNED]        = {".X..........X..", "XX......."},
    [CYL_S_HEAT_RELEASED]      = {".X..........X..", "XX......."},
    [CYL_S_HEAT_WALL]          = {"XXXXXX.........", "XX......."},
    [CYL_S_WORK]               = {"XXXX...........", "XX......."},
    [CYL_S_EVAPORATION]        = {"...X..X........", "........."},
    [CYL_S_HEAT_COOLANT]       = {"....XX.........", "........."},
    [CYL_S_HEAT_LINER]         = {"XXXX...........", "XX......."},
};
static const char *const x_y[CYL_Y_COUNT] = {
    [CYL_Y_GAS + ENGINE_CYL_AIR]    = "X..............",
    [CYL_Y_GAS + ENGINE_CYL_FUEL]   = ".X.............",
    [CYL_Y_GAS + ENGINE_CYL_BURNED] = "..X............",
    [CYL_Y_GAS + ENGINE_CYL_T]      = "...X...........",
    [CYL_Y_P]                       = "XXXX...........",
    [CYL_Y_V]                       = "...............",
    [CYL_Y_PHI]                     = "...............",
    [CYL_Y_TORQUE]                  = "XXXX...........",
    [CYL_Y_BURN]                    = ".X..........X..",
    [CYL_Y_INJECTION]               = "XXXX...........",
    [CYL_Y_ENERGY]                  = "XXXXXXX........",
};
static const char *const u_y[CYL_Y_COUNT] = {
    [CYL_Y_GAS + ENGINE_CYL_AIR]    = ".........",
    [CYL_Y_GAS + ENGINE_CYL_FUEL]   = ".........",
    [CYL_Y_GAS + ENGINE_CYL_BURNED] = ".........",
    [CYL_Y_GAS + ENGINE_CYL_T]      = ".........",
    [CYL_Y_P]                       = "X........",
    [CYL_Y_V]                       = "X........",
    [CYL_Y_PHI]                     = "X........",
    [CYL_Y_TORQUE]                  = "X........",
    [CYL_Y_BURN]                    = "XX.......",
    [CYL_Y_INJECTION]               = "X........",
    [CYL_Y_ENERGY]                  = ".........",
};
/* clang-format on */

/* Groups of indicators in order: their number, and the states and inputs on which they depend. */
static const struct {
    const char *name, *description;
    int n;
    const char *x, *u;
} indicators[] = {
    {"cycle_end", "phi passes 720 degrees, or -60 backwards", 1, "...............", "X........"},
    {"intake_opens", "phi passes intake_open", 1, "...............", "X........"},
    {"intake_closes", "phi passes intake_close - 720", 1, "...............", "X........"},
    {"exhaust_opens", "phi passes exhaust_open", 1, "...............", "X........"},
    {"exhaust_closes", "phi passes exhaust_close", 1, "...............", "X........"},
    {"injection", "phi passes soi (pilot, main, post)", 3, "...............", "X........"},
    {"needle", "needle fully open, closing, shut (pilot, main, post)", 9, "...............",
     "........."},
    {"ignition", "delay integral reaches 1 (pilot, main, post)", 3, "........X......", "........."},
    {"burn_end", "end of the Wiebe function (pilot, main, post)", 3, "...............",
     "X........"},
    {"mixing", "burning limited by mixing", 1, ".X..........X..", "XX......."},
    {"liquid", "liquid fuel above 1e-8 kg", 1, "......X........", "........."},
    {"oxygen", "air fraction above 5 %", 1, "XXX............", "........."},
    {"intake_flow", "intake: into the cylinder, not laminar, choked", 3, "XXXX...........",
     "X.XXX...."},
    {"exhaust_flow", "exhaust: out of the cylinder, not laminar, choked", 3, "XXXX...........",
     "X....XXX."},
    {"blow_by", "past the rings: out, not laminar, choked", 3, "XXXX...........", "X........"},
    {"intake_lift", "lift ratio passes a break of the discharge table", 5, "...............",
     "X........"},
    {"exhaust_lift", "lift ratio passes a break of the discharge table", 5, "...............",
     "X........"},
    {"intake_throat", "throat instead of curtain limits the intake area", 1, "...............",
     "X........"},
    {"exhaust_throat", "throat instead of curtain limits the exhaust area", 1, "...............",
     "X........"},
    {"hot_range", "T above 1000 K: range of gas properties", 1, "...X...........", "........."},
    {"combustion_pressure", "p above the motored pressure", 1, "XXXX...........", "X........"},
    {"hotter_than_head", "T above T_head", 1, "...XX..........", "........."},
    {"hotter_than_piston", "T above T_piston", 1, "...X.X.........", "........."},
    {"hotter_than_liner", "T above the liner temperature", 1, "...X...........", "........."},
    {"conductivity", "T passes a break of the conductivity table", 4, "...X...........",
     "........."},
    {"nox", "burned zone above 1800 K", 1, "XXXX...........", "........."},
    {"dissociation", "burned zone above 2400 K", 1, "XXXX...........", "........."},
    {"soot_oxidation", "T above 1300 K", 1, "...X...........", "........."},
    {"burned_share", "10, 50, 90 % of the fuel burned", 3, ".......X.......", "........."},
    {"peak_pressure", "p above 150, 100 bar", 2, "XXXX...........", "X........"},
    {"squish", "phi passes 160, 200, 500, 580 degrees", 4, "...............", "X........"},
    {"dead_centre", "phi passes 180, 360, 540 degrees", 3, "...............", "X........"},
    {"half_way", "phi passes 90 degrees: the motored pressure is computed from here on", 1,
     "...............", "X........"},
    {"turbulence", "k_turb above 20 m2/s2", 1, "............X..", "........."},
    {"cavitation", "rail over cylinder pressure above 12", 1, "XXXX...........", "X........"},
    {"head_hot", "head on the coolant side above 450 K", 1, "....X..........", "........."},
    {"piston_hot", "piston on the oil side above 480 K", 1, ".....X.........", "........."},
    {"air_rich", "more air than burned gas", 1, "X.X............", "........."},
    {"diluted", "burned fraction above one half", 1, "XXX............", "........."},
    {"pressure", "p above 4 bar", 1, "XXXX...........", "X........"},
    {"warm", "T above 600 K: evaporation without vapour-pressure limit", 1, "...X...........",
     "........."},
};

static const char *layer_name(int wall, int layer, char *buffer, size_t bytes)
{
    snprintf(buffer, bytes, "%s_%d", wall == CYL_HEAD ? "T_head" : "T_piston", layer + 1);
    return buffer;
}

static int describe_states(wrsim_description *to, int n_layer, int has_sums)
{
    if (WR_DESCRIBE_ADD(to, WRSIM_STATE, states) != 0)
        return -1;
    for (int wall = 0; wall < CYL_WALL_COUNT; wall++)
        for (int layer = 1; layer < n_layer; layer++) {
            char name[32];
            wrsim_variable v = states[wall == CYL_HEAD ? CYL_X_HEAD : CYL_X_PISTON];
            v.name = layer_name(wall, layer, name, sizeof name);
            v.description = "wall layer, counted from the gas side";
            if (to->add(to, WRSIM_STATE, &v) != 0)
                return -1;
        }
    return has_sums ? WR_DESCRIBE_ADD(to, WRSIM_STATE, sums) : 0;
}

static int describe_row(wrsim_description *to, wrsim_pattern pattern, int row, const char *columns)
{
    for (int column = 0; columns[column] != '\0'; column++)
        if (columns[column] != '.' && to->depends(to, pattern, row, column) != 0)
            return -1;
    return 0;
}

/* Declares wall layers, and patterns that depend on the layer at the coolant. */
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

static int describe_indicators(wrsim_description *to, int n_layer)
{
    int row = 0;
    for (int g = 0; g < WR_DESCRIBE_COUNT(indicators); g++)
        for (int i = 0; i < indicators[g].n; i++, row++) {
            char name[48];
            if (indicators[g].n == 1)
                snprintf(name, sizeof name, "%s", indicators[g].name);
            else
                snprintf(name, sizeof name, "%s[%d]", indicators[g].name, i + 1);
            const wrsim_variable v = {
                .name = name, .unit = "1", .description = indicators[g].description};
            /* With several layers the coolant side is another state: see describe_layers(). */
            const int is_moved = n_layer > 1 && (row == CYL_Z_HEAD || row == CYL_Z_CROWN);
            if (to->add(to, WRSIM_INDICATOR, &v) != 0 ||
                (!is_moved && describe_row(to, WRSIM_X_Z, row, indicators[g].x) != 0) ||
                describe_row(to, WRSIM_U_Z, row, indicators[g].u) != 0)
                return -1;
        }
    return 0;
}

int cyl_describe(wrsim_instance *self, wrsim_description *to)
{
    wr_describe_timeless(to);
    const int n_layer = (int)self->param[CYL_P_ZONES];
    const int has_sums = self->param[CYL_P_BALANCE] > 0.5;
    const int first_sum = has_sums ? CYL_X_COUNT + 2 * (n_layer - 1) : 0;
    to->n_w = CYL_WORK_COUNT;
    to->data_bytes = sizeof(cyl_data);
    if (describe_states(to, n_layer, has_sums) != 0 ||
        WR_DESCRIBE_ADD(to, WRSIM_DISCRETE, discretes) != 0 ||
        WR_DESCRIBE_ADD(to, WRSIM_INPUT, inputs) != 0 || to->port(to, CYL_U_THETA, 2) != 0 ||
        to->port(to, CYL_U_INTAKE, ENGINE_MAN_COUNT) != 0 ||
        to->port(to, CYL_U_EXHAUST, ENGINE_MAN_COUNT) != 0 || to->port(to, CYL_U_FUEL, 1) != 0 ||
        WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, outputs) != 0 || describe_indicators(to, n_layer) != 0)
        return -1;
    if (WR_DESCRIBE_PATTERN(to, WRSIM_X_X, x_x) != 0 ||
        WR_DESCRIBE_PATTERN(to, WRSIM_U_X, u_x) != 0 ||
        WR_DESCRIBE_PATTERN(to, WRSIM_X_Y, x_y) != 0 ||
        WR_DESCRIBE_PATTERN(to, WRSIM_U_Y, u_y) != 0 ||
        describe_layers(to, n_layer, first_sum) != 0)
        return -1;
    for (int s = 0; has_sums && s < CYL_S_COUNT; s++) {
        const int is_moved = n_layer > 1 && s == CYL_S_HEAT_COOLANT;
        if ((!is_moved && describe_row(to, WRSIM_X_X, first_sum + s, sum_pattern[s].x) != 0) ||
            describe_row(to, WRSIM_U_X, first_sum + s, sum_pattern[s].u) != 0)
            return -1;
    }
    return 0;
}
