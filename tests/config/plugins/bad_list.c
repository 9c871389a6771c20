/* Plug-ins whose list of models is wrong, one shared object per value of WR_BAD: what wrsim must
 * refuse before it calls a model. The config tests (bad/plugin_*.toml) name the shared objects.
 *
 * Thread: any. Real-time: no.
 */
#include <stddef.h>

#include "wrsim/model.h"

enum {
    BAD_REFUSES_HOST = 1,
    BAD_ABI,
    BAD_SIZE,
    BAD_EMPTY,
    BAD_NO_DESCRIBE,
    BAD_NAME,
    BAD_TWICE,
    BAD_PARAM_TWICE,
    BAD_PARAM_DEFAULT,
    BAD_PARAM_LIMITS,
    BAD_PARAM_TABLE,
    BAD_CAPS,
    BAD_BUILT_IN_NAME,
    BAD_ENDLESS
};

static int describe(wrsim_instance *self, wrsim_description *to)
{
    (void)self;
    (void)to;
    return 0;
}

#define GOOD                                                                                       \
    .abi = WRSIM_MODEL_ABI, .struct_size = sizeof(wrsim_model), .name = "bad.list",                \
    .description = "never gets to run", .describe = describe

static const wrsim_variable param_twice[] = {{.name = "k"}, {.name = "k"}};
static const wrsim_variable param_limits[] = {{.name = "k", .start = 5.0, .min = 1e-6}};
static const wrsim_variable param_default[] = {{.name = "k", .start = 5.0, .min = 0.0, .max = 1.0}};

/* The later of two initialisers of a member counts. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Winitializer-overrides"
#endif
static const wrsim_model good = {GOOD};
static const wrsim_model abi = {GOOD, .abi = WRSIM_MODEL_ABI + 41};
static const wrsim_model size = {GOOD, .struct_size = 16};
static const wrsim_model no_describe = {GOOD, .describe = NULL};
static const wrsim_model name = {GOOD, .name = "bad name!"};
static const wrsim_model twice_param = {GOOD, .n_param = 2, .params = param_twice};
static const wrsim_model limits_param = {GOOD, .n_param = 1, .params = param_limits};
static const wrsim_model default_param = {GOOD, .n_param = 1, .params = param_default};
static const wrsim_model no_table = {GOOD, .n_param = 3};
static const wrsim_model caps = {GOOD, .caps = 0x100};
static const wrsim_model built_in = {GOOD, .name = "dahlquist"};
#pragma GCC diagnostic pop

static const wrsim_model *endless[2000]; /* filled at the first call */

__attribute__((visibility("default"))) const wrsim_model *const *wrsim_plugin_models(uint32_t host);

const wrsim_model *const *wrsim_plugin_models(uint32_t host)
{
    (void)host;
    static const wrsim_model *const lists[][3] = {
        [BAD_ABI] = {&abi},
        [BAD_SIZE] = {&size},
        [BAD_EMPTY] = {NULL},
        [BAD_NO_DESCRIBE] = {&no_describe},
        [BAD_NAME] = {&name},
        [BAD_TWICE] = {&good, &good},
        [BAD_PARAM_TWICE] = {&twice_param},
        [BAD_PARAM_DEFAULT] = {&default_param},
        [BAD_PARAM_LIMITS] = {&limits_param},
        [BAD_PARAM_TABLE] = {&no_table},
        [BAD_CAPS] = {&caps},
        [BAD_BUILT_IN_NAME] = {&built_in},
        [BAD_ENDLESS] = {NULL},
    };
    if (WR_BAD == BAD_REFUSES_HOST)
        return NULL;
    for (size_t i = 0; WR_BAD == BAD_ENDLESS && i < sizeof endless / sizeof *endless; i++)
        endless[i] = &good;
    return WR_BAD == BAD_ENDLESS ? endless : lists[WR_BAD];
}
