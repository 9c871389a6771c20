/* A call of a function of an FMU: the record of the call, the status, the log and scratch memory of the instance.
 *
 * Thread: as binary.h. Real-time: as binary.h.
 */
#ifndef WR_BINARY_CALL_H
#define WR_BINARY_CALL_H

#include "subsystems/model_host/fmi/binary_parts.h"

/* Stores the text of a warning or an error. Thread: any. */
void wr_binary_store_log(wr_binary_instance *instance, const char *text);

/* Returns at least n_bytes of scratch memory, or NULL with a text in the log. */
void *wr_binary_scratch(wr_binary_instance *instance, size_t n_bytes);

/* Marks the start of a call of a function of the FMU. */
void wr_binary_begin(wr_binary_instance *instance, const char *function);
/* Marks the end of a call. status: as FMI numbers it, 0 to 4 (5: pending, an error). */
wr_binary_status wr_binary_end(wr_binary_instance *instance, int status);

/* Returns WR_BINARY_ERROR, with a text in the log: the binary lacks the function. */
wr_binary_status wr_binary_lacks(wr_binary_instance *instance, const char *function);

/* Calls a function of the FMU, and returns a wr_binary_status. */
#define WR_BINARY_CALL(version, instance, function, ...)                                           \
    (atomic_load_explicit(&(instance)->binary->is_dead, memory_order_relaxed) ? WR_BINARY_FATAL    \
     : !(version)->function ? wr_binary_lacks(instance, #function)                                 \
                            : (wr_binary_begin(instance, #function),                               \
                               wr_binary_end(instance, (int)(version)->function(__VA_ARGS__))))

#endif
