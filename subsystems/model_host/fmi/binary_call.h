/* A call of a function of an FMU: the record of the call, the status, the log and scratch memory of the instance.
 *
 * Thread: as binary.h. Real-time: as binary.h.
 */
#ifndef WR_BINARY_CALL_H
#define WR_BINARY_CALL_H

#include "subsystems/model_host/fmi/binary_parts.h"

/* Stores the text of a warning or an error, with blanks for control characters and "?" for bytes that are not UTF-8. Thread: any. */
void wr_binary_store_log(wr_binary_instance *instance, const char *text);
/* Stores a text and returns WR_BINARY_ERROR. The FMU has made no error. */
wr_binary_status wr_binary_refuse(wr_binary_instance *instance, const char *text);

/* Returns at least n_bytes of scratch memory, or NULL with a text in the log. */
void *wr_binary_scratch(wr_binary_instance *instance, size_t n_bytes);

/* Marks the start of a call of a function of the FMU. */
static inline void wr_binary_begin(wr_binary_instance *instance, const char *function)
{
    atomic_store_explicit(&instance->n_text, 0, memory_order_relaxed);
    instance->outer.callback = wr_calling_now.callback;
    if (wr_calling_now.callback)
        instance->outer = wr_calling_now;
    wr_calling_begin(instance->owner, function, instance->t_s);
}

/* Marks the end of a call without a status. */
static inline void wr_binary_end(const wr_binary_instance *instance)
{
    wr_calling_end();
    if (instance->outer.callback)
        wr_calling_now = instance->outer;
}

/* Converts a status of FMI other than 0. Pending (5) is fatal, because wrsim has no asynchronous calls. Stores a text for pending, and for
 * a failure without a text in the log. */
wr_binary_status wr_binary_convert(wr_binary_instance *instance, const char *function, int status);
/* Marks the end of a call, and converts its status. */
static inline wr_binary_status wr_binary_status_of(wr_binary_instance *instance,
                                                   const char *function, int status)
{
    wr_binary_end(instance);
    return status == 0 ? WR_BINARY_OK : wr_binary_convert(instance, function, status);
}

/* Checks step->reached_s of a step from t_s to t_s + h_s, which may end early. Returns WR_BINARY_OK with step->reached_s in the interval;
 * or WR_BINARY_DISCARD, with a text in the log, if the FMU reports a time outside of the interval or no progress. */
wr_binary_status wr_binary_check_reached(wr_binary_instance *instance, double t_s, double h_s,
                                         wr_binary_step *step);

/* Returns WR_BINARY_ERROR, with a text in the log, for a function that the uses of the binary do not need. */
wr_binary_status wr_binary_lacks(wr_binary_instance *instance, const char *function);

/* Ends a call with a status of 0 or 1, and marks the start of the next call. The log keeps the texts of the first call. */
static inline void wr_binary_next(const char *function)
{
    if (wr_fp_mode_differs(wr_calling_now.mode))
        wr_calling_set_mode_back();
    wr_calling_now.callback = function;
}

/* Marks the end of several calls, and converts the status of the last call. *ret_failed: on a failure the name of the last call, without
 * the version of FMI. */
static inline wr_binary_status wr_binary_last_status(wr_binary_instance *instance, int status,
                                                     const char **ret_failed)
{
    const char *const function = wr_calling_now.callback;
    wr_binary_end(instance);
    if (status == 0)
        return WR_BINARY_OK;
    *ret_failed = function + sizeof "fmi2" - 1;
    return wr_binary_convert(instance, function, status);
}

/* Calls a function of the FMU, and returns a wr_binary_status. */
#define WR_BINARY_CALL(version, instance, function, ...)                                           \
    (wr_binary_library_is_dead((instance)->binary->library) ? WR_BINARY_FATAL                      \
     : !(version)->function                                                                        \
         ? wr_binary_lacks(instance, #function)                                                    \
         : (wr_binary_begin(instance, #function),                                                  \
            wr_binary_status_of(instance, #function, (int)(version)->function(__VA_ARGS__))))

#endif
