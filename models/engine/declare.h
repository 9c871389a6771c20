/* Declarations of a model's describe(). Variables get their index in the order of declaration. One call declares a flow port or gas port of
 * several signals.
 *
 * A *flow port* is four adjacent inputs: m_air, m_burned, m_fuel (kg/s) and H (W), named <port>_m_air and so on. A *gas port* is five
 * adjacent inputs that describe the gas on one side of a flow, named <port>_p and so on. The inputs are p (pressure), RT (specific gas
 * constant times temperature), T (temperature), burned (burned mass fraction) and h (specific enthalpy). Components that contain gas
 * (engine.volume, engine.ambient) have outputs with these names.
 *
 * Thread: any. Real-time: no.
 */
#ifndef ENGINE_DECLARE_H
#define ENGINE_DECLARE_H

#include "models/describe.h"

typedef struct engine_list {
    wrsim_description *to;
    int count[WRSIM_KIND_COUNT]; /* number of declared variables of each kind */
    int status;                  /* 0; -1 after the description has refused a declaration */
} engine_list;

/* Signals of a flow port, in order. */
enum { FLOW_AIR, FLOW_BURNED, FLOW_FUEL, FLOW_H, FLOW_COUNT };
/* Signals of a gas port, in order. */
enum { GAS_P, GAS_RT, GAS_T, GAS_BURNED, GAS_H, GAS_COUNT };

/* Declares a variable and returns its index. */
static inline int engine_declare(engine_list *list, wrsim_kind kind, wrsim_variable variable)
{
    if (list->to->add(list->to, kind, &variable) != 0)
        list->status = -1;
    return list->count[kind]++;
}

/* Declares the variables of n rows (wr_row of models/describe.h). */
static inline void engine_declare_rows(engine_list *list, const wr_row *rows, int n)
{
    for (int i = 0; i < n; i++)
        engine_declare(list, rows[i].kind, rows[i].variable);
}
#define ENGINE_DECLARE_ROWS(list, rows) engine_declare_rows(list, rows, WR_DESCRIBE_COUNT(rows))

/* Declares a variable under a formatted name and returns its index. */
#define ENGINE_DECLARE_NAMED(list, kind, variable_, ...)                                           \
    ((list)->status |= wr_describe_named((list)->to, kind, variable_, __VA_ARGS__),                \
     (list)->count[kind]++)

static inline void engine_depends(engine_list *list, wrsim_pattern pattern, int row, int column)
{
    if (list->to->depends(list->to, pattern, row, column) != 0)
        list->status = -1;
}

/* Declares inputs first to first + n - 1 as one input block. */
static inline void engine_port(engine_list *list, int first, int n)
{
    if (list->to->port(list->to, first, n) != 0)
        list->status = -1;
}

/* Declares each of n inputs from first on as a separate input block, for inputs that different components drive. */
static inline void engine_ports(engine_list *list, int first, int n)
{
    for (int i = 0; i < n; i++)
        engine_port(list, first + i, 1);
}

/* Input blocks in which a model reads the inputs of a gas port: p and RT; T; burned and h. T is a block of its own, because the temperature
 * may be a state of the producer. */
enum { GAS_PORT_P, GAS_PORT_T, GAS_PORT_MIXTURE, GAS_PORT_COUNT };
enum { MIXTURE_BURNED, MIXTURE_H };

static inline void engine_gas_ports(engine_list *list, int first)
{
    engine_port(list, first + GAS_P, 2); /* p, RT */
    engine_port(list, first + GAS_T, 1);
    engine_port(list, first + GAS_BURNED, 2); /* burned, h */
}

/* Declares a pattern without entries. */
static inline void engine_depends_not(engine_list *list, wrsim_pattern pattern)
{
    engine_depends(list, pattern, -1, -1);
}

/* Declares that one row depends on n adjacent columns. */
static inline void engine_depends_row(engine_list *list, wrsim_pattern pattern, int row, int first,
                                      int n)
{
    for (int i = 0; i < n; i++)
        engine_depends(list, pattern, row, first + i);
}

/* Capacity for a composed variable name, bytes, with the terminating zero. */
enum { ENGINE_NAME_BYTES = 64 };

/* Joins a port's name and a signal's name, and truncates a result that is too long. snprintf() would be slower, and a model may have
 * thousands of volumes. */
static inline void engine_join(char ret_name[ENGINE_NAME_BYTES], const char *port,
                               const char *signal)
{
    int n = 0;
    for (; *port && n < ENGINE_NAME_BYTES - 1; port++)
        ret_name[n++] = *port;
    for (; *signal && n < ENGINE_NAME_BYTES - 1; signal++)
        ret_name[n++] = *signal;
    ret_name[n] = '\0';
}

/* Declares the inputs of a flow port. Returns the index of the first input. */
static inline int engine_declare_flow_port(engine_list *list, const char *port)
{
    static const wrsim_variable signals[FLOW_COUNT] = {
        WR_REQUIRED("_m_air", "kg/s", 0.05, "mass flow of air"),
        WR_REQUIRED("_m_burned", "kg/s", 0.05, "mass flow of burned gas"),
        WR_SIGNAL("_m_fuel", "kg/s", 1e-3, "mass flow of fuel vapour"),
        WR_REQUIRED("_H", "W", 2e4, "enthalpy flow"),
    };
    const int first = list->count[WRSIM_INPUT];
    for (int i = 0; i < FLOW_COUNT; i++) {
        char name[ENGINE_NAME_BYTES];
        engine_join(name, port, signals[i].name);
        wrsim_variable v = signals[i];
        v.name = name;
        engine_declare(list, WRSIM_INPUT, v);
    }
    return first;
}

/* Declares the signals of a gas as inputs or outputs; prefix may be "". state_T: the state that equals the temperature,
 * or -1. Returns the index of the first signal. */
static inline int engine_declare_gas(engine_list *list, wrsim_kind kind, const char *prefix,
                                     int state_T)
{
    static const wrsim_variable signals[GAS_COUNT] = {
        WR_SIGNAL("p", "Pa", 1e5, "pressure"),
        WR_SIGNAL("RT", "J/kg", 1e5, "gas constant times temperature"),
        WR_SIGNAL("T", "K", 400, "temperature"),
        WR_SIGNAL("burned", "1", 0.5, "mass fraction of burned gas"),
        WR_SIGNAL("h", "J/kg", 1e5, "specific enthalpy"),
    };
    const int first = list->count[kind];
    for (int i = 0; i < GAS_COUNT; i++) {
        char name[ENGINE_NAME_BYTES];
        engine_join(name, prefix, signals[i].name);
        wrsim_variable v = signals[i];
        v.name = name;
        if (kind == WRSIM_INPUT)
            v.flags = WRSIM_REQUIRED;
        if (i == GAS_T && state_T >= 0) {
            v.flags = WRSIM_IS_STATE;
            v.index = state_T;
        }
        engine_declare(list, kind, v);
    }
    return first;
}

#endif
