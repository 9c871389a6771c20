/* Functions and macros with which a built-in model's describe() declares variables and patterns from constant tables. The functions return
 * 0, or a non-zero number if the description refuses a declaration. Thread: any. Real-time: no (setup). */
#ifndef WR_MODELS_DESCRIBE_H
#define WR_MODELS_DESCRIBE_H

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "wrsim/model.h"

#define WR_DESCRIBE_COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

/* First fields of the descriptor of a built-in model, with the claim WRSIM_CAP_RT_SAFE and further capabilities. */
#define WR_MODEL_CAPS(name_, description_, caps_, describe_)                                       \
    .abi = WRSIM_MODEL_ABI, .struct_size = sizeof(wrsim_model), .name = name_,                     \
    .description = description_, .caps = WRSIM_CAP_RT_SAFE | (caps_), .describe = describe_
#define WR_MODEL_BASE(name_, description_, describe_)                                              \
    WR_MODEL_CAPS(name_, description_, 0, describe_)
/* Fields of WR_MODEL_BASE, then the table of parameters. */
#define WR_MODEL(name_, description_, params_, describe_)                                          \
    WR_MODEL_BASE(name_, description_, describe_), .n_param = WR_DESCRIBE_COUNT(params_),          \
                                                   .params = params_

/* Rows of tables of variables. The variable arguments are the description, then other fields, such as .flags = WRSIM_DISCONTINUOUS. */

/* Parameter with a default and limits. Both limits are 0 if the parameter has no limits. */
#define WR_PARAM(name_, unit_, start_, min_, max_, ...)                                            \
    {                                                                                              \
        .name = name_, .unit = unit_, .start = start_, .min = min_, .max = max_,                   \
        .description = __VA_ARGS__                                                                 \
    }
#define WR_TUNABLE(...) WR_PARAM(__VA_ARGS__, .flags = WRSIM_TUNABLE)
#define WR_INTEGER(...) WR_PARAM(__VA_ARGS__, .flags = WRSIM_INTEGER)
/* Variable with a start value. */
#define WR_VALUE(name_, unit_, start_, nominal_, ...)                                              \
    {                                                                                              \
        .name = name_, .unit = unit_, .start = start_, .nominal = nominal_,                        \
        .description = __VA_ARGS__                                                                 \
    }
/* Variable that starts at 0. */
#define WR_SIGNAL(name_, unit_, ...) WR_VALUE(name_, unit_, 0, __VA_ARGS__)
/* Input that requires a connection. */
#define WR_REQUIRED(...) WR_SIGNAL(__VA_ARGS__, .flags = WRSIM_REQUIRED)
/* Output that equals state i. */
#define WR_STATE_OUTPUT(name_, unit_, nominal_, i, ...)                                            \
    WR_SIGNAL(name_, unit_, nominal_, __VA_ARGS__, .flags = WRSIM_IS_STATE, .index = i)

/* Row of a table that declares all variables of a model: a kind and one of the rows above. */
typedef struct wr_row {
    wrsim_kind kind;
    wrsim_variable variable;
} wr_row;
#define WR_ROW(kind_, ...)                                                                         \
    {                                                                                              \
        .kind = WRSIM_##kind_, .variable = __VA_ARGS__                                             \
    }
#define WR_STATE(...) WR_ROW(STATE, WR_VALUE(__VA_ARGS__))
#define WR_DISCRETE(...) WR_ROW(DISCRETE, WR_SIGNAL(__VA_ARGS__))
#define WR_INPUT(...) WR_ROW(INPUT, WR_SIGNAL(__VA_ARGS__))
#define WR_INPUT_FROM(...) WR_ROW(INPUT, WR_VALUE(__VA_ARGS__))
#define WR_NEEDED(...) WR_ROW(INPUT, WR_REQUIRED(__VA_ARGS__))
#define WR_OUTPUT(...) WR_ROW(OUTPUT, WR_SIGNAL(__VA_ARGS__))
#define WR_COPY(...) WR_ROW(OUTPUT, WR_STATE_OUTPUT(__VA_ARGS__))
#define WR_INDICATOR(...) WR_ROW(INDICATOR, WR_SIGNAL(__VA_ARGS__))
/* Two rows: state i, and an output of the same name that equals the state. */
#define WR_SHOWN_STATE(i, name_, unit_, start_, nominal_, ...)                                     \
    WR_STATE(name_, unit_, start_, nominal_, __VA_ARGS__),                                         \
        WR_COPY(name_, unit_, nominal_, i, __VA_ARGS__)

