/* Denormal numbers: states that decay towards zero end in them, and arithmetic on them is an order of
 * magnitude slower (13 x measured, DESIGN 14.15), in the middle of a real-time run. While models are
 * integrated they count as zero: 2.2e-308 is below any absolute tolerance.
 *
 * On processors other than x86-64 with SSE and AArch64 nothing happens.
 *
 * Thread: the calling thread's setting. Real-time: yes.
 */
#ifndef WR_DENORMALS_H
#define WR_DENORMALS_H

#include <stdint.h>

#if defined __SSE__
#include <xmmintrin.h>
#endif

/* The thread's floating-point setting as it was before wr_denormals_flush. */
typedef uint64_t wr_denormals;

#if defined __SSE__

static inline wr_denormals wr_denormals_flush(void)
{
    enum { RESULTS = 1 << 15, OPERANDS = 1 << 6 }; /* FTZ and DAZ of MXCSR */
    const unsigned before = _mm_getcsr();
    _mm_setcsr(before | RESULTS | OPERANDS);
    return before;
}

static inline void wr_denormals_restore(wr_denormals before) { _mm_setcsr((unsigned)before); }

#elif defined __aarch64__

static inline wr_denormals wr_denormals_flush(void)
{
    uint64_t before;
    __asm__ volatile("mrs %0, fpcr" : "=r"(before));
    __asm__ volatile("msr fpcr, %0" : : "r"(before | UINT64_C(1) << 24)); /* FZ */
    return before;
}

static inline void wr_denormals_restore(wr_denormals before)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(before));
}

#else

static inline wr_denormals wr_denormals_flush(void) { return 0; }
static inline void wr_denormals_restore(wr_denormals before) { (void)before; }

#endif

#endif
