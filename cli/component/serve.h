/* Serves the calls of one instance of a model in the process of a component (subsystems/model_process/process_channel.h).
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_SERVE_H
#define WR_SERVE_H

#include "subsystems/model_process/process_channel.h"

/* An instance that wrsim has asked for. The members belong to the caller. */
typedef struct wr_served {
    const wrsim_model *model;
    const char *const *text; /* [n_param] texts of parameters */
    wr_process_sizes sizes;
    size_t data_bytes;
    int n_port;
    const int *port_length; /* [n_port] lengths of the input blocks */
    int memory_fd;          /* file of the shared memory */
    int64_t spin_ns;        /* time to wait for a request before sleeping */
} wr_served;

/* Maps the shared memory, then calls answer(context) and serves calls up to done(). Returns 0, or -1 without a call of answer() if memory is
 * exhausted. */
int wr_serve(const wr_served *served, void (*answer)(void *context), void *context);

#endif
