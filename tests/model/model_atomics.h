/* Redirects the atomic accesses of sources included later to the explorer: int64_t with explicit orders, no fences. */
#ifndef WR_MODEL_ATOMICS_H
#define WR_MODEL_ATOMICS_H

#include <stdatomic.h>

#include "explorer.h"

#undef atomic_load_explicit
#undef atomic_store_explicit
#undef atomic_fetch_add_explicit
#define atomic_load_explicit(object, order) wr_model_load((object), (order))
#define atomic_store_explicit(object, value, order) wr_model_store((object), (value), (order))
#define atomic_fetch_add_explicit(object, value, order)                                            \
    wr_model_fetch_add((object), (value), (order))

/* Operations outside of the model do not compile. */
#undef atomic_init
#undef atomic_load
#undef atomic_store
#undef atomic_exchange
#undef atomic_exchange_explicit
#undef atomic_compare_exchange_strong
#undef atomic_compare_exchange_strong_explicit
#undef atomic_compare_exchange_weak
#undef atomic_compare_exchange_weak_explicit
#undef atomic_fetch_add
#undef atomic_fetch_sub
#undef atomic_fetch_sub_explicit
#undef atomic_fetch_or
#undef atomic_fetch_or_explicit
#undef atomic_fetch_xor
#undef atomic_fetch_xor_explicit
#undef atomic_fetch_and
#undef atomic_fetch_and_explicit
#undef atomic_thread_fence
#undef atomic_signal_fence
#define atomic_init not_modelled
#define atomic_load not_modelled
#define atomic_store not_modelled
#define atomic_exchange not_modelled
#define atomic_exchange_explicit not_modelled
#define atomic_compare_exchange_strong not_modelled
#define atomic_compare_exchange_strong_explicit not_modelled
#define atomic_compare_exchange_weak not_modelled
#define atomic_compare_exchange_weak_explicit not_modelled
#define atomic_fetch_add not_modelled
#define atomic_fetch_sub not_modelled
#define atomic_fetch_sub_explicit not_modelled
#define atomic_fetch_or not_modelled
#define atomic_fetch_or_explicit not_modelled
#define atomic_fetch_xor not_modelled
#define atomic_fetch_xor_explicit not_modelled
#define atomic_fetch_and not_modelled
#define atomic_fetch_and_explicit not_modelled
#define atomic_thread_fence not_modelled
#define atomic_signal_fence not_modelled

#endif
