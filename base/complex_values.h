/* Complex numbers: <complex.h>, and C11's CMPLX() for compilers without CMPLX() (clang with glibc). Thread: any. Real-time: yes. */
#ifndef WR_COMPLEX_VALUES_H
#define WR_COMPLEX_VALUES_H

#include <complex.h>

/* Returns re + i im. Infinite parts and negative zeros stay exact, unlike with re + I * im. */
#ifndef CMPLX
#define CMPLX(re, im) __builtin_complex((double)(re), (double)(im))
#endif

#endif
