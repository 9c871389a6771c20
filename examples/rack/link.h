/* A link for messages between plant and controller, and the clock for waits. Each kind of link has a table of functions. Links do not
 * interpret messages and do not report losses.
 *
 * Thread: one owner. Real-time: send never waits; receive waits at most wait_ns, by UDP up to 1 ms longer.
 */
#ifndef RACK_LINK_H
#define RACK_LINK_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* Returns the monotonic wall time, ns. */
static inline int64_t rack_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

enum { RACK_NOTHING = -1, RACK_MESSAGE_BYTES = 128 };

typedef struct rack_link rack_link;
struct rack_link {
    /* Sends a message. Returns 0, or -1 if a receiver or room for the message is missing. */
    int (*send)(rack_link *link, const uint8_t *bytes, size_t n_bytes);
    /* Receives the next message. Returns the number of bytes, 0 to RACK_MESSAGE_BYTES, and truncates longer messages. Returns RACK_NOTHING
     * if no message arrives within wait_ns (0: no wait), or if the sender has ended. */
    int (*receive)(rack_link *link, uint8_t ret_bytes[RACK_MESSAGE_BYTES], int64_t wait_ns);
    /* Makes the sender of the last message the receiver of further messages. NULL for links with one partner. */
    void (*trust)(rack_link *link);
    void (*close)(rack_link *link);
};

/* The functions that open a link return NULL on failure, with the reason in errno. */

/* Returns the plant's end of a UDP link to a controller on a port of this machine. */
rack_link *rack_link_udp_connect(int port);
/* Returns the controller's end of a UDP link. port 0: the system selects the port. *ret_port gets the port. */
rack_link *rack_link_udp_listen(int port, int *ret_port);

/* Returns the plant's end of POSIX shared memory with a name like "/rack". Creates the memory; close() removes the memory. EBUSY: another
 * plant uses the name. */
rack_link *rack_link_shm_create(const char *name);
/* Returns the controller's end of shared memory. Waits up to wait_ns for the plant. EBUSY: another controller uses the memory. ENOENT: no
 * plant has created the memory. */
rack_link *rack_link_shm_open(const char *name, int64_t wait_ns);

/* Returns a link to a responder within this process, which handles each message at once. The caller owns the responder. */
struct rack_responder;
rack_link *rack_link_local(struct rack_responder *responder);

/* Returns a link that adds faults in both directions to another link, which the caller owns (faults.h). */
struct rack_faults;
rack_link *rack_link_faulty(rack_link *inner, struct rack_faults *up, struct rack_faults *down);

#endif
