/* A pair of doubles that are computed together: polynomials of two species at one temperature, or the even and the odd
 * half of one polynomial. An operation on the vector type of gcc and clang is one instruction on processors with 128-bit
 * vectors, and two instructions on other processors.
 *
 * Thread: any. Real-time: yes.
 */
#ifndef ENGINE_PAIR_H
#define ENGINE_PAIR_H

#include <stddef.h>

typedef double engine_pair __attribute__((vector_size(16)));

/* Memory that is aligned for any type is also aligned for pairs, so instance data may contain pairs. */
_Static_assert(_Alignof(engine_pair) <= _Alignof(max_align_t),
               "pairs need no alignment of their own");

static inline engine_pair engine_both(double x) { return (engine_pair){x, x}; }

static inline double engine_sum(engine_pair pair) { return pair[0] + pair[1]; }

/* Returns the value at x of a polynomial with 2 n coefficients. The pair c[i] has the coefficients of x^(2 i) and x^(2 i + 1). Horner's
 * rule in x^2 evaluates the even and the odd half. */
static inline double engine_polynomial(const engine_pair *c, int n, double x)
{
    const engine_pair square = engine_both(x * x);
    engine_pair sum = c[n - 1];
    for (int i = n - 2; i >= 0; i--)
        sum = sum * square + c[i];
    return sum[0] + x * sum[1];
}

#endif
