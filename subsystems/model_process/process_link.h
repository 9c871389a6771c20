/* The link to the process of a component: the running program, its shared memory, and its end.
 *
 * Thread: one owner. Real-time: wr_process_link_call(), apart from the wait for another process.
 */
#ifndef WR_PROCESS_LINK_H
#define WR_PROCESS_LINK_H

#include <stdatomic.h>
#include <sys/types.h>

#include "subsystems/model_process/process_channel.h"
#include "wrsim/status.h"

/* Waits for the process. */
typedef struct wr_process_waits {
    int64_t spin_ns;         /* time that the caller spins before it sleeps, ns */
    int64_t process_spin_ns; /* the same of the process */
    int cpu;                 /* CPU of the process; -1: any */
    int caller_cpu;          /* CPU of a calling thread, for the measurement of a call; -1: any */
    int moves;               /* 1: the process moves to the CPU of the thread that calls */
    /* Request of the user to stop the run; outlives the process. If a call does not return for two seconds after the request, wrsim ends the
     * process. NULL: none. */
    const atomic_int *is_stop_asked;
} wr_process_waits;

/* Counts since the last init(). */
typedef struct wr_process_counts {
    int64_t n_call; /* calls of callbacks */
    double
        call_cost_us; /* time of a call without work, us; the median of some calls before init() */
} wr_process_counts;

enum { WR_PROCESS_TEXT_BYTES = 512 };

typedef struct wr_process_link {
    pid_t pid; /* 0: none */
    int socket, memory_fd;
    wr_process_channel *channel; /* NULL: no instance */
    wr_process_arrays at;
    unsigned char *own; /* bytes of an own state; NULL: none */
    size_t own_bytes;
    wr_process_waits waits;
    int cpu;          /* CPU of the last call, with waits.moves */
    int64_t asked_ns; /* time at which the present call has seen the request to stop; 0: none */
    wr_process_counts counts;
    int is_dead;
    char message[WR_PROCESS_TEXT_BYTES]; /* cause of the end, or another text of wrsim */
} wr_process_link;

/* Starts wrsim-component for a file of models; path NULL: the built-in models. Returns 0, or -1 with the reason in err. */
int wr_process_link_start(wr_process_link *link, const char *path, wrsim_error *err);
/* Ends the process, if any. */
void wr_process_link_end(wr_process_link *link);

/* Sets the waits, and pins the process. The system may refuse a pin, which is no error. */
void wr_process_link_set_waits(wr_process_link *link, const wr_process_waits *waits);

/* Creates the shared memory for an instance. Returns 0, or -1 when memory is exhausted. */
int wr_process_link_map(wr_process_link *link, const wr_process_sizes *sizes);
void wr_process_link_unmap(wr_process_link *link);
/* Appends n_bytes bytes of an own state to the shared memory. Returns 0, or -1 when memory is exhausted. */
int wr_process_link_map_own(wr_process_link *link, size_t n_bytes);

/* Makes a call, whose arguments are in place: waits for the reply. call: for messages. Returns 0, or -1 if the process has ended, with the
 * text in link->message. While the process answers within 50 ms, the wait makes only the system calls of wr_gate,
 * and with waits.moves a call after a change of the CPU. */
int wr_process_link_call(wr_process_link *link, wr_process_call call);
/* Continues the present call after an answer to a question of the process. Returns as wr_process_link_call(). */
int wr_process_link_go_on(wr_process_link *link, wr_process_call call);
/* Measures the time of a call without work. Returns 0, or -1 as wr_process_link_call(). */
int wr_process_link_measure(wr_process_link *link);

/* Ends the service of an instance without done(), and frees the shared memory. Does nothing without an instance. */
void wr_process_link_leave(wr_process_link *link);

/* Notes the end of a process that does not answer a message over the socket. doing: name of the callback, or
 * several words, for link->message. */
void wr_process_link_note_end(wr_process_link *link, const char *doing);

#endif
