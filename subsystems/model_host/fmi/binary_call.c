/* Calls of functions of an FMU. See binary_call.h. Thread: as binary.h. Real-time: as binary.h. */
#include "subsystems/model_host/fmi/binary_call.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

void wr_binary_store_log(wr_binary_instance *instance, const char *text)
{
    pthread_mutex_lock(&instance->lock);
    char *to = instance->log;
    const char *const end = instance->log + WR_BINARY_LOG_BYTES - 1;
    /* The first text of a call is often the cause of the others. */
    const unsigned n_before = atomic_fetch_add_explicit(&instance->n_text, 1, memory_order_relaxed);
    if (n_before > 0 && strlen(to) + 2 < WR_BINARY_LOG_BYTES)
        to = mempcpy(to + strlen(to), "; ", 2);
    while (text && *text) {
        const size_t n = wr_utf8_length(text);
        if (to + (n > 0 ? n : 1) > end)
            break; /* the cut keeps characters whole */
        const int is_control = (unsigned char)*text < ' ' || *text == 0x7f ||
                               (n == 2 && (unsigned char)*text == 0xc2 &&
                                (unsigned char)text[1] < 0xa0); /* U+0080 to U+009F */
        if (n == 0 || is_control)
            *to++ = n == 0 ? '?' : ' ';
        else
            to = mempcpy(to, text, n);
        text += n > 0 ? n : 1;
    }
    *to = 0;
    pthread_mutex_unlock(&instance->lock);
}

wr_binary_status wr_binary_refuse(wr_binary_instance *instance, const char *text)
{
    atomic_store_explicit(&instance->n_text, 0, memory_order_relaxed);
    wr_binary_store_log(instance, text);
    return WR_BINARY_ERROR;
}

void *wr_binary_scratch(wr_binary_instance *instance, size_t n_bytes)
{
    if (n_bytes > instance->scratch_bytes) {
        void *const larger = realloc(instance->scratch, n_bytes);
        if (!larger) {
            (void)wr_binary_refuse(instance, "out of memory");
            return NULL;
        }
        instance->scratch = larger;
        instance->scratch_bytes = n_bytes;
    }
    return instance->scratch;
}

wr_binary_status wr_binary_convert(wr_binary_instance *instance, const char *function, int status)
{
    static const char *const name[] = {"ok", "warning", "discard", "error", "fatal", "pending"};
    if (status == 1) /* warning */
        return WR_BINARY_OK;
    if (status == 5 || atomic_load_explicit(&instance->n_text, memory_order_relaxed) == 0) {
        char text[WR_BINARY_LOG_BYTES];
        snprintf(text, sizeof text, "%s returns the status '%s'%s", function,
                 status > 0 && status <= 5 ? name[status] : "unknown",
                 status == 5 ? ", but wrsim does not support asynchronous steps"
                             : ", and the FMU logs no reason");
        wr_binary_store_log(instance, text);
    }
    if (status == 4 || status == 5) {
        wr_binary_library_kill(instance->binary->library);
        return WR_BINARY_FATAL;
    }
    if (status == 2)
        return WR_BINARY_DISCARD;
    instance->has_failed = 1;
    return WR_BINARY_ERROR;
}

wr_binary_status wr_binary_check_reached(wr_binary_instance *instance, double t_s, double h_s,
                                         wr_binary_step *step)
{
    /* The FMU may add its own steps, and the sum has rounding errors. The factor 1e-6 is far above these errors (assumed). */
    const double slack_s = 1e-6 * h_s;
    const char *fault = "the FMU reports that the step ends outside of its interval";
    if (step->reached_s >= t_s - slack_s && step->reached_s <= t_s + h_s + slack_s) {
        step->reached_s = fmin(fmax(step->reached_s, t_s), t_s + h_s);
        if (step->reached_s > t_s || step->is_event || step->is_terminated)
            return WR_BINARY_OK;
        fault = "the step makes no progress";
    }
    if (atomic_load_explicit(&instance->n_text, memory_order_relaxed) == 0)
        wr_binary_store_log(instance, fault);
    return WR_BINARY_DISCARD;
}

wr_binary_status wr_binary_lacks(wr_binary_instance *instance, const char *function)
{
    char text[WR_BINARY_LOG_BYTES];
    snprintf(text, sizeof text, "the description of the FMU does not offer %s", function);
    return wr_binary_refuse(instance, text);
}
