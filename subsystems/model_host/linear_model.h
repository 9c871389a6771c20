/* A provider of linear models from state-space files, which `wrsim reduce` writes.
 *
 *     z' = A z + B (u - u0) + r        y = y0 + C z + D (u - u0),    z = 0 at the start
 *
 * The file is text. The reader ignores blank lines and lines that begin with '#'. Indices count from 1. Missing entries and rates are 0:
 *
 *     wrsim state space 1             first line, with the version of the format
 *     model NAME                      model name for components
 *     states N                        before the lines state, A, B, C, D and rate
 *     state I NOMINAL                 nominal value of z_I; default 1
 *     input NAME UNIT NOMINAL U0      in order, before B and D; UNIT - and NOMINAL 0: unknown
 *     output NAME UNIT NOMINAL Y0     in order, before C and D
 *     A ROW COLUMN VALUE              also B, C, D; each entry once
 *     rate I VALUE                    r_I
 *
 * In a NAME or UNIT %20 is a blank, and %25 is '%'.
 *
 * Thread: one owner; callbacks as in wrsim/model.h. Real-time: no; callbacks: yes.
 */
#ifndef WR_LINEAR_MODEL_H
#define WR_LINEAR_MODEL_H

#include "subsystems/model_host/provider.h"

#define WR_LINEAR_MODEL_MARK "wrsim state space 1"

#endif
