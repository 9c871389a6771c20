/* Saved states of an instance of an FMU. See fmu_state.h.
 *
 * A state has the values of the instance, and a snapshot of its simulation. As bytes the state has a checkpoint instead of the snapshot,
 * with a head and a check sum before it.
 *
 * Thread: one owner. Real-time: no. */
#include "runtime/cosim/fmu/fmu_state.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/state_io.h"
#include "runtime/cosim/fmu/fmu_build.h"
#include "runtime/cosim/fmu/fmu_log.h"
#include "runtime/cosim/fmu/fmu_values.h"
#include "runtime/sim/checkpoint.h"
#include "runtime/sim/simulation_state.h"
#include "wrsim/wrsim.h"

/* First text of a state as bytes. */
#define MARK "wrsim FMU state\n"
#define CHECKPOINT_NAME "FMU state"

struct wr_fmu_state {
    wr_fmu_state *next;  /* in the list of states */
    const wr_fmu *owner; /* the instance, as two instances may not share a simulation */
    int n;               /* number of variables */
    wr_fmu_values was;   /* values of the instance */
    wr_fmu_build *build; /* simulation of the snapshot; NULL: none */
    wrsim_snapshot
        *snapshot; /* NULL: the instance had no simulation, or the state comes from bytes */
    /* the state as bytes, and its checkpoint in these bytes; NULL: not written yet, or no simulation */
    unsigned char *bytes;
    size_t n_bytes;
    const unsigned char *checkpoint;
    size_t n_checkpoint;
};

/* The states of all instances. A host may pass a freed state, or free a state after its instance, which FMI forbids. The functions compare
 * the pointer with this list, so they read neither freed states nor freed instances. */
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static wr_fmu_state *first;

/* Precedes the arrays and the checkpoint. */
typedef struct head {
    char mark[24], token[WR_COSIM_TOKEN_BYTES];
    uint64_t n_bytes, n_checkpoint;
    double start_s, stop_s, time_s;
    int32_t n, phase, is_terminated;
    uint32_t sum; /* of all following bytes, then of the members above */
} head;

_Static_assert(sizeof(head) == 128, "no padding");

static wr_fmu_status out_of_memory(const wr_fmu *f)
{
    wr_fmu_log(f, WR_FMU_ERROR, "out of memory for the state of the FMU");
    return WR_FMU_ERROR;
}

static wr_fmu_state *create(const wr_fmu *f)
{
    wr_fmu_state *s = calloc(1, sizeof *s);
    if (s && wr_fmu_values_create(&s->was, f->list->n) < 0) {
        free(s);
        s = NULL;
    }
    if (s) {
        s->owner = f;
        s->n = f->list->n;
        pthread_mutex_lock(&list_lock);
        s->next = first;
        first = s;
        pthread_mutex_unlock(&list_lock);
    }
    return s;
}

/* Frees everything except the values. */
static void clear(wr_fmu_state *s)
{
    wrsim_snapshot_destroy(&s->snapshot);
    wr_fmu_build_leave(&s->build);
    free(s->bytes);
    s->bytes = NULL;
    s->checkpoint = NULL;
    s->n_bytes = s->n_checkpoint = 0;
}

/* Removes a state from the list: the given state, or any state of the owner if state is NULL. Returns NULL if the list has no such
 * state. */
static wr_fmu_state *take(const wr_fmu_state *state, const wr_fmu *owner)
{
    pthread_mutex_lock(&list_lock);
    wr_fmu_state **at = &first;
    while (*at && (state ? *at != state : (*at)->owner != owner))
        at = &(*at)->next;
    wr_fmu_state *const s = *at;
    if (s)
        *at = s->next;
    pthread_mutex_unlock(&list_lock);
    return s;
}

static void destroy(wr_fmu_state *s)
{
    clear(s);
    wr_fmu_values_free(&s->was);
    free(s);
}

int wr_fmu_state_free(wr_fmu_state **state)
{
    if (!state || !*state)
        return 0;
    wr_fmu_state *const s = take(*state, NULL);
    if (!s)
        return -1;
    destroy(s);
    *state = NULL;
    return 0;
}

void wr_fmu_state_free_all(const wr_fmu *f)
{
    for (wr_fmu_state *s; (s = take(NULL, f)) != NULL;)
        destroy(s);
}

/* Checks that the state is of this instance. */
static wr_fmu_status check_owner(const wr_fmu *f, const wr_fmu_state *s)
{
    pthread_mutex_lock(&list_lock);
    const wr_fmu_state *own = first;
    while (own && own != s)
        own = own->next;
    const int is_own = own && own->owner == f;
    pthread_mutex_unlock(&list_lock);
    if (is_own)
        return WR_FMU_OK;
    wr_fmu_log(f, WR_FMU_ERROR, "the state is %s; pass a state of this instance%s",
               !s    ? "NULL"
               : own ? "of another instance"
                     : "freed",
               own ? ", or serialise the state" : "");
    return WR_FMU_ERROR;
}

