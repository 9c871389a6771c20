/* Result files of trial runs. See trial_files.h. Thread: one owner. Real-time: no. */
#include "offline/trial_files.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto_free.h"
#include "base/check.h"

wrsim_status wr_trial_folder(char ret_path[WR_TRIAL_PATH_BYTES], wrsim_error *err)
{
    const char *const parent = getenv("TMPDIR");
    snprintf(ret_path, WR_TRIAL_PATH_BYTES, "%s/wrsim-trial-XXXXXX",
             parent && strlen(parent) < 32 ? parent : "/tmp");
    if (mkdtemp(ret_path))
        return WRSIM_OK;
    wr_error_set(err, WRSIM_E_IO,
                 "the folder for results '%s' cannot be created: %s; set TMPDIR to another folder, "
                 "with at most 31 characters",
                 ret_path, strerror(errno));
    ret_path[0] = '\0';
    return WRSIM_E_IO;
}

double wr_trial_difference(const wr_results *a, const wr_results *reference,
                           const char **ret_signal)
{
    WR_AUTO_FREE wr_difference *difference = NULL;
    wr_overlap overlap;
    wrsim_error err;
    const int n = wr_results_compare(a, reference, &difference, &overlap, &err);
    *ret_signal = NULL;
    double worst =
        n == reference->n_signal && overlap.n_row == reference->n_row ? 0.0 : (double)INFINITY;
    for (int i = 0; i < n; i++) {
        double size = 0.0;
        int k = 0;
        while (k < reference->n_signal && strcmp(reference->name[k], difference[i].name) != 0)
            k++;
        for (int j = 0; k < reference->n_signal && j < reference->n_row; j++)
            size = wr_max(size,
                          fabs(reference->value[(size_t)k * (size_t)reference->n_row + (size_t)j]));
        const double error = difference[i].max_abs / (size > 0.0 ? size : 1.0);
        if (error > worst) {
            worst = error;
            *ret_signal = k < reference->n_signal ? reference->name[k] : NULL;
        }
    }
    return worst;
}
