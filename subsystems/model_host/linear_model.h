/* Linear models from state-space files, as `wrsim reduce` writes them: a provider like plug-ins.
 *
 *     z' = A z + B (u - u0) + r        y = y0 + C z + D (u - u0),    z = 0 at the start
 *
 * The file is text, line by line; blank lines and those that begin with '#' say nothing; numbers count from 1; what is not
 * given is 0:
 *
 *     wrsim state space 1             the first line; the format's number
 *     model NAME                      what components call it
 *     states N                        before all that names a state
 *     state I NOMINAL                 of z_I; 1 where it is not given
 *     input NAME UNIT NOMINAL U0      in order, before B and D; UNIT - and NOMINAL 0: not known
 *     output NAME UNIT NOMINAL Y0     in order, before C and D
 *     A ROW COLUMN VALUE              and B, C, D; each place once
 *     rate I VALUE                    r_I
 *
 * Thread: one owner; the models as all. Real-time: no; the models: yes.
 */
#ifndef WR_LINEAR_MODEL_H
#define WR_LINEAR_MODEL_H

#include "subsystems/model_host/provider.h"

/* The first line of every such file. */
#define WR_LINEAR_MODEL_MARK "wrsim state space 1"

extern const wr_provider wr_provider_linear;

#endif
