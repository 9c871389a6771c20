/* A thread that calls a function periodically beside the main thread. It draws progress lines.
 *
 * The thread blocks all signals except signals of its own faults, so that other signals reach the main thread.
 *
 * Thread: main; the ticker's thread calls tick. Real-time: no.
 */
#ifndef WR_TICKER_H
#define WR_TICKER_H

#include <stdint.h>

typedef struct wr_ticker wr_ticker;

/* Calls tick(context) every pause_ns of wall time, first after pause_ns. Returns NULL if no thread or memory is
 * available. */
wr_ticker *wr_ticker_start(int64_t pause_ns, void (*tick)(void *context), void *context);
/* Stops the thread at once; no call of tick follows. Sets the pointer to NULL. Accepts NULL. */
void wr_ticker_stop(wr_ticker **ticker);

#endif
