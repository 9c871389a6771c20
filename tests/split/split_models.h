/* Macros for the models of tests/split: tables of variables, and a model with its fixed fields. */
#ifndef TESTS_SPLIT_SPLIT_MODELS_H
#define TESTS_SPLIT_SPLIT_MODELS_H

#include "models/describe.h"

#define PARAM(id, text, value) [id] = {.name = text, .description = text, .start = (value)}
#define INPUT(text)                                                                                \
    {                                                                                              \
        .name = text, .unit = "", .description = text                                              \
    }
#define STATE_VALUE(text, at_start)                                                                \
    {                                                                                              \
        .name = text, .unit = "", .description = text, .start = (at_start)                         \
    }
#define OUTPUT(text)                                                                               \
    {                                                                                              \
        .name = text, .unit = "", .description = text                                              \
    }
#define OUTPUT_STATE(text, i)                                                                      \
    {                                                                                              \
        .name = text, .unit = "", .description = text, .flags = WRSIM_IS_STATE, .index = (i)       \
    }
#define INDICATOR(text)                                                                            \
    {                                                                                              \
        .name = text, .unit = "", .description = text                                              \
    }
#define RISING(text)                                                                               \
    {                                                                                              \
        .name = text, .unit = "", .description = text, .flags = WRSIM_RISING_ONLY                  \
    }

#define MODEL(id, text, about, parameters, ...)                                                    \
    static const wrsim_model id = {.abi = WRSIM_MODEL_ABI,                                         \
                                   .struct_size = sizeof(wrsim_model),                             \
                                   .name = "split." text,                                          \
                                   .description = about,                                           \
                                   .caps = WRSIM_CAP_RT_SAFE,                                      \
                                   .n_param = WR_DESCRIBE_COUNT(parameters),                       \
                                   .params = parameters,                                           \
                                   __VA_ARGS__}

/* No output depends directly on an input. */
static inline int no_feedthrough(wrsim_description *to)
{
    return to->depends(to, WRSIM_U_Y, -1, -1);
}

/* Outputs that are the discrete states, in their order. */
static inline int output_discrete(const wrsim_point *at, int n, double *ret_y)
{
    for (int i = 0; i < n; i++)
        ret_y[i] = at->d[i];
    return 0;
}

#endif
