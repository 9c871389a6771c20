/* Calls of functions of an FMU. See binary_call.h. Thread: as binary.h. Real-time: as binary.h. */
#include "subsystems/model_host/fmi/binary_call.h"

#include <stdio.h>
#include <stdlib.h>

#include "subsystems/model_host/calling.h"

void wr_binary_store_log(wr_binary_instance *instance, const char *text)
{
    pthread_mutex_lock(&instance->lock);
    size_t n = 0;
    for (; text && text[n] && n < WR_BINARY_LOG_BYTES - 1; n++)
        instance->log[n] = (unsigned char)text[n] < ' ' || text[n] == 0x7f ? ' ' : text[n];
    instance->log[n] = 0;
    pthread_mutex_unlock(&instance->lock);
}

void *wr_binary_scratch(wr_binary_instance *instance, size_t n_bytes)
{
    if (n_bytes > instance->scratch_bytes) {
        void *const larger = realloc(instance->scratch, n_bytes);
        if (!larger) {
            wr_binary_store_log(instance, "out of memory");
            return NULL;
        }
        instance->scratch = larger;
        instance->scratch_bytes = n_bytes;
    }
    return instance->scratch;
}

void wr_binary_begin(wr_binary_instance *instance, const char *function)
{
    wr_calling_begin(instance->name, function, instance->t_s);
}

wr_binary_status wr_binary_end(wr_binary_instance *instance, int status)
{
    wr_calling_end();
    if (status == 4)
        atomic_store_explicit(&instance->binary->is_dead, 1, memory_order_relaxed);
    return status == 0 || status == 1 ? WR_BINARY_OK
           : status == 2              ? WR_BINARY_DISCARD
           : status == 4              ? WR_BINARY_FATAL
                                      : WR_BINARY_ERROR;
}

wr_binary_status wr_binary_lacks(wr_binary_instance *instance, const char *function)
{
    char text[WR_BINARY_LOG_BYTES];
    snprintf(text, sizeof text, "the FMU does not have the function %s", function);
    wr_binary_store_log(instance, text);
    return WR_BINARY_ERROR;
}
