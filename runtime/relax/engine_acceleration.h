/* Acceleration of sweeps: guesses from the last iterates, by Newton's step for algebraic loops or by Anderson's step.
 *
 * Thread: serial section. Real-time: yes.
 */
#ifndef WR_ENGINE_ACCELERATION_H
#define WR_ENGINE_ACCELERATION_H

#include "runtime/relax/engine_parts.h"

/* After a sweep: computes guesses, and estimates the error of the waves that are published. */
void wr_engine_accelerate_sweep(wr_engine *engine);

/* Publishes these guesses, if there are any. */
void wr_engine_publish_guesses(wr_engine *engine);

#endif
