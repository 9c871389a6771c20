/* Thin helpers over cmocka: assertions on doubles that print both values, and the usual includes.
 *
 * A test file defines static void test_xxx(void **state) functions and a main() that lists them in
 * a struct CMUnitTest table and returns cmocka_run_group_tests(). Exit code 77 means skipped.
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
