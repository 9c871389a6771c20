/* The plant's side of the exchange: sends a measurement each step, and returns the commands for the time until the next step.
 *
 * In a step without a new command the plant uses the last command, and before the first command the safe values of signals.h. From the
 * safe_after-th such step in a row on, the plant uses the safe values, and does not wait for answers until a command arrives. is_silent is
 * then 1, and the caller may end the run.
 *
 * Thread: one owner. Real-time: yes, except for the wait of wait_ns.
 */
#ifndef RACK_EXCHANGE_H
#define RACK_EXCHANGE_H

#include "inbox.h"
#include "link.h"

typedef struct rack_exchange {
    /* The caller sets the following members: */
    rack_link *link;
    int64_t wait_ns; /* longest wait for the answer to a measurement, ns; 0: no wait (paced) */
    int safe_after;
    rack_inbox inbox; /* packets of the present session */
    /* The caller reads the following members: */
    double command[RACK_N_COMMAND];
    int n_silent; /* steps in a row without a new command */
    int is_silent;
    int is_refused; /* 1: the controller serves another plant; the caller must end the run */
    /* numbers of all steps, and of steps without a new command: n_held with is_silent 0, n_safe with is_silent 1 */
    int64_t n_step, n_held, n_safe;
    int64_t n_unsent;  /* number of measurements that send() refused */
    int64_t n_limited; /* number of commands limited to their range in signals.h */
} rack_exchange;

/* Sends the measurement and returns the commands for the step that begins with this measurement. */
const double *rack_exchange_step(rack_exchange *exchange, double time_s,
                                 const double value[RACK_N_MEASURED]);

/* Sends the end of the run to the controller, three times. link: the link without faults. */
void rack_exchange_end(const rack_exchange *exchange, rack_link *link);

#endif
