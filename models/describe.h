/* Helpers by which a built-in model's describe() declares variables and patterns from constant tables.
 *
 * Thread: any. Real-time: no (setup).
 */
#ifndef WR_MODELS_DESCRIBE_H
#define WR_MODELS_DESCRIBE_H

#include <math.h>

#include "wrsim/model.h"

#define WR_DESCRIBE_COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

/* Fields of every built-in model: each one keeps the rules of real time. */
#define WR_MODEL(name_, description_)                                                              \
    .abi = WRSIM_MODEL_ABI, .struct_size = sizeof(wrsim_model), .name = name_,                     \
    .description = description_, .caps = WRSIM_CAP_RT_SAFE
#define WR_MODEL_PARAMS(table) .n_param = WR_DESCRIBE_COUNT(table), .params = table

/* Rows of tables of variables. `...`: the description, then other fields, such as .flags = WRSIM_DISCONTINUOUS. */

/* Parameter: default and limits; without limits both are 0. */
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
/* Input that has to be connected. */
#define WR_REQUIRED(...) WR_SIGNAL(__VA_ARGS__, .flags = WRSIM_REQUIRED)
/* Output that equals state i. */
#define WR_STATE_OUTPUT(name_, unit_, nominal_, i, ...)                                            \
    WR_SIGNAL(name_, unit_, nominal_, __VA_ARGS__, .flags = WRSIM_IS_STATE, .index = i)

/* Indices and table of parameters from one list: PARAMETERS(ROW) has a row ROW(kind, index, ...) for each parameter, where
 * kind is PARAM, TUNABLE or INTEGER, and the index has the prefix P_:
 *     enum { PARAMETERS(WR_P_INDEX) N_PARAM };
 *     static const wrsim_variable params[N_PARAM] = {PARAMETERS(WR_P_ROW)}; */
#define WR_P_INDEX(kind, i, ...) P_##i,
#define WR_P_ROW(kind, i, ...) [P_##i] = WR_##kind(__VA_ARGS__),

/* Declares n variables of one kind. Returns 0 or -1. */
static inline int wr_describe_add(wrsim_description *to, wrsim_kind kind,
                                  const wrsim_variable *table, int n)
{
    for (int i = 0; i < n; i++)
        if (to->add(to, kind, &table[i]) != 0)
            return -1;
    return 0;
}

/* Declares patterns, one text each. A text holds the rows, separated by spaces, with one character per column: '.' is zero,
 * any other is not. A pattern without a text is not declared. Returns 0 or -1. */
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

/* Declares that no callback reads t_s, or that results are linear in t_s between two events. Returns 0. */
static inline int wr_describe_timeless(wrsim_description *to)
{
    to->time_scale_s = (double)INFINITY;
    return 0;
}

/* Calls with the length of a table. */
#define WR_DESCRIBE_ADD(to, kind, table)                                                           \
    wr_describe_add((to), (kind), (table), WR_DESCRIBE_COUNT(table))
#define WR_DESCRIBE_PATTERNS(to, ...)                                                              \
    wr_describe_patterns((to), (const char *const[WRSIM_PATTERN_COUNT]){__VA_ARGS__})

#endif
