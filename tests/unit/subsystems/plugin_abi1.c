/* A plug-in as compiled for model ABI 1: own copies of the declarations of ABI 1, and a list for any host. */
#include <stddef.h>
#include <stdint.h>

typedef struct old_model {
    uint32_t abi, struct_size;
    const char *name, *description;
    uint32_t caps;
    int n_param;
    const void *params;
    int (*describe)(void *, void *);
    void *init, *rhs, *output, *algebra, *indicator, *event, *next_time, *jacobian;
} old_model;

static int describe(void *self, void *to)
{
    (void)self, (void)to;
    return -1;
}

static const old_model old = {
    .abi = 1, .struct_size = sizeof(old_model), .name = "old.model", .describe = describe};

__attribute__((visibility("default"))) const old_model *const *wrsim_plugin_models(uint32_t abi);

const old_model *const *wrsim_plugin_models(uint32_t abi)
{
    static const old_model *const models[] = {&old, NULL};
    return models;
}
