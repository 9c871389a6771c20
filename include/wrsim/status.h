/* Status codes and the error record. 0 means done. A positive status means done with information that the caller may use. A negative status
 * is a failure. A status never changes its number, and no new status reuses a number. Gaps between the groups of numbers leave room for
 * later statuses. The list in this file has number, name, text and exit code of each status.
 *
 * Thread: any.
 */
#ifndef WRSIM_STATUS_H
#define WRSIM_STATUS_H

#include "wrsim/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Rows of the list: X(name, number, exit code, text). */
#define WRSIM_STATUS_LIST(X)                                                                       \
    X(WRSIM_OK, 0, 0, "done")                                                                      \
    X(WRSIM_STOPPED, 1, 130, "stopped on request at a window boundary")                            \
    X(WRSIM_DIFFERENT, 2, 1, "results differ by more than the limit")                              \
    X(WRSIM_INACCURATE, 3, 8, "complete, but the estimated splitting error is above its limit")    \
    X(WRSIM_DEADLINE_MISSED, 4, 9, "stopped: more deadlines were missed than allowed")             \
    X(WRSIM_INFEASIBLE, 5, 10, "deadlines will not hold")                                          \
    X(WRSIM_UNDECIDED, 6, 11, "undecided: the results give no verdict")                            \
    X(WRSIM_DELAY_EXCEEDED, 7, 8, "stopped: a delay error is above its limit")                     \
    X(WRSIM_UNSTABLE, 8, 12, "a fixed step or the exchange of subsystems is unstable")             \
    X(WRSIM_E_ARG, -1, 2, "wrong argument")                                                        \
    X(WRSIM_E_STATE, -2, 2, "call not allowed in this state")                                      \
    X(WRSIM_E_CONFIG, -10, 3, "configuration is not valid")                                        \
    X(WRSIM_E_GRAPH, -11, 3, "connections or subsystems are not valid")                            \
    X(WRSIM_E_MODEL, -20, 4, "model description is not valid")                                     \
    X(WRSIM_E_PLUGIN, -21, 4, "plug-in cannot be used")                                            \
    X(WRSIM_E_CALLBACK, -22, 5, "model reported an error")                                         \
    X(WRSIM_E_CRASH, -23, 13, "a model or plug-in ended the program")                              \
    X(WRSIM_E_NAN, -30, 5, "a value is not finite")                                                \
    X(WRSIM_E_SOLVER, -31, 5, "solver failed")                                                     \
    X(WRSIM_E_CHATTER, -32, 5, "events repeat without end")                                        \
    X(WRSIM_E_CONTRACT, -33, 5, "relaxation does not converge")                                    \
    X(WRSIM_E_LOOP, -34, 5, "algebraic loop is not solved")                                        \
    X(WRSIM_E_LIMIT, -35, 5, "a fixed capacity is too small")                                      \
    X(WRSIM_E_IO, -40, 6, "file cannot be read or written")                                        \
    X(WRSIM_E_DISK, -41, 6, "no space left for results")                                           \
    X(WRSIM_E_MEMORY, -50, 7, "out of memory")                                                     \
    X(WRSIM_E_PRIVILEGE, -51, 7, "the system refuses a request of the run")                        \
    X(WRSIM_E_INTERNAL, -90, 7, "internal error")

/* Result of a call: 0 done, > 0 done with information, < 0 failed. */
typedef enum wrsim_status {
#define WRSIM_X(name, number, exit_code, text) name = number,
    WRSIM_STATUS_LIST(WRSIM_X)
#undef WRSIM_X
} wrsim_status;

/* An error: cause and place. A function fills the record only on failure; the record owns its strings. */
typedef struct wrsim_error {
    wrsim_status status; /* returned status, < 0 */
    int line;            /* line in `file`, from 1; 0: none */
    int column;          /* column in the line, from 1; 0: unknown */
    double time_s;       /* simulated time, s; NaN: none */
    char file[256];      /* file with the error; "": none */
    char subsystem[64];  /* subsystem with the error; "": none */
    char text[640];      /* the error and its remedy */
} wrsim_error;

/* Returns the name of the constant, such as "WRSIM_E_CONFIG", or "?" for an unknown number. */
WRSIM_API const char *wrsim_status_name(wrsim_status status);

/* Returns a short constant text for messages, also for an unknown number. */
WRSIM_API const char *wrsim_status_text(wrsim_status status);

/* Returns the exit code of the wrsim program for this status. */
WRSIM_API int wrsim_status_exit_code(wrsim_status status);

#ifdef __cplusplus
}
#endif
#endif
