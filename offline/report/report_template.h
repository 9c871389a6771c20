/* The parts of a page between its data, made by embed_page.py at build time. Thread: constant. Real-time: no. */
#ifndef WR_REPORT_TEMPLATE_H
#define WR_REPORT_TEMPLATE_H

#include <stddef.h>

/* The page of wrsim report is part 0, the data, part 1, the summary, part 2. */
enum { WR_REPORT_PARTS = 3 };

typedef struct wr_report_part {
    const char *text;
    size_t n_bytes; /* 0 in all parts: the build found no Dygraphs */
} wr_report_part;

extern const wr_report_part wr_report_template[WR_REPORT_PARTS];
/* The page of wrsim run --live. */
extern const wr_report_part wr_live_template[1];

#endif
