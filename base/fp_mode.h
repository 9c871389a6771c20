/* Floating-point mode of a thread during integration: rounding to nearest, and denormal numbers count as zero.
 *
 * States that decay towards zero become denormal below 2.2e-308, which is below any absolute tolerance. Arithmetic with denormal numbers is
 * slow: denormal numbers double the time of a decayed pair (docs/lab/2026-11-22-what-helped.md). Each thread has its own rounding mode.
 * Without a common mode, results would depend on the worker that integrates.
 *
 * On processors other than x86-64 and AArch64 these functions do nothing.
 *
 * Thread: the calling thread's setting. Real-time: yes.
 */
#ifndef WR_FP_MODE_H
#define WR_FP_MODE_H

#include <stdint.h>

/* A thread's floating-point mode. */
typedef uint64_t wr_fp_mode;

#if defined __SSE2_MATH__

#include <xmmintrin.h>

/* MXCSR at the start of a process: all exceptions masked, no flags, rounding to nearest. A run also sets FTZ and
 * DAZ. */
#define WR_FP_MODE_USUAL UINT64_C(0x1f80)
#define WR_FP_MODE_RUN (WR_FP_MODE_USUAL | UINT64_C(1) << 15 | UINT64_C(1) << 6)
#define WR_FP_MODE_MASK UINT64_C(0xffc0)

static inline wr_fp_mode wr_fp_mode_get(void) { return _mm_getcsr(); }
static inline void wr_fp_mode_restore(wr_fp_mode before) { _mm_setcsr((unsigned)before); }

#elif defined __aarch64__

#define WR_FP_MODE_USUAL UINT64_C(0)
#define WR_FP_MODE_RUN (UINT64_C(1) << 24) /* FZ: denormal numbers count as zero */
#define WR_FP_MODE_MASK UINT64_C(0x7ff9f00)

static inline wr_fp_mode wr_fp_mode_get(void)
{
    uint64_t now;
    __asm__ volatile("mrs %0, fpcr" : "=r"(now));
    return now;
}

static inline void wr_fp_mode_restore(wr_fp_mode before)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(before));
}

#else

#define WR_FP_MODE_USUAL UINT64_C(0)
#define WR_FP_MODE_RUN UINT64_C(0)
#define WR_FP_MODE_MASK UINT64_C(0)

static inline wr_fp_mode wr_fp_mode_get(void) { return WR_FP_MODE_USUAL; }
static inline void wr_fp_mode_restore(wr_fp_mode before) { (void)before; }

#endif

/* Returns 1 if the thread computes in a mode other than `mode`. The comparison ignores exception flags. */
static inline int wr_fp_mode_differs(wr_fp_mode mode)
{
    return ((wr_fp_mode_get() ^ mode) & WR_FP_MODE_MASK) != 0;
}

/* Sets a mode and returns the previous mode, for wr_fp_mode_restore. */
static inline wr_fp_mode wr_fp_mode_set(wr_fp_mode mode)
{
    const wr_fp_mode before = wr_fp_mode_get();
    wr_fp_mode_restore(mode);
    return before;
}

#endif
