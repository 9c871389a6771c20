/* The module 'openmp'. See group_threads.h.
 *
 * Thread: one owner. Real-time: no.
 */
#include <omp.h>
#include <stdint.h>

#include "base/module.h"
#include "subsystems/group_threads.h"

static int count(int n_wanted)
{
    int n = 0;
#pragma omp parallel num_threads(n_wanted) reduction(+ : n)
    n++;
    return n;
}

static void share(int n_thread, int n, void (*work)(void *context, int first, int end),
                  void *context)
{
#pragma omp parallel num_threads(n_thread)
    {
        const int64_t i = omp_get_thread_num(), n_team = omp_get_num_threads();
        work(context, (int)(n * i / n_team), (int)(n * (i + 1) / n_team));
    }
}

static const wr_group_threads ops = {.count = count, .share = share};

const wr_module wrsim_module = {WRSIM_VERSION_STRING, &ops};
