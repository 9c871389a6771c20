/* A link with faults in both directions. See link.h.
 *
 * The link waits for no answer to a lost message. So a run with faults has equal results on slow and fast machines.
 *
 * Thread: one owner. Real-time: as the inner link.
 */
#include <stdlib.h>
#include <string.h>

#include "faults.h"

typedef struct faulty {
    rack_link link; /* first member: the functions cast rack_link * */
    rack_link *inner;
    rack_faults *up, *down;
    int n_due; /* number of expected answers */
    rack_message waiting[RACK_MOST_PASSED];
    int n_waiting, i_waiting;
} faulty;

static int send_faulty(rack_link *link, const uint8_t *bytes, size_t n_bytes)
{
    faulty *const f = (faulty *)link;
    rack_message passed[RACK_MOST_PASSED];
    int is_sound;
    const int n = rack_faults_pass(f->up, bytes, n_bytes, passed, &is_sound);
    int status = 0;
    for (int i = 0; i < n; i++)
        if (f->inner->send(f->inner, passed[i].bytes, passed[i].n_bytes) != 0)
            status = -1;
    f->n_due = is_sound && status == 0;
    return status;
}

static int receive_faulty(rack_link *link, uint8_t ret_bytes[RACK_MESSAGE_BYTES], int64_t wait_ns)
{
    faulty *const f = (faulty *)link;
    while (f->i_waiting >= f->n_waiting) {
        uint8_t bytes[RACK_MESSAGE_BYTES];
        const int n = f->inner->receive(f->inner, bytes, f->n_due > 0 ? wait_ns : 0);
        if (n == RACK_NOTHING)
            return RACK_NOTHING;
        int is_sound;
        f->n_due = 0;
        f->i_waiting = 0;
        f->n_waiting = rack_faults_pass(f->down, bytes, (size_t)n, f->waiting, &is_sound);
    }
    const rack_message *const m = &f->waiting[f->i_waiting++];
    memcpy(ret_bytes, m->bytes, m->n_bytes);
    return (int)m->n_bytes;
}

static void close_faulty(rack_link *link) { free(link); }

rack_link *rack_link_faulty(rack_link *inner, rack_faults *up, rack_faults *down)
{
    faulty *const f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->link = (rack_link){.send = send_faulty, .receive = receive_faulty, .close = close_faulty};
    f->inner = inner;
    f->up = up;
    f->down = down;
    return &f->link;
}
