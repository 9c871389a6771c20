/* The plant's side of the exchange: sends a measurement each step and returns the command that holds until the next
 * step.
 *
 * Policy: in a step without a new command the last one holds. After safe_after such steps in a row the safe command
 * holds, and the plant waits for no answer until a command arrives again. The caller decides whether the run ends then
 * (is_silent).
 *
 * Thread: one owner. Real-time: yes, except for the wait of wait_ns.
 */
#ifndef RACK_EXCHANGE_H
#define RACK_EXCHANGE_H

#include "inbox.h"
#include "link.h"

typedef struct rack_exchange {
    /* Set by the caller. */
    rack_link *link;
    int64_t wait_ns; /* longest wait for the answer to a measurement, ns; 0: no wait (paced) */
    int safe_after;
    double safe_command;
    rack_inbox inbox; /* packets of this session */
    /* Read by the caller. */
    double command;
    int n_silent; /* steps in a row without a new command */
    int is_silent;
    /* steps; steps with the held command; steps with the safe command */
    int64_t n_step, n_held, n_safe;
    int64_t n_unsent;  /* measurements that could not be sent */
    int64_t n_limited; /* commands limited to the range 0 ... 1 */
} rack_exchange;

/* Returns the command for the step that begins with this measurement. */
double rack_exchange_step(rack_exchange *exchange, double time_s, const double value[RACK_VALUES]);

/* Sends the end of the run to the controller. link: the link without faults. */
void rack_exchange_end(const rack_exchange *exchange, rack_link *link);

#endif
