/* Models with unusual names of variables, for names.py. names: a state, an output and an input for each name. The other models have a name
 * that wrsim refuses. */
#include <stdio.h>
#include <string.h>

#include "wrsim/model.h"

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const wrsim_model *const *
wrsim_plugin_models(uint32_t abi);

#define BYTES_64 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define LONGEST BYTES_64 BYTES_64 BYTES_64 BYTES_64

static const char *const names[] = {"a.b.c",
                                    "q\"uo,te",
                                    "br[1,2].x",
                                    "blank name [bar]",
                                    "\xC3\xBCn\xC3\xAF.\xF0\x9F\x9A\x97",
                                    "p*?",
                                    "x > y",
                                    "p -> q",
                                    LONGEST,
                                    "%20 %",
                                    "/sl/ash",
                                    "..",
                                    "# hash",
                                    "'one'",
                                    "back\\slash",
                                    " ends ",
                                    "=",
                                    "der(w[3])",
                                    "w]",
                                    "</script><b>&amp;"};
enum { N = sizeof names / sizeof names[0] };

static const char *const bad_names[] = {"tab\there", "\xC3(", LONGEST "x", "", "c1 \xC2\x85"};

static const wrsim_variable params[] = {{.name = "rate.of[1]", .start = 1.0},
                                        {.name = "te xt", .flags = WRSIM_TEXT}};

static int describe(wrsim_instance *self, wrsim_description *to)
{
    int rc = 0;
    char state[300];
    (void)self;
    to->time_scale_s = 1.0;
    for (int i = 0; i < N; i++) {
        snprintf(state, sizeof state, "%.250s'", names[i]);
        rc |= to->add(to, WRSIM_STATE, &(wrsim_variable){.name = state, .start = 1.0 + i});
        rc |= to->add(
            to, WRSIM_OUTPUT,
            &(wrsim_variable){
                .name = names[i], .unit = i % 2 ? "N m" : "", .flags = WRSIM_IS_STATE, .index = i});
        snprintf(state, sizeof state, "%.250s<", names[i]);
        rc |= to->add(to, WRSIM_INPUT, &(wrsim_variable){.name = state});
        rc |= to->depends(to, WRSIM_X_X, i, i) | to->depends(to, WRSIM_U_X, i, i);
    }
    return rc;
}

static int describe_bad(wrsim_instance *self, wrsim_description *to)
{
    return to->add(to, WRSIM_STATE, &(wrsim_variable){.name = self->user});
}

static int rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    for (int i = 0; i < N; i++)
        ret_dx[i] = self->param[0] * (at->u[i] - at->x[i]);
    return 0;
}

#define BAD(i)                                                                                     \
    {                                                                                              \
        .abi = WRSIM_MODEL_ABI, .struct_size = sizeof(wrsim_model), .name = "bad" #i,              \
        .description = "has a bad name", .describe = describe_bad, .rhs = rhs                      \
    }

const wrsim_model *const *wrsim_plugin_models(uint32_t abi)
{
    static const wrsim_model good = {.abi = WRSIM_MODEL_ABI,
                                     .struct_size = sizeof good,
                                     .name = "names",
                                     .description = "unusual names",
                                     .n_param = 2,
                                     .params = params,
                                     .describe = describe,
                                     .rhs = rhs};
    static wrsim_model bad[] = {BAD(0), BAD(1), BAD(2), BAD(3), BAD(4)};
    static const wrsim_model *const list[] = {&good,   &bad[0], &bad[1], &bad[2],
                                              &bad[3], &bad[4], NULL};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        bad[i].user = bad_names[i];
    return abi == WRSIM_MODEL_ABI ? list : NULL;
}
