/* A plug-in whose only model has the name of a built-in model. wrsim must refuse the plug-in before a call of the model.
 *
 * Thread: any. Real-time: no.
 */
#include <stddef.h>

#include "wrsim/model.h"

static int describe(wrsim_instance *self, wrsim_description *to) { return 0; }

static const wrsim_model built_in = {.abi = WRSIM_MODEL_ABI,
                                     .struct_size = sizeof(wrsim_model),
                                     .name = "dahlquist",
                                     .describe = describe};

__attribute__((visibility("default"))) const wrsim_model *const *wrsim_plugin_models(uint32_t host);

const wrsim_model *const *wrsim_plugin_models(uint32_t host)
{
    static const wrsim_model *const list[] = {&built_in, NULL};
    return list;
}
