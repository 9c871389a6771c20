/* The plant's side of the exchange: sends a measurement each step and returns the command that holds until the next
 * step.
 *
 * Policy: in a step without a new command the last command holds. After safe_after such steps in a row the safe command
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
    /* Members that the caller sets. */
    rack_link *link;
    int64_t wait_ns; /* longest wait for the answer to a measurement, ns; 0: no wait (paced) */
    int safe_after;
    double safe_command;
    rack_inbox inbox; /* packets of the present session */
    /* Members that the caller reads. */
    double command;
    int n_silent; /* steps in a row without a new command */
    int is_silent;
    /* number of steps; of steps with the held command; of steps with the safe command */
    int64_t n_step, n_held, n_safe;
    int64_t n_unsent;  /* number of measurements whose sending failed */
    int64_t n_limited; /* number of commands limited to the range 0 ... 1 */
} rack_exchange;

/* Sends the measurement and returns the command for the step that begins with this measurement. */
double rack_exchange_step(rack_exchange *exchange, double time_s, const double value[RACK_VALUES]);

/* Sends the end of the run to the controller. link: the link without faults. */
void rack_exchange_end(const rack_exchange *exchange, rack_link *link);

#endif
