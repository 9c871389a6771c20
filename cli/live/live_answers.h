/* Answers of the server of a live view: the page, the names of the signals, and the newest rows and steps as JSON.
 *
 * GET /                        the page
 * GET /signals                 {"generation", "title", "start", "stop", "rate", "period", "n_all", "signals": [[name, unit], ...]}
 * GET /data?g=G&row=R&step=S&s=0,3
 *                              the entries from row R and step S on, of the signals 0 and 3, of the run with generation G:
 *                              {"generation", "state", "text", "n_row", "n_step", "n_miss", "first_row", "row", "t": [...], "v": [[...], ...],
 *                               "first_step", "step", "step_t", "compute", "late", "over"}; "row" and "step" begin the next request. If
 *                               "first_row" is above R, the memory has lost the rows between.
 *
 * If another run has begun, the answer has "generation" only. Times of steps are in ns; null: unknown. A long answer has fewer entries: of
 * each of many spans the entries with the lowest and the highest value of each signal.
 *
 * Thread: one at a time. Real-time: no.
 */
#ifndef WR_LIVE_ANSWERS_H
#define WR_LIVE_ANSWERS_H

#include <stdatomic.h>

#include "runtime/live/http_server.h"
#include "runtime/live/live_memory.h"

/* Largest number of signals of one request. */
enum { WR_LIVE_SHOWN = 16 };

typedef struct wr_live_answers {
    const wr_live *live;
    /* wall time of the last request; 0: no request yet; relaxed: no other data depend on the time */
    _Atomic int64_t asked_ns;
} wr_live_answers;

/* Answers a request. context: a wr_live_answers. Has the type wr_http_answer_fn. */
void wr_live_answer(void *context, const wr_http_request *request, wr_http_answer *ret_answer);

#endif
