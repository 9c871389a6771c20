/* A way for messages between plant and controller. Each kind fills the table of operations; what they carry, and what is
 * lost on the way, is not theirs to judge.
 *
 * Thread: one owner. Real-time: send never waits; receive waits as long as it is told.
 */
#ifndef RACK_LINK_H
#define RACK_LINK_H

#include <stddef.h>
#include <stdint.h>

enum { RACK_NOTHING = -1, RACK_MESSAGE_BYTES = 128 };

typedef struct rack_link rack_link;
struct rack_link {
    /* 0, or -1 where there is nobody or no room. */
    int (*send)(rack_link *link, const uint8_t *bytes, size_t n_bytes);
    /* Bytes of the next message, which may be none, cut off at RACK_MESSAGE_BYTES; RACK_NOTHING where none has come after
     * wait_ns (0: does not wait), or nobody is there. */
    int (*receive)(rack_link *link, uint8_t ret_bytes[RACK_MESSAGE_BYTES], int64_t wait_ns);
    /* Who sent the last message is who is sent to from now on; NULL where there is only one. */
    void (*trust)(rack_link *link);
    void (*close)(rack_link *link);
};

/* Over UDP. The plant's: to a controller on this machine, on a port. NULL: there is no socket. */
rack_link *rack_link_udp_connect(int port);
/* The controller's; port 0 lets the system choose, *ret_port is the one it got. */
rack_link *rack_link_udp_listen(int port, int *ret_port);

/* Over POSIX shared memory of a name like "/rack". The plant's: makes it anew, and takes it away when it is closed. */
rack_link *rack_link_shm_create(const char *name);
/* The controller's: waits for it up to wait_ns. */
rack_link *rack_link_shm_open(const char *name, int64_t wait_ns);

/* In this process: what is sent is answered at once. The responder stays the caller's. */
struct rack_responder;
rack_link *rack_link_local(struct rack_responder *responder);

/* Damages what goes over another link, which stays the caller's, both ways (faults.h). */
struct rack_faults;
rack_link *rack_link_faulty(rack_link *inner, struct rack_faults *up, struct rack_faults *down);

#endif