/* Macros that make indices and a table from one list of parameters. The list PARAMETERS(ROW) has a row ROW(kind, index, ...) for
 * each parameter. kind is PARAM, TUNABLE or INTEGER. The index in the enum has the prefix P_:
 *     enum { PARAMETERS(WR_P_INDEX) N_PARAM };
 *     static const wrsim_variable params[N_PARAM] = {PARAMETERS(WR_P_ROW)}; */
#define WR_P_INDEX(kind, i, ...) P_##i,
#define WR_P_ROW(kind, i, ...) [P_##i] = WR_##kind(__VA_ARGS__),

/* Declares n variables of one kind. */
static inline int wr_describe_add(wrsim_description *to, wrsim_kind kind,
                                  const wrsim_variable *table, int n)
{
    for (int i = 0; i < n; i++)
        if (to->add(to, kind, &table[i]) != 0)
            return -1;
    return 0;
}

/* Declares the variables of a table of rows. */
static inline int wr_describe_rows(wrsim_description *to, const wr_row *rows, int n)
{
    for (int i = 0; i < n; i++)
        if (to->add(to, rows[i].kind, &rows[i].variable) != 0)
            return -1;
    return 0;
}

/* Declares a variable under a formatted name of at most 63 characters. */
__attribute__((format(printf, 4, 5))) static inline int wr_describe_named(wrsim_description *to,
                                                                          wrsim_kind kind,
                                                                          wrsim_variable variable,
                                                                          const char *format, ...)
{
    char name[64];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    variable.name = name;
    return to->add(to, kind, &variable) != 0 ? -1 : 0;
}

/* Declares a tridiagonal WRSIM_X_X: each derivative depends on its own state and on the adjacent states. */
static inline int wr_describe_chain(wrsim_description *to, int n_state)
{
    int bad = 0;
    for (int row = 0; row < n_state; row++)
        for (int column = row > 0 ? row - 1 : 0; column <= row + 1 && column < n_state; column++)
            bad |= to->depends(to, WRSIM_X_X, row, column);
    return bad;
}

/* Declares a pattern for each text that is not NULL. A text has the rows of the pattern, separated by spaces. A row has a
 * character per column: '.' for zero, any other character for nonzero. */
static inline int wr_describe_patterns(wrsim_description *to,
                                       const char *const patterns[WRSIM_PATTERN_COUNT])
{
    int bad = 0;
    for (int p = 0; p < WRSIM_PATTERN_COUNT; p++) {
        int row = 0, column = 0, n_nonzero = 0;
        for (const char *at = patterns[p] ? patterns[p] : ""; *at != '\0'; at++, column++)
            if (*at == ' ') {
                row++;
                column = -1;
            } else if (*at != '.') {
                n_nonzero++;
                bad |= to->depends(to, (wrsim_pattern)p, row, column);
            }
        if (patterns[p] && n_nonzero == 0)
            bad |= to->depends(to, (wrsim_pattern)p, -1, -1);
    }
    return bad;
}

/* Declares that callbacks do not read t_s, or that their results are linear in t_s between two events. Returns 0. */
static inline int wr_describe_timeless(wrsim_description *to)
{
    to->time_scale_s = (double)INFINITY;
    return 0;
}

/* Macros that call the functions above with a table and its length, or with a list of texts. */
#define WR_DESCRIBE_ADD(to, kind, table)                                                           \
    wr_describe_add((to), (kind), (table), WR_DESCRIBE_COUNT(table))
#define WR_DESCRIBE_ROWS(to, rows) wr_describe_rows((to), (rows), WR_DESCRIBE_COUNT(rows))
#define WR_DESCRIBE_PATTERNS(to, ...)                                                              \
    wr_describe_patterns((to), (const char *const[WRSIM_PATTERN_COUNT]){__VA_ARGS__})

/* Declares rows, then patterns. Returns 0 or -1. */
#define WR_DESCRIBE(to, rows, ...)                                                                 \
    (WR_DESCRIBE_ROWS(to, rows) || WR_DESCRIBE_PATTERNS(to, __VA_ARGS__) ? -1 : 0)

#endif
