/* Helpers of the tests in this folder: configs, checkpoints, and comparison of states.
 */
#ifndef WR_SAME_STATE_H
#define WR_SAME_STATE_H

#include "prepared.h"

#include <unistd.h>

#include "base/state_io.h"

enum { FILE_HEAD = 80, SECTION_HEAD = 32 }; /* bytes of the heads of checkpoint and section */

/* Creates a simulation from a config file. The overrides end with NULL; overrides may be NULL. */
static inline wrsim *create(const char *file, const char *const *overrides)
{
    int n = 0;
    while (overrides && overrides[n])
        n++;
    return created_file(file, overrides, n);
}

static inline wrsim *prepare(const char *file, const char *const *overrides)
{
    wrsim *const sim = create(file, overrides);
    wrsim_error err = {0};
    assert_good(wrsim_prepare(sim, &err), &err);
    return sim;
}

/* Reads a whole file, with one byte 0 behind its n bytes. The caller frees the bytes. */
static inline unsigned char *read_file(const char *path, size_t *ret_n)
{
    FILE *const file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *ret_n = (size_t)ftell(file);
    rewind(file);
    unsigned char *const bytes = malloc(*ret_n + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *ret_n, file), *ret_n);
    bytes[*ret_n] = 0;
    fclose(file);
    return bytes;
}

static inline void write_file(const char *path, const void *bytes, size_t n)
{
    FILE *const file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

/* Returns the bytes of a checkpoint of the simulation, with 0 for all measured times. The caller frees the bytes. */
static inline unsigned char *state_of(wrsim *sim, size_t *ret_n)
{
    wrsim_error err = {0};
    assert_good(wrsim_checkpoint_write(sim, "state_of.ckpt", &err), &err);
    unsigned char *const bytes = read_file("state_of.ckpt", ret_n);
    unlink("state_of.ckpt");
    for (size_t at = FILE_HEAD, n; at < *ret_n; at += SECTION_HEAD + n) {
        uint64_t n_bytes;
        memcpy(&n_bytes, bytes + at + 16, sizeof n_bytes);
        n = (size_t)n_bytes;
        if (strcmp((const char *)bytes + at, "clocks") == 0 ||
            strcmp((const char *)bytes + at, "wall") == 0)
            memset(bytes + at + 24, 0, 8 + n); /* sets the check sum to 0, too */
    }
    return bytes;
}

/* Asserts that two states from state_of() are equal in every byte. */
static inline void assert_same_state(const unsigned char *a, size_t n_a, const unsigned char *b,
                                     size_t n_b)
{
    assert_int_equal(n_a, n_b);
    for (size_t i = 0; i < n_a; i++)
        if (a[i] != b[i]) {
            print_error("states differ from byte %zu of %zu on\n", i, n_a);
            break;
        }
    assert_memory_equal(a, b, n_a);
}

#endif
