/* Collects the declarations of describe() as a message, for wrsim to repeat them. Thread: one owner. Real-time: no. */
#ifndef WR_COLLECT_H
#define WR_COLLECT_H

#include "subsystems/model_process/process_message.h"

/* Declarations, and the sizes that serving the instance needs. */
typedef struct wr_collected {
    wr_text_buffer declarations;
    size_t data_bytes, memory_bytes;
    int n_port, cap_port;
    int *port_length; /* [n_port] */
} wr_collected;

/* Calls describe() of the model. Returns its value, or -1 with instance->message when memory is exhausted. Also fills *ret on failure. */
int wr_collect(const wrsim_model *model, wrsim_instance *instance, wr_collected *ret);
void wr_collected_done(wr_collected *collected);

#endif