wr_fmu_status wr_fmu_state_get(wr_fmu *f, wr_fmu_state **state)
{
    if (*state && check_owner(f, *state) != WR_FMU_OK)
        return WR_FMU_ERROR;
    wr_fmu_state *s = *state ? *state : create(f);
    wrsim_error err = {0};
    if (!s)
        return out_of_memory(f);
    wrsim_status status = WRSIM_OK;
    if (f->build && s->snapshot && s->build == f->build) {
        free(s->bytes);
        s->bytes = NULL;
        status = wrsim_snapshot_take(f->build->sim, s->snapshot, &err);
    } else {
        clear(s);
        if (f->build)
            status = wrsim_snapshot_create(f->build->sim, &s->snapshot, &err);
        if (f->build && status >= 0) {
            s->build = f->build;
            s->build->n_user++;
        }
    }
    if (status < 0) {
        (void)wr_fmu_log_failure(f, &err);
        if (!*state)
            (void)wr_fmu_state_free(&s);
        else
            clear(s);
        return WR_FMU_ERROR;
    }
    wr_fmu_values_copy(&s->was, &f->now, s->n);
    *state = s;
    return WR_FMU_OK;
}

/* Restores the simulation of a state that comes from bytes. */
static wr_fmu_status restore_bytes(wr_fmu *f, const wr_fmu_state *s)
{
    wrsim_error err = {0};
    if (wr_fmu_build_make(f) != WR_FMU_OK)
        return WR_FMU_ERROR;
    if (wr_simulation_state_check(f->build->sim, WR_SIM_PREPARED | WR_SIM_FAILED, CHECKPOINT_NAME,
                                  &err) < 0 ||
        wr_checkpoint_take_over(f->build->sim, CHECKPOINT_NAME, s->checkpoint, s->n_checkpoint,
                                &err) < 0)
        return wr_fmu_log_failure(f, &err);
    return WR_FMU_OK;
}

wr_fmu_status wr_fmu_state_set(wr_fmu *f, wr_fmu_state *s)
{
    wrsim_error err = {0};
    if (check_owner(f, s) != WR_FMU_OK)
        return WR_FMU_ERROR;
    wr_fmu_values_copy(&f->now, &s->was, s->n);
    wr_fmu_status status = WR_FMU_OK;
    if (s->build != f->build || !s->snapshot) {
        wr_fmu_build_leave(&f->build);
        f->build = s->build;
        if (f->build)
            f->build->n_user++;
    }
    if (s->snapshot && wrsim_snapshot_restore(s->build->sim, s->snapshot, &err) < 0)
        status = wr_fmu_log_failure(f, &err);
    else if (!s->snapshot && s->checkpoint)
        status = restore_bytes(f, s);
    if (status != WR_FMU_OK)
        f->now.phase = WR_FMU_FAILED;
    return status;
}

/* ---- bytes ---- */

/* Returns the size of the arrays of a state. */
static size_t array_bytes(int n) { return (size_t)n * (3 * sizeof(double) + 1); }

/* Writes the checkpoint of the snapshot, and restores the present state of the simulation. */
static wrsim_status compose(wr_fmu *f, wr_fmu_state *s, unsigned char **ret, size_t *ret_n,
                            wrsim_error *err)
{
    wrsim *const sim = s->build->sim;
    wrsim_snapshot *present = NULL;
    if (wr_simulation_where(sim) != WR_SIM_FAILED)
        WR_TRY(wrsim_snapshot_create(sim, &present, err));
    else if (f->build == s->build)
        wr_fmu_build_leave(&f->build); /* the values of a failed simulation do not return */
    wrsim_status status = wrsim_snapshot_restore(sim, s->snapshot, err);
    if (status >= 0)
        status = wr_checkpoint_compose(sim, CHECKPOINT_NAME, ret, ret_n, err);
    if (present) {
        const wrsim_status back = wrsim_snapshot_restore(sim, present, status < 0 ? NULL : err);
        status = status < 0 ? status : back;
    }
    wrsim_snapshot_destroy(&present);
    return status;
}

