/* Messages as datagrams on the loopback interface. See link.h. The link does not repeat a lost packet, because the packet of the next step
 * replaces the lost packet.
 *
 * Thread: one owner. Real-time: as in link.h; each call makes system calls.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "link.h"

typedef struct udp {
    rack_link link; /* first member: the functions cast rack_link * */
    int socket;
    int is_connected; /* 1: plant's end; the socket drops datagrams of other senders */
    int has_peer;
    struct sockaddr_in peer, last;
} udp;

static int send_udp(rack_link *link, const uint8_t *bytes, size_t n_bytes)
{
    udp *const u = (udp *)link;
    if (!u->is_connected && !u->has_peer)
        return -1;
    /* A connected socket reports the failure of the previous datagram once, instead of sending the present datagram. */
    for (int i = 0; i < 2; i++) {
        const ssize_t n = u->is_connected
                              ? send(u->socket, bytes, n_bytes, MSG_DONTWAIT | MSG_NOSIGNAL)
                              : sendto(u->socket, bytes, n_bytes, MSG_DONTWAIT | MSG_NOSIGNAL,
                                       (const struct sockaddr *)&u->peer, sizeof u->peer);
        if (n >= 0)
            return 0;
        if (errno != ECONNREFUSED && errno != EINTR)
            break;
    }
    return -1;
}

static int receive_udp(rack_link *link, uint8_t ret_bytes[RACK_MESSAGE_BYTES], int64_t wait_ns)
{
    udp *const u = (udp *)link;
    const int64_t until_ns = wait_ns > 0 ? rack_now_ns() + wait_ns : 0;
    for (;;) {
        socklen_t n_address = sizeof u->last;
        const ssize_t n = recvfrom(u->socket, ret_bytes, RACK_MESSAGE_BYTES, MSG_DONTWAIT,
                                   (struct sockaddr *)&u->last, &n_address);
        if (n >= 0)
            return (int)n;
        if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
            return RACK_NOTHING; /* ECONNREFUSED: no receiver listens on the port */
        const int64_t left_ns = until_ns - (wait_ns > 0 ? rack_now_ns() : 0);
        if (wait_ns <= 0 || left_ns <= 0)
            return RACK_NOTHING;
        struct pollfd on = {.fd = u->socket, .events = POLLIN};
        (void)poll(&on, 1, (int)(left_ns / 1000000 < 1000 ? left_ns / 1000000 + 1 : 1000));
    }
}

static void trust_udp(rack_link *link)
{
    udp *const u = (udp *)link;
    u->peer = u->last;
    u->has_peer = 1;
}

static void close_udp(rack_link *link)
{
    udp *const u = (udp *)link;
    const int why = errno;
    close(u->socket);
    free(u);
    errno = why;
}

static udp *open_udp(void)
{
    udp *const u = calloc(1, sizeof *u);
    if (!u)
        return NULL;
    u->link = (rack_link){
        .send = send_udp, .receive = receive_udp, .trust = trust_udp, .close = close_udp};
    u->socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (u->socket < 0) {
        free(u);
        return NULL;
    }
    return u;
}

static struct sockaddr_in loopback(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

rack_link *rack_link_udp_connect(int port)
{
    udp *const u = open_udp();
    if (!u)
        return NULL;
    const struct sockaddr_in to = loopback(port);
    if (connect(u->socket, (const struct sockaddr *)&to, sizeof to) != 0) {
        close_udp(&u->link);
        return NULL;
    }
    u->is_connected = 1;
    u->link.trust = NULL;
    return &u->link;
}

rack_link *rack_link_udp_listen(int port, int *ret_port)
{
    udp *const u = open_udp();
    if (!u)
        return NULL;
    struct sockaddr_in at = loopback(port);
    socklen_t n_address = sizeof at;
    if (bind(u->socket, (const struct sockaddr *)&at, sizeof at) != 0 ||
        getsockname(u->socket, (struct sockaddr *)&at, &n_address) != 0) {
        close_udp(&u->link);
        return NULL;
    }
    *ret_port = ntohs(at.sin_port);
    return &u->link;
}
