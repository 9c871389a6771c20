/* Services of a host that replace services of the system: a logger, an allocator, a clock, and models. A service is
 * unused if its functions are NULL.
 *
 *     wrsim_host host = {.size_bytes = sizeof host, .log = log_line};
 *     wrsim_create_hosted(config, &host, NULL, NULL, &sim, &err);
 *
 * Later versions may add members at the end of the struct. size_bytes is the size of the struct that the host was compiled with; the
 * library treats all later members as 0. The host sets all unused members to 0.
 *
 * Thread: the comment of each member states the thread in which wrsim calls the function. The logger may call only wrsim_stop and
 * wrsim_time of the same simulation. Functions that change the simulation return WRSIM_E_STATE there, and wrsim_destroy only requests a
 * stop. Allocator and clock must not call wrsim at all. If several simulations share a function, several threads may call the function
 * at once. */
#ifndef WRSIM_HOST_H
#define WRSIM_HOST_H

#include <stddef.h>
#include <stdint.h>

#include "wrsim/export.h"
#include "wrsim/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Severity of a message. */
typedef enum wrsim_log_level {
    WRSIM_LOG_ERROR = 1,   /* the present call, or a part of this call, has failed */
    WRSIM_LOG_WARNING = 2, /* the call continues, but a setting is probably a mistake */
    WRSIM_LOG_INFO = 3     /* creation, preparation or end of a simulation */
} wrsim_log_level;

/* Receives one line of text without a newline. The text is valid during the call. */
typedef void (*wrsim_log_fn)(void *user, wrsim_log_level level, const char *text);

/* Services of a host. wrsim copies the struct. The comment at the top of this file has the rules for the functions. */
typedef struct wrsim_host {
    size_t size_bytes; /* sizeof(wrsim_host) */

    /* Receives messages; NULL: messages appear only in returned errors (err, report). wrsim calls the logger in the thread of the host's
     * call, before the call returns. wrsim never calls the logger between two windows: a successful advance logs nothing. */
    wrsim_log_fn log;
    void *log_user; /* first argument of log */

    /* Memory of a run: nearly all memory that the window loop writes, names, recorder buffers, and snapshots (26 of 27 MB for the shipped
     * engine). Set both functions or neither; NULL: the system's allocator. allocate returns `bytes` > 0 bytes aligned to `alignment`, a
     * power of two up to a page. The content of the block may be arbitrary. If allocate returns NULL, the present call ends with
     * WRSIM_E_MEMORY. release receives each block with its requested size, at the latest in wrsim_destroy or wrsim_snapshot_destroy. wrsim
     * calls both functions in the thread that creates, prepares, runs or destroys the simulation, or creates or destroys a snapshot, but
     * never within wrsim_advance. Other memory comes from the system: the config, the wrsim object, components, the graph, temporary memory
     * of the setup, the recorder except its buffers, thread stacks, and checkpoints. Libraries (HDF5, SUNDIALS, KLU, hwloc, C and C++) also
     * use memory of the system. */
    void *(*allocate)(void *user, size_t bytes, size_t alignment);
    void (*release)(void *user, void *block, size_t bytes); /* frees a block; see allocate */
    void *memory_user; /* first argument of allocate and release */

    /* Clock for pacing ([realtime]), in ns since a fixed moment; its rate may differ from the rate of the wall clock. Set both functions or
     * neither; NULL: CLOCK_MONOTONIC. sleep_until_ns returns at due_ns or earlier. The advancing thread and all workers call both
     * functions, also at the same time. Statistics of wall time use the system's clock. */
    int64_t (*now_ns)(void *user);
    void (*sleep_until_ns)(void *user, int64_t due_ns); /* sleeps; see now_ns */
    void *clock_user; /* first argument of now_ns and sleep_until_ns */

    /* Models of the host, ended by NULL; the config names these models like built-in models. NULL: none. The list and its models must stay
     * unchanged until wrsim_destroy; several simulations may share the list and its models. wrsim calls the functions of these models like
     * functions of a plug-in. wrsim_create_hosted returns WRSIM_E_PLUGIN if a model has another ABI or size, or the name of another model,
     * such as a built-in model. Studies (wrsim/study.h) do not include these models. */
    const wrsim_model *const *models;
} wrsim_host;

#ifdef __cplusplus
}
#endif
#endif
