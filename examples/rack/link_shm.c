/* Messages through POSIX shared memory. See link.h.
 *
 * Each direction has one ring buffer with one writer and one reader. A slot belongs to the writer after the reader has increased `read`
 * (release) and the writer has read `read` (acquire). The slot belongs to the reader after the writer has increased `written` (release)
 * and the reader has read `written` (acquire). So writer and reader never access a slot at the same time. A writer that dies before it
 * increases `written` has published nothing. If a reader dies, the buffer fills up, and later sends fail without waiting. A buffer
 * passes every packet, so that the inbox can count late and duplicated packets.
 *
 * Plant and controller lock one byte of the file each; the kernel releases the locks when the process ends. So a second plant or a second
 * controller of the same memory is refused, and a plant replaces only the memory of a plant that has ended. A waiting plant tests the
 * controller's lock, and does not wait for a controller that has ended.
 *
 * The other process may write any bytes into the memory, so the functions check counts and lengths before use.
 *
 * Thread: one owner. Real-time: as in link.h; only waiting makes system calls.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "link.h"

/* SLOTS (assumed) is a power of two, because the counters wrap at 2^32. LINE_BYTES: size of a cache line. */
enum { SLOTS = 64, NAME_BYTES = 256, LINE_BYTES = 64 };
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "atomics across processes must be lock-free");

typedef struct slot {
    uint32_t n_bytes;
    uint8_t bytes[RACK_MESSAGE_BYTES];
} slot;

typedef struct ring {
    /* number of messages written so far; only the writer changes this number */
    _Alignas(LINE_BYTES) _Atomic uint32_t written;
    /* number of messages read so far; only the reader changes this number */
    _Alignas(LINE_BYTES) _Atomic uint32_t read;
    _Alignas(LINE_BYTES) slot slot[SLOTS];
} ring;

typedef struct shared {
    /* LAYOUT after the initialisation, 0 before. The plant writes this member last (release); the controller reads this member first
     * (acquire). */
    _Atomic uint32_t layout;
    /* 1 after a controller has locked the file. The controller writes this member (release), the plant reads this member (acquire). */
    _Atomic uint32_t has_controller;
    ring to_controller, to_plant;
} shared;

/* number of the layout of `shared`; another layout needs another number */
static const uint32_t LAYOUT = 0x52414b01u;

typedef struct shm {
    rack_link link; /* first member: the functions cast rack_link * */
    shared *memory;
    ring *out, *in;
    int file;
    char name[NAME_BYTES]; /* name that close() removes; "": the other process removes the name */
} shm;

/* Byte of the file that each side locks. */
enum { PLANT, CONTROLLER };

static struct flock lock_of(int byte)
{
    return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
}

/* Locks a byte of the file until the file is closed. Returns 0; -1 with errno EBUSY if another process has the lock. */
static int lock(int file, int byte)
{
    struct flock wanted = lock_of(byte);
    if (fcntl(file, F_OFD_SETLK, &wanted) == 0)
        return 0;
    errno = errno == EAGAIN || errno == EACCES ? EBUSY : errno;
    return -1;
}

/* Returns 1 if another process has the lock. */
static int is_locked(int file, int byte)
{
    struct flock found = lock_of(byte);
    return fcntl(file, F_OFD_GETLK, &found) == 0 && found.l_type != F_UNLCK;
}

/* Closes the file and keeps errno. Returns NULL. */
static void *close_file(int file)
{
    const int why = errno;
    close(file);
    errno = why;
    return NULL;
}

static void pause_ns(int64_t span_ns)
{
    const struct timespec span = {.tv_nsec = (long)span_ns};
    (void)nanosleep(&span, NULL);
}

static int send_shm(rack_link *link, const uint8_t *bytes, size_t n_bytes)
{
    ring *const out = ((shm *)link)->out;
    /* relaxed: only this side writes `written`. */
    const uint32_t written = atomic_load_explicit(&out->written, memory_order_relaxed);
    /* acquire (partner: release in take()): the reader has read the slot. */
    if (written - atomic_load_explicit(&out->read, memory_order_acquire) >= SLOTS ||
        n_bytes > RACK_MESSAGE_BYTES)
        return -1;
    slot *const to = &out->slot[written % SLOTS];
    to->n_bytes = (uint32_t)n_bytes;
    memcpy(to->bytes, bytes, n_bytes);
    /* release (partner: acquire in take()): the slot is filled. */
    atomic_store_explicit(&out->written, written + 1, memory_order_release);
    return 0;
}

static int take(ring *in, uint8_t *ret_bytes)
{
    /* relaxed: only this side writes `read`. */
    const uint32_t read = atomic_load_explicit(&in->read, memory_order_relaxed);
    /* acquire (partner: release in send_shm()): the slot is filled. */
    if (atomic_load_explicit(&in->written, memory_order_acquire) == read)
        return RACK_NOTHING;
    const slot *const from = &in->slot[read % SLOTS];
    /* a single read of the length, because the other process may change the length */
    const uint32_t said = *(const volatile uint32_t *)&from->n_bytes;
    const uint32_t n_bytes = said < RACK_MESSAGE_BYTES ? said : RACK_MESSAGE_BYTES;
    memcpy(ret_bytes, from->bytes, n_bytes);
    /* release (partner: acquire in send_shm()): the writer may write the slot. */
    atomic_store_explicit(&in->read, read + 1, memory_order_release);
    return (int)n_bytes;
}

