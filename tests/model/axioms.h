/* Which outcomes a litmus program has by the axioms of RC11, found by trying all reads-from and modification orders.
 *
 * Source: Lahav, Vafeiadis, Kang, Hur, Dreyer, "Repairing sequential consistency in C/C++11", PLDI 2017: coherence,
 * atomicity, no thin air; no seq_cst, no fences, release sequences of updates only (as C++20 has them). It shares
 * nothing with weak_memory.h, which it checks.
 */
#ifndef WR_AXIOMS_H
#define WR_AXIOMS_H

#include "litmus.h"

void wr_axioms_outcomes(const wr_litmus *litmus, wr_outcomes *ret_outcomes);

#endif
