/* The page of `wrsim report`: one file of HTML with its data, styles and scripts, which needs no network. The page's files page.html, page.css,
 * page.js and sections.js draw the pictures; Dygraphs draws the curves. The build inlines these files (embed_page.py). Thread: one owner.
 * Real-time: no. */
#ifndef WR_REPORT_PAGE_H
#define WR_REPORT_PAGE_H

#include "base/diag.h"

typedef struct wr_report_input {
    const char *result;  /* result file */
    const char *twin;    /* result file of another run of the same signals; NULL: no comparison */
    const char *summary; /* summary of the run as JSON; NULL: not given */
    const char *trace;   /* trace of the run; NULL: not given */
    int n_pattern;       /* 0: all signals */
    const char *const *pattern; /* [n_pattern] names or patterns of signals */
} wr_report_input;

/* Returns the page, from malloc. Returns NULL with err on failure. Causes are those of wr_curves_load(), a summary or trace of a run with
 * another config, a build without Dygraphs (WRSIM_E_CONFIG), and no memory. */
char *wr_report_page(const wr_report_input *input, wrsim_error *err);

#endif
