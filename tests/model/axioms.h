/* Outcomes of a litmus program by the axioms of RC11: tries all reads-from relations and modification orders.
 *
 * Source: Lahav, Vafeiadis, Kang, Hur, Dreyer, "Repairing sequential consistency in C/C++11", PLDI 2017. The axioms are coherence,
 * atomicity and no thin air. The model has no seq_cst and no fences. Release sequences consist of updates only, as in C++20.
 * The file checks weak_memory.h and shares no code with it.
 */
#ifndef WR_AXIOMS_H
#define WR_AXIOMS_H

#include "litmus.h"

void wr_axioms_outcomes(const wr_litmus *litmus, wr_outcomes *ret_outcomes);

#endif
