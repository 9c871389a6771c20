/* The controller as a separate process: answers measurements until the plant sends the end of the run, or sends no message for --idle
 * seconds. Exit codes: 0 after the end of the run, 1 if the link cannot be opened, 2 for a wrong option, 3 without a message for --idle
 * seconds.
 *
 *    ./rack_controller --link udp --port 0       prints "port N" when the port is open
 *    ./rack_controller --link shm --name /rack   prints "ready" when the plant's memory exists
 *
 * Thread: one. Real-time: the loop allocates nothing; waiting makes system calls.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "arguments.h"
#include "link.h"
#include "responder.h"

typedef struct options {
    const char *link, *name;
    double port, setpoint_pa, idle_s, die_after;
} options;

static rack_link *open_link(const options *o)
{
    int port = 0;
    rack_link *link;
    if (strcmp(o->link, "shm") == 0) {
        link = rack_link_shm_open(o->name, (int64_t)(o->idle_s * 1e9));
        if (link)
            printf("ready\n");
    } else {
        link = rack_link_udp_listen((int)o->port, &port);
        if (link)
            printf("port %d\n", port);
    }
    const int why = errno;
    if (!link && strcmp(o->link, "udp") == 0)
        fprintf(stderr, "rack_controller: UDP port %.0f: %s; choose another --port\n", o->port,
                strerror(why));
    else if (!link && why == EBUSY)
        fprintf(stderr,
                "rack_controller: another controller uses the shared memory '%s'; end that "
                "controller, or choose another --name\n",
                o->name);
    else if (!link)
        fprintf(stderr,
                "rack_controller: shared memory '%s' cannot be opened within %g s (%s); start "
                "rack_plant --link shm with this --name\n",
                o->name, o->idle_s, strerror(why));
    fflush(stdout);
    return link;
}

static void serve(const options *o, rack_link *link, rack_responder *responder)
{
    uint8_t bytes[RACK_MESSAGE_BYTES], reply[RACK_PACKET_BYTES];
    while (!responder->is_over) {
        const int n = link->receive(link, bytes, (int64_t)(o->idle_s * 1e9));
        if (n == RACK_NOTHING)
            return;
        if (!rack_responder_answer(responder, bytes, (size_t)n, rack_now_ns(), reply))
            continue;
        if (link->trust) /* only the sender of a valid packet becomes the receiver of replies */
            link->trust(link);
        (void)link->send(link, reply, sizeof reply); /* the plant counts a step without an answer */
        if (o->die_after > 0.0 && (double)responder->inbox.n_taken >= o->die_after)
            raise(SIGKILL);
    }
}

int main(int argc, char **argv)
{
    options o = {.link = "udp", .name = "/wrsim-rack", .setpoint_pa = 150e3, .idle_s = 60.0};
    const rack_argument table[] = {
        {"--link", NULL, &o.link, 0, 0, "kind of link: udp or shm (udp)"},
        {"--port", &o.port, NULL, 0, 65535, "UDP port; 0: any (0)"},
        {"--name", NULL, &o.name, 0, 0, "name of the shared memory (/wrsim-rack)"},
        {"--setpoint", &o.setpoint_pa, NULL, 1e5, 3e5,
         "set point of the boost pressure, Pa (150000)"},
        {"--idle", &o.idle_s, NULL, 0, 1e6,
         "time without a message after which the program ends, s (60)"},
        {"--die-after", &o.die_after, NULL, 0, 1e9,
         "number of commands after which the program kills itself, to test the plant; 0: never "
         "(0)"},
    };
    const int read = rack_arguments_read(argc, argv, table, (int)(sizeof table / sizeof *table));
    if (read != 0)
        return read < 0 ? 2 : 0;
    if (strcmp(o.link, "udp") != 0 && strcmp(o.link, "shm") != 0) {
        fprintf(stderr, "rack_controller: --link takes udp or shm, not '%s'\n", o.link);
        return 2;
    }
    rack_link *const link = open_link(&o);
    if (!link)
        return 1;
    rack_responder responder;
    rack_responder_init(&responder, o.setpoint_pa);
    serve(&o, link, &responder);
    link->close(link);
    const rack_inbox *const in = &responder.inbox;
    printf("{\"taken\": %" PRId64 ", \"late\": %" PRId64 ", \"duplicate\": %" PRId64
           ", \"malformed\": %" PRId64 ", \"foreign\": %" PRId64 ", \"refused\": %" PRId64
           ", \"is_over\": %s}\n",
           in->n_taken, in->n_late, in->n_duplicate, in->n_malformed, in->n_foreign,
           responder.n_refused, responder.is_over ? "true" : "false");
    if (responder.is_over)
        return 0;
    fprintf(stderr,
            "rack_controller: no message for %g s, and %s; start rack_plant with the same --link "
            "and --port or --name, or raise --idle\n",
            o.idle_s,
            in->n_taken > 0 ? "the plant has not sent the end of its run"
                            : "no plant has sent a measurement");
    return 3;
}
