/* A shared object for the tests of the plug-in loader. WR_SAMPLE selects its fault. */
#include "wrsim/model.h"

__attribute__((visibility("default"))) const wrsim_model *const *wrsim_plugin_models(uint32_t abi);

static int describe(wrsim_instance *self, wrsim_description *to)
{
    return to->add(to, WRSIM_INPUT, &(wrsim_variable){.name = "u", .start = 4.0});
}

static const wrsim_model sample = {
#if WR_SAMPLE == 1
    .abi = WRSIM_MODEL_ABI + 1,
#else
    .abi = WRSIM_MODEL_ABI,
#endif
    .struct_size = sizeof(wrsim_model),
    .name = "sample.one",
    .describe = describe,
};

#if WR_SAMPLE == 4
static const wrsim_model *endless[4096];
#else
static const wrsim_model *const models[] = {
#if WR_SAMPLE == 3
    &sample, &sample, NULL
#elif WR_SAMPLE == 5
    NULL, &sample
#else
    &sample, NULL
#endif
};
#endif

const wrsim_model *const *wrsim_plugin_models(uint32_t abi)
{
#if WR_SAMPLE == 2
    return abi == 0 ? models : NULL; /* refuses this host */
#elif WR_SAMPLE == 4
    for (int i = 0; i < 4096; i++)
        endless[i] = &sample;
    return (const wrsim_model *const *)endless;
#else
    return abi == WRSIM_MODEL_ABI ? models : NULL;
#endif
}
