/* A link for messages between plant and controller. Each kind of link fills the table of operations. Links do not
 * interpret messages and do not report losses.
 *
 * Thread: one owner. Real-time: send never waits; receive waits at most wait_ns.
 */
#ifndef RACK_LINK_H
#define RACK_LINK_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* Monotonic wall time, ns. */
static inline int64_t rack_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

enum { RACK_NOTHING = -1, RACK_MESSAGE_BYTES = 128 };

typedef struct rack_link rack_link;
struct rack_link {
    /* Returns 0; -1 if there is no receiver or no room. */
    int (*send)(rack_link *link, const uint8_t *bytes, size_t n_bytes);
    /* Returns the bytes of the next message (may be 0), at most RACK_MESSAGE_BYTES; the rest is cut off. Returns
     * RACK_NOTHING if no message arrived within wait_ns (0: no wait), or if there is no sender. */
    int (*receive)(rack_link *link, uint8_t ret_bytes[RACK_MESSAGE_BYTES], int64_t wait_ns);
    /* From now on, messages go to the sender of the last one. NULL for links with a single partner. */
    void (*trust)(rack_link *link);
    void (*close)(rack_link *link);
};

/* UDP, the plant's end: to a controller on this machine, on a port. Returns NULL if no socket is available. */
rack_link *rack_link_udp_connect(int port);
/* UDP, the controller's end. port 0: the system chooses; *ret_port is the port. */
rack_link *rack_link_udp_listen(int port, int *ret_port);

/* POSIX shared memory with a name like "/rack", the plant's end: creates the memory, and removes it when the link is
 * closed. */
rack_link *rack_link_shm_create(const char *name);
/* Shared memory, the controller's end: waits up to wait_ns for the plant. */
rack_link *rack_link_shm_open(const char *name, int64_t wait_ns);

/* A link within this process: each message is answered at once. The caller owns the responder. */
struct rack_responder;
rack_link *rack_link_local(struct rack_responder *responder);

/* Adds faults in both directions to another link, which the caller owns (faults.h). */
struct rack_faults;
rack_link *rack_link_faulty(rack_link *inner, struct rack_faults *up, struct rack_faults *down);

#endif