wr_fmu_status wr_fmu_state_bytes(wr_fmu *f, wr_fmu_state *s, const unsigned char **ret_bytes,
                                 size_t *ret_n)
{
    wrsim_error err = {0};
    unsigned char *checkpoint = NULL;
    size_t n_checkpoint = 0;
    if (check_owner(f, s) != WR_FMU_OK)
        return WR_FMU_ERROR;
    if (!s->bytes) {
        if (s->snapshot && compose(f, s, &checkpoint, &n_checkpoint, &err) < 0)
            return wr_fmu_log_failure(f, &err);
        const size_t n_array = array_bytes(s->n), n = sizeof(head) + n_array + n_checkpoint;
        unsigned char *const bytes = calloc(1, n);
        if (!bytes) {
            free(checkpoint);
            return out_of_memory(f);
        }
        head h = {.mark = MARK,
                  .n_bytes = n,
                  .n_checkpoint = n_checkpoint,
                  .start_s = s->was.start_s,
                  .stop_s = s->was.stop_s,
                  .time_s = s->was.time_s,
                  .n = s->n,
                  .phase = s->was.phase,
                  .is_terminated = s->was.is_terminated};
        memcpy(h.token, f->token, sizeof h.token);
        const size_t n_double = (size_t)s->n * sizeof(double);
        unsigned char *const at = bytes + sizeof h;
        memcpy(at, s->was.value, n_double);
        memcpy(at + n_double, s->was.start, n_double);
        memcpy(at + 2 * n_double, s->was.slope, n_double);
        memcpy(at + 3 * n_double, s->was.is_tuned, (size_t)s->n);
        if (n_checkpoint > 0)
            memcpy(at + n_array, checkpoint, n_checkpoint);
        free(checkpoint);
        h.sum = wr_state_sum(wr_state_sum(0, at, n - sizeof h), &h, offsetof(head, sum));
        memcpy(bytes, &h, sizeof h);
        s->bytes = bytes;
        s->n_bytes = n;
    }
    *ret_bytes = s->bytes;
    *ret_n = s->n_bytes;
    return WR_FMU_OK;
}

wr_fmu_status wr_fmu_state_write(wr_fmu *f, wr_fmu_state *s, void *to, size_t cap)
{
    const unsigned char *bytes;
    size_t n;
    if (wr_fmu_state_bytes(f, s, &bytes, &n) != WR_FMU_OK)
        return WR_FMU_ERROR;
    if (cap < n) {
        wr_fmu_log(f, WR_FMU_ERROR,
                   "the memory for the state has %zu bytes, but the state needs %zu; ask for the "
                   "size first",
                   cap, n);
        return WR_FMU_ERROR;
    }
    memcpy(to, bytes, n);
    return WR_FMU_OK;
}

/* Returns the reason why bytes are no state of this FMU; NULL: they are. */
static const char *find_fault(const wr_fmu *f, const unsigned char *bytes, size_t n, head *ret)
{
    if (n < sizeof *ret || memcmp(bytes, MARK, sizeof MARK - 1) != 0)
        return "are no state of an FMU of wrsim";
    memcpy(ret, bytes, sizeof *ret);
    if (ret->n_bytes != n)
        return "are cut short or have further bytes";
    const uint32_t sum = wr_state_sum(wr_state_sum(0, bytes + sizeof *ret, n - sizeof *ret), ret,
                                      offsetof(head, sum));
    if (sum != ret->sum)
        return "are damaged, because their check sum is wrong";
    if (strncmp(ret->token, f->token, sizeof ret->token) != 0 || ret->n != f->list->n ||
        n - sizeof *ret - array_bytes(ret->n) != ret->n_checkpoint)
        return "belong to another FMU";
    return NULL;
}

wr_fmu_status wr_fmu_state_read(wr_fmu *f, const unsigned char *bytes, size_t n,
                                wr_fmu_state **state)
{
    head h;
    const char *const fault = find_fault(f, bytes, n, &h);
    if (fault) {
        wr_fmu_log(f, WR_FMU_ERROR,
                   "the bytes of the state %s; pass the bytes of a state of this "
                   "FMU",
                   fault);
        return WR_FMU_ERROR;
    }
    wr_fmu_state *s = create(f);
    if (s)
        s->bytes = malloc(n);
    if (!s || !s->bytes) {
        (void)wr_fmu_state_free(&s);
        return out_of_memory(f);
    }
    memcpy(s->bytes, bytes, n);
    s->n_bytes = n;
    s->was.phase = h.phase;
    s->was.is_terminated = h.is_terminated;
    s->was.start_s = h.start_s;
    s->was.stop_s = h.stop_s;
    s->was.time_s = h.time_s;
    const size_t n_double = (size_t)s->n * sizeof(double);
    const unsigned char *const at = s->bytes + sizeof h;
    memcpy(s->was.value, at, n_double);
    memcpy(s->was.start, at + n_double, n_double);
    memcpy(s->was.slope, at + 2 * n_double, n_double);
    memcpy(s->was.is_tuned, at + 3 * n_double, (size_t)s->n);
    s->checkpoint = h.n_checkpoint > 0 ? at + array_bytes(s->n) : NULL;
    s->n_checkpoint = (size_t)h.n_checkpoint;
    (void)wr_fmu_state_free(state);
    *state = s;
    return WR_FMU_OK;
}
