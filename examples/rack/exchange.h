/* The plant's side of the exchange: sends a measurement each step and says which command holds until the next one.
 *
 * Policy: a step without a new command holds the last one; after safe_after such steps in a row the safe command holds, and
 * nobody is waited for any more, until a command comes again. What that means for the run is the caller's (is_silent).
 *
 * Thread: one owner. Real-time: yes, but for the waiting that wait_ns asks for.
 */
#ifndef RACK_EXCHANGE_H
#define RACK_EXCHANGE_H

#include "inbox.h"
#include "link.h"

typedef struct rack_exchange {
    /* To be set by the caller. */
    rack_link *link;
    int64_t
        wait_ns; /* for the answer to this step's measurement, in all; 0: takes what is there (paced) */
    int safe_after;
    double safe_command;
    rack_inbox inbox; /* its session */
    /* Inside, to be read. */
    double command;
    int n_silent; /* steps in a row without a new command */
    int is_silent;
    int64_t n_step, n_held, n_safe; /* n_held + n_safe: steps without a new command */
    int64_t n_unsent;               /* measurements that nobody was there for */
    int64_t n_limited;              /* commands outside of 0 to 1, brought there */
} rack_exchange;

/* Returns the command for the step that begins with this measurement. */
double rack_exchange_step(rack_exchange *exchange, double time_s, const double value[RACK_VALUES]);

/* Tells the controller that this was all. link is the undamaged one. */
void rack_exchange_end(const rack_exchange *exchange, rack_link *link);

#endif
