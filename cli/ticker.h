/* Something done again and again beside the main thread: what draws progress while that one computes.
 *
 * The thread takes no signals, which are meant for the main thread, but those of its own faults.
 *
 * Thread: main; tick is called by the ticker's own. Real-time: no.
 */
#ifndef WR_TICKER_H
#define WR_TICKER_H

#include <stdint.h>

typedef struct wr_ticker wr_ticker;

/* Calls tick(context) every pause_ns of wall time, first after one. NULL: no thread or memory is to be had. */
wr_ticker *wr_ticker_start(int64_t pause_ns, void (*tick)(void *context), void *context);
/* At once, and after that tick is not called any more; nulls the pointer. Takes NULL. */
void wr_ticker_stop(wr_ticker **ticker);

#endif
