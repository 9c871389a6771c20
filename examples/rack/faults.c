/* Faults of a link. See faults.h. Thread: one owner. Real-time: yes. */
#include "faults.h"

#include <string.h>

/* Draws the next number of SplitMix64 (Steele, Lea and Flood, Fast splittable pseudorandom number generators, OOPSLA 2014, fig. 17). */
static uint64_t draw(rack_faults *faults)
{
    uint64_t z = faults->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double draw_share(rack_faults *faults) { return (double)(draw(faults) >> 11) * 0x1p-53; }

static rack_message message(const uint8_t *bytes, size_t n_bytes)
{
    rack_message m = {.n_bytes = n_bytes < RACK_MESSAGE_BYTES ? n_bytes : RACK_MESSAGE_BYTES};
    memcpy(m.bytes, bytes, m.n_bytes);
    return m;
}

int rack_faults_pass(rack_faults *f, const uint8_t *bytes, size_t n_bytes,
                     rack_message ret_passed[RACK_MOST_PASSED], int *ret_is_sound)
{
    enum { LOST, REORDERED, DUPLICATED, TRUNCATED, RANDOM, KINDS };
    const double drawn = draw_share(f);
    int kind = KINDS;
    for (int i = KINDS - 1; i >= 0; i--)
        if (drawn < f->share * (i + 1))
            kind = i;
    if (kind == REORDERED && f->has_kept)
        kind = KINDS; /* the link delays at most one message at a time */
    f->n_message++;
    *ret_is_sound = kind == DUPLICATED || kind == KINDS;
    int n = 0;
    switch (kind) {
    case LOST:
        f->n_lost++;
        return 0;
    case REORDERED:
        f->n_reordered++;
        f->has_kept = 1;
        f->kept = message(bytes, n_bytes);
        return 0;
    case TRUNCATED:
        f->n_truncated++;
        ret_passed[0] = message(bytes, draw(f) % (n_bytes ? n_bytes : 1));
        return 1;
    case RANDOM:
        f->n_random++;
        rack_message *const m = &ret_passed[0];
        m->n_bytes = n_bytes < RACK_MESSAGE_BYTES ? n_bytes : RACK_MESSAGE_BYTES;
        for (size_t i = 0; i < m->n_bytes; i++)
            m->bytes[i] = (uint8_t)draw(f);
        return 1;
    case DUPLICATED:
        f->n_duplicated++;
        ret_passed[n++] = message(bytes, n_bytes);
        break;
    default:
        break;
    }
    ret_passed[n++] = message(bytes, n_bytes);
    if (f->has_kept) {
        f->has_kept = 0;
        ret_passed[n++] = f->kept;
    }
    return n;
}