/* Returns 1 if a controller has locked the file and has ended. */
static int is_alone(shm *s)
{
    /* acquire (partner: release in rack_link_shm_open()): the controller has locked the file before has_controller is 1. */
    return s->name[0] && atomic_load_explicit(&s->memory->has_controller, memory_order_acquire) &&
           !is_locked(s->file, CONTROLLER);
}

static int receive_shm(rack_link *link, uint8_t ret_bytes[RACK_MESSAGE_BYTES], int64_t wait_ns)
{
    enum { SPINS = 200, REST_NS = 20000 };
    shm *const s = (shm *)link;
    int n_bytes = take(s->in, ret_bytes);
    if (n_bytes != RACK_NOTHING || wait_ns <= 0)
        return n_bytes;
    const int64_t until_ns = rack_now_ns() + wait_ns;
    for (int i = 0; n_bytes == RACK_NOTHING && rack_now_ns() < until_ns; i++) {
        /* the test precedes the last take(), so that the plant reads the last messages of an ended controller */
        const int was_last = i >= SPINS && is_alone(s);
        n_bytes = take(s->in, ret_bytes);
        if (was_last)
            break;
        if (i >= SPINS && n_bytes == RACK_NOTHING)
            pause_ns(REST_NS);
    }
    return n_bytes;
}

static void close_shm(rack_link *link)
{
    shm *const s = (shm *)link;
    munmap(s->memory, sizeof *s->memory);
    if (s->name[0])
        shm_unlink(s->name); /* while the lock still keeps other plants from using the name */
    close_file(s->file);
    free(s);
}

/* Returns a link that owns the file. On failure closes the file and returns NULL. */
static shm *map(int file)
{
    shm *const s = calloc(1, sizeof *s);
    void *const memory =
        s ? mmap(NULL, sizeof *s->memory, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    if (memory == MAP_FAILED) {
        free(s);
        return close_file(file);
    }
    s->link = (rack_link){.send = send_shm, .receive = receive_shm, .close = close_shm};
    s->memory = memory;
    s->file = file;
    return s;
}

/* Locks the byte of the plant. Another plant may have removed the name before the lock; its new file may have the name. Returns 0; -1 with
 * errno, which is EBUSY if another plant has the lock or the name. */
static int lock_name(int file, const char *name)
{
    if (lock(file, PLANT) != 0)
        return -1;
    struct stat own, named;
    const int other = shm_open(name, O_RDONLY, 0);
    const int is_own = other >= 0 && fstat(file, &own) == 0 && fstat(other, &named) == 0 &&
                       own.st_dev == named.st_dev && own.st_ino == named.st_ino;
    if (other >= 0)
        close(other);
    errno = EBUSY;
    return is_own ? 0 : -1;
}

rack_link *rack_link_shm_create(const char *name)
{
    errno = ENAMETOOLONG;
    if (strlen(name) >= NAME_BYTES)
        return NULL;
    const int old = shm_open(name, O_RDWR, 0);
    if (old >= 0) {
        if (lock_name(old, name) != 0)
            return close_file(old);
        (void)shm_unlink(name); /* the memory of a killed plant */
        close_file(old);
    }
    const int file = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
    if (file < 0) {
        errno = errno == EEXIST ? EBUSY : errno; /* another plant has created the file */
        return NULL;
    }
    if (lock_name(file, name) != 0)
        return close_file(file);
    if (ftruncate(file, sizeof(shared)) != 0) {
        shm_unlink(name);
        return close_file(file);
    }
    shm *const s = map(file);
    if (!s) {
        shm_unlink(name);
        return NULL;
    }
    snprintf(s->name, sizeof s->name, "%s", name);
    s->out = &s->memory->to_controller;
    s->in = &s->memory->to_plant;
    memset(s->memory, 0, sizeof *s->memory); /* the write allocates all pages */
    /* release (partner: acquire in try_open()). */
    atomic_store_explicit(&s->memory->layout, LAYOUT, memory_order_release);
    return &s->link;
}

/* Returns the link; NULL on failure, such as missing memory or another layout. */
static shm *try_open(const char *name)
{
    const int file = shm_open(name, O_RDWR, 0);
    struct stat about;
    if (file < 0)
        return NULL;
    errno = ENOENT; /* the plant has not yet initialised the memory, or the plant has ended */
    if (fstat(file, &about) != 0 || about.st_size < (off_t)sizeof(shared) ||
        !is_locked(file, PLANT))
        return close_file(file);
    shm *const s = map(file);
    /* acquire (partner: release in rack_link_shm_create()). */
    if (s && atomic_load_explicit(&s->memory->layout, memory_order_acquire) != LAYOUT) {
        close_shm(&s->link);
        errno = ENOENT;
        return NULL;
    }
    return s;
}

rack_link *rack_link_shm_open(const char *name, int64_t wait_ns)
{
    enum { REST_NS = 1000000 };
    const int64_t until_ns = rack_now_ns() + wait_ns;
    shm *s = try_open(name);
    while (!s && rack_now_ns() < until_ns) {
        pause_ns(REST_NS);
        s = try_open(name);
    }
    if (!s)
        return NULL;
    if (lock(s->file, CONTROLLER) != 0) {
        close_shm(&s->link);
        return NULL;
    }
    s->out = &s->memory->to_plant;
    s->in = &s->memory->to_controller;
    /* release (partner: acquire in is_alone()). */
    atomic_store_explicit(&s->memory->has_controller, 1, memory_order_release);
    return &s->link;
}
