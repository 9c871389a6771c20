/* Thin helpers over cmocka: tests that list themselves, assertions on doubles that print the values, folders and files, arguments, random
 * numbers, and AUTO().
 *
 * TEST(name) { ... } is one test. wr_test_main.c has the main() that runs the tests of a file in their order. A file with a main() of
 * its own returns wr_test_run(). Exit code WR_TEST_SKIP means skipped.
 */
#ifndef WR_TEST_H
#define WR_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define WR_TEST_SKIP 77

#define TEST(name)                                                                                 \
    static void test_##name(void **state);                                                         \
    __attribute__((constructor)) static void wr_add_##name(void)                                   \
    {                                                                                              \
        wr_test_add(#name, test_##name);                                                           \
    }                                                                                              \
    static void test_##name(__attribute__((unused)) void **state)

/* setup runs before the first test of the file, and teardown after the last. Either may be NULL. */
#define TEST_GROUP(setup, teardown)                                                                \
    __attribute__((constructor)) static void wr_add_group(void) { wr_test_group(setup, teardown); }

/* setup runs before each later test of the file, and teardown after it. Either may be NULL. */
#define TEST_EACH(setup, teardown)                                                                 \
    __attribute__((constructor)) static void wr_add_each(void) { wr_test_each(setup, teardown); }

/* All tests of the file run in a new folder. The folder is deleted after the last test. */
#define TEST_FOLDER TEST_GROUP(wr_test_enter_folder, wr_test_leave_folder)

void wr_test_add(const char *name, CMUnitTestFunction test);
void wr_test_group(CMFixtureFunction setup, CMFixtureFunction teardown);
void wr_test_each(CMFixtureFunction setup, CMFixtureFunction teardown);
int wr_test_enter_folder(void **state);
int wr_test_leave_folder(void **state);
/* Writes the text to the file. */
void wr_test_write(const char *file, const char *text);
/* Returns the text of a file of less than 64 KiB, valid until the next call. */
const char *wr_test_read(const char *file);
/* Runs all tests and returns the number of failed tests. */
int wr_test_run(void);
/* Returns argument i >= 1 of the program. If the argument is missing, the program ends with exit code 2. */
const char *wr_test_arg(int i);
/* Returns argument i as a number, or `otherwise` if the argument is missing. */
int64_t wr_test_number(int i, int64_t otherwise);

/* function(&variable) runs at the end of the variable's scope, but not after a failed assertion. */
#define AUTO(function) __attribute__((cleanup(function)))

/* For AUTO(): frees the memory that the pointer at `pointer` points to. */
static inline void wr_test_free(void *pointer)
{
    void *memory;
    memcpy(&memory, pointer, sizeof memory);
    free(memory);
}

/* Pseudo-random numbers by Knuth's MMIX generator, the same on every machine: 53 bits; a number in 0 .. 1; a number in -1 .. 1. */
static inline uint64_t wr_random_bits(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 11;
}
static inline double wr_random_share(uint64_t *seed)
{
    return (double)wr_random_bits(seed) / 9007199254740992.0;
}
static inline double wr_random_unit(uint64_t *seed)
{
    wr_random_bits(seed);
    return (double)(int64_t)*seed / 9223372036854775808.0;
}

/* |actual - expected| <= abs_tol + rel_tol * |expected| */
#define assert_close(actual, expected, rel_tol, abs_tol)                                           \
    do {                                                                                           \
        const double wr_actual = (actual), wr_expected = (expected);                               \
        const double wr_limit = (abs_tol) + (rel_tol)*fabs(wr_expected);                           \
        if (!(fabs(wr_actual - wr_expected) <= wr_limit)) {                                        \
            print_error("%s = %.17g, expected %.17g within %.3g\n", #actual, wr_actual,            \
                        wr_expected, wr_limit);                                                    \
            fail();                                                                                \
        }                                                                                          \
    } while (0)

/* low <= actual <= high */
#define assert_between(actual, low, high)                                                          \
    do {                                                                                           \
        const double wr_actual = (actual), wr_low = (low), wr_high = (high);                       \
        if (!(wr_actual >= wr_low && wr_actual <= wr_high)) {                                      \
            print_error("%s = %.17g, expected %.17g .. %.17g\n", #actual, wr_actual, wr_low,       \
                        wr_high);                                                                  \
            fail();                                                                                \
        }                                                                                          \
    } while (0)

#endif
