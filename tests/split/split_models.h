/* Macros for the models of tests/split: tables of parameters, and a model with its fixed fields. */
#ifndef TESTS_SPLIT_SPLIT_MODELS_H
#define TESTS_SPLIT_SPLIT_MODELS_H

#include "models/describe.h"
#include "tests/harness/wr_model.h"

#define PARAM(id, text, value) [id] = {.name = text, .description = text, .start = (value)}

#define MODEL(id, text, about, parameters, ...)                                                    \
    static const wrsim_model id = {.abi = WRSIM_MODEL_ABI,                                         \
                                   .struct_size = sizeof(wrsim_model),                             \
                                   .name = "split." text,                                          \
                                   .description = about,                                           \
                                   .caps = WRSIM_CAP_RT_SAFE,                                      \
                                   .n_param = WR_DESCRIBE_COUNT(parameters),                       \
                                   .params = parameters,                                           \
                                   __VA_ARGS__}

/* Sets the outputs to the first n discrete states. */
static inline int output_discrete(const wrsim_point *at, int n, double *ret_y)
{
    for (int i = 0; i < n; i++)
        ret_y[i] = at->d[i];
    return 0;
}

#endif
