/* Complex numbers: <complex.h> with C11's CMPLX() for compilers whose C library has it for others only (clang with glibc).
 *
 * Thread: any. Real-time: yes.
 */
#ifndef WR_COMPLEX_VALUES_H
#define WR_COMPLEX_VALUES_H

#include <complex.h>

/* re + i im, infinite and negative zero parts as they are, which re + I * im does not keep. */
#ifndef CMPLX
#define CMPLX(re, im) __builtin_complex((double)(re), (double)(im))
#endif

#endif
