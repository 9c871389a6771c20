/* Each memory request of the config reader fails in turn: the reader returns the config or reports lack of memory. The functions below
 * replace functions of the C library, as in tests/rt/alloc_guard.c. */
#include "wr_test.h"

#include "wrsim/wrsim.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define COUNTS_CALLS 1
#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#undef COUNTS_CALLS
#endif
#endif
#endif

static long n_call, refused_call;
static int is_counting;

#ifdef COUNTS_CALLS
#define VISIBLE __attribute__((visibility("default")))

static int is_refused(void) { return is_counting && ++n_call == refused_call; }

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *block, size_t bytes);

VISIBLE void *malloc(size_t bytes) { return is_refused() ? NULL : __libc_malloc(bytes); }
VISIBLE void *calloc(size_t count, size_t bytes)
{
    return is_refused() ? NULL : __libc_calloc(count, bytes);
}
VISIBLE void *realloc(void *block, size_t bytes)
{
    return is_refused() ? NULL : __libc_realloc(block, bytes);
}
#endif

static const char text[] = "[simulation]\nstop = 2.0\n[relaxation]\nscheme = \"slack\"\n"
                           "[slack]\nlog = \"\"\n[output]\nfile = \"\"\n"
                           "[[component]]\nname = \"u\"\nmodel = \"dahlquist\"\n"
                           "parameters = { a = -1.0, b = 0.5 }\nstart = { x = 1.0 }\n"
                           "[[subsystem]]\nname = \"s\"\ncomponents = [\"u\"]\n"
                           "[[port]]\nname = \"push\"\nto = \"u.u\"\n";

static wrsim_status read_config(long refused, wrsim_error *err)
{
    wrsim_config *config = NULL;
    n_call = 0;
    refused_call = refused;
    is_counting = 1;
    const wrsim_status status =
        wrsim_config_from_text(text, strlen(text), "text.toml", NULL, 0, NULL, NULL, &config, err);
    is_counting = 0;
    assert_true((config != NULL) == (status >= 0));
    wrsim_config_destroy(&config);
    return status;
}

/* The reader returns the config or WRSIM_E_MEMORY (exception: below). The reader does not check half a config, whose names are NULL,
 * for further errors. */
TEST(each_refusal)
{
    assert_int_equal(read_config(0, NULL), WRSIM_OK);
#ifdef COUNTS_CALLS
    const long n = n_call;
    int n_said = 0;
    assert_true(n > 100);
    for (long i = 1; i <= n; i++) {
        wrsim_error err = {0};
        const wrsim_status status = read_config(i, &err);
        /* libstdc++ allocates to read a number. If this allocation fails, toml++ rejects the number as malformed. */
        const int is_number = strstr(err.text, "is not a number") != NULL;
        if (status != WRSIM_OK && status != WRSIM_E_MEMORY && !is_number) {
            print_error("call %ld of %ld: %s\n", i, n, err.text);
            fail();
        }
        n_said += status == WRSIM_E_MEMORY;
    }
    assert_true(n_said > n / 2);
#endif
}
