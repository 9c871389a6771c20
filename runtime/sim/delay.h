/* Delay errors of a slackened run: their keys, and their part of the error account. What they are: wrsim/delay.h.
 *
 * Thread: one owner. Real-time: no.
 */
#ifndef WR_DELAY_H
#define WR_DELAY_H

#include "base/diag.h"
#include "runtime/config/settings.h"
#include "wrsim/wrsim.h"

/* Of a slackened run, into account, in which the limit is set: the error, and where most of it comes from. */
void wr_delay_account(const wrsim *sim, wrsim_error_account *account);

/* That the keys about them go together. */
void wr_delay_check(const wr_settings *set, wr_diag *diag);

#endif
