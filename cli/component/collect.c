/* Collects the declarations of describe(). See collect.h. Thread: one owner. Real-time: no. */
#include "cli/component/collect.h"

#include <limits.h>
#include <stdlib.h>

#include "subsystems/model_process/process_setup.h"

/* Largest message of declarations, bytes (assumed): more than all patterns that wrsim accepts (component.c). */
static const size_t MOST_BYTES = (size_t)1 << 32;

/* Begins a declaration. Returns the message, or NULL if the message is too long. */
static wr_text_buffer *begin(wrsim_description *description, wr_process_declaration kind)
{
    wr_collected *const of = description->host;
    if (of->declarations.n_bytes > MOST_BYTES || of->declarations.is_failed)
        return NULL;
    wr_message_put_int(&of->declarations, (int)kind);
    return &of->declarations;
}

static int on_add(wrsim_description *description, wrsim_kind kind, const wrsim_variable *variable)
{
    wr_text_buffer *const to = begin(description, WR_DECLARED_VARIABLE);
    if (!to)
        return -1;
    wr_message_put_int(to, (int)kind);
    wr_message_put_int(to, variable != NULL);
    if (variable)
        wr_message_put_variable(to, variable);
    return 0;
}

static int on_depends(wrsim_description *description, wrsim_pattern pattern, int row, int column)
{
    wr_text_buffer *const to = begin(description, WR_DECLARED_ENTRY);
    if (!to)
        return -1;
    wr_message_put(to, (const int[]){(int)pattern, row, column}, 3 * sizeof(int));
    return 0;
}

static int on_mass(wrsim_description *description, int row, int column, double value)
{
    wr_text_buffer *const to = begin(description, WR_DECLARED_MASS);
    if (!to)
        return -1;
    wr_message_put(to, (const int[]){row, column}, 2 * sizeof(int));
    wr_message_put(to, &value, sizeof value);
    return 0;
}

static int on_port(wrsim_description *description, int first, int n)
{
    wr_collected *const of = description->host;
    wr_text_buffer *const to = begin(description, WR_DECLARED_PORT);
    if (!to)
        return -1;
    wr_message_put(to, (const int[]){first, n}, 2 * sizeof(int));
    if (of->n_port == of->cap_port) {
        const int cap = of->cap_port ? 2 * of->cap_port : 16;
        int *const grown =
            cap < INT_MAX / 2 ? realloc(of->port_length, (size_t)cap * sizeof *grown) : NULL;
        if (!grown)
            return -1;
        of->port_length = grown;
        of->cap_port = cap;
    }
    of->port_length[of->n_port++] = n;
    return 0;
}

int wr_collect(const wrsim_model *model, wrsim_instance *instance, wr_collected *ret)
{
    *ret = (wr_collected){.n_port = 0};
    wrsim_description description = {.struct_size = sizeof description,
                                     .add = on_add,
                                     .depends = on_depends,
                                     .host = ret,
                                     .mass = on_mass,
                                     .port = on_port};
    const int rc = model->describe(instance, &description);
    ret->data_bytes = description.data_bytes;
    ret->memory_bytes = description.memory_bytes;
    wr_message_put_int(&ret->declarations, WR_DECLARED_END);
    wr_message_put_int(&ret->declarations, description.n_w);
    wr_message_put(&ret->declarations, &description.memory_bytes, sizeof description.memory_bytes);
    wr_message_put(&ret->declarations, &description.data_bytes, sizeof description.data_bytes);
    wr_message_put(&ret->declarations, &description.time_scale_s, sizeof description.time_scale_s);
    if (!ret->declarations.is_failed)
        return rc;
    instance->message = "out of memory for the declarations of describe()";
    return -1;
}

void wr_collected_done(wr_collected *collected)
{
    wr_text_buffer_done(&collected->declarations);
    free(collected->port_length);
    *collected = (wr_collected){.n_port = 0};
}
