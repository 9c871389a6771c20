/* What a host gives a simulation in place of what the system has: where messages go, where memory comes from, a clock. Each
 * is left out by leaving its functions NULL; what is as without a host is said there.
 *
 *     wrsim_host host = {.size_bytes = sizeof host, .log = log_line};
 *     wrsim_create_hosted(config, &host, NULL, NULL, &sim, &err);
 *
 * The struct may grow at its end: size_bytes says how much of it the host knows, and what it does not is as if 0. So all of
 * it is to be 0 but what is set.
 *
 * Thread: each function says where it is called. None may call a function of the same simulation, but wrsim_stop and
 * wrsim_time: others return WRSIM_E_STATE, and wrsim_destroy leaves the pointer, from the logger; from the others nothing
 * may be called at all. Functions that several simulations share may be called by the threads of all at once.
 */
#ifndef WRSIM_HOST_H
#define WRSIM_HOST_H

#include <stddef.h>
#include <stdint.h>

#include "wrsim/export.h"
#include "wrsim/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum wrsim_log_level {
    WRSIM_LOG_ERROR = 1,   /* what the call returns, or a step of it, has failed */
    WRSIM_LOG_WARNING = 2, /* it goes on, but this is seldom meant */
    WRSIM_LOG_INFO = 3     /* a simulation was created, prepared, finished */
} wrsim_log_level;

/* One line without an end of line, valid during the call. */
typedef void (*wrsim_log_fn)(void *user, wrsim_log_level level, const char *text);

typedef struct wrsim_host {
    size_t size_bytes; /* sizeof(wrsim_host) */

    /* NULL: nothing is said but what calls return (err, report). Called in the thread that calls wrsim, before that call
     * returns, never between two windows: an advance that does not fail says nothing. */
    wrsim_log_fn log;
    void *log_user;

    /* Memory of a run: nearly all that the window loop writes, and names, rings to the recorder, snapshots; of the engine
     * that ships 26 of 27 MB. Both or neither; NULL: the system's. allocate returns bytes > 0 bytes aligned to a power of
     * two, up to a page, or NULL: then the call ends with WRSIM_E_MEMORY; what the bytes hold does not matter. release gets
     * what allocate was asked for, at the latest by wrsim_destroy or wrsim_snapshot_destroy. Called in the thread that
     * creates, prepares, runs, or destroys; never inside of wrsim_advance.
     * Not through them: the config, the wrsim itself, components (descriptions, parameters), the
     * graph, what setup needs meanwhile and start values that wait to be recorded, the recorder but for its rings, stacks of
     * threads, checkpoints, and the libraries (HDF5, SUNDIALS, KLU, hwloc, C and C++). */
    void *(*allocate)(void *user, size_t bytes, size_t alignment);
    void (*release)(void *user, void *block, size_t bytes);
    void *memory_user;

    /* A clock for pacing ([realtime]), ns since some fixed moment; it may be slower or faster than the wall's. Both or neither;
     * NULL: CLOCK_MONOTONIC. sleep_until_ns returns at that moment or sooner. Called in the thread that advances and in the
     * workers, in several at once. Statistics of wall time are the system's clock's all the same. */
    int64_t (*now_ns)(void *user);
    void (*sleep_until_ns)(void *user, int64_t due_ns);
    void *clock_user;

    /* Models of the host, which the config may name as it names built-in ones; NULL: none. The list ends with NULL. It and
     * its models stay as they are until wrsim_destroy. Their functions are called like functions of a plug-in. A name must not be that
     * of a built-in model or of one in a plug-in: WRSIM_E_PLUGIN. */
    const wrsim_model *const *models;
} wrsim_host;

#ifdef __cplusplus
}
#endif
#endif
