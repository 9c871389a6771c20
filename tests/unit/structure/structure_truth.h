/* The incidence of structure_models.c, drawn from a seed, for the model and for its tests. Thread: any. Real-time: yes. */
#ifndef STRUCTURE_TRUTH_H
#define STRUCTURE_TRUTH_H

#include "wrsim/model.h"

/* Relations without a declaration come after the patterns. */
enum { TRUTH_D_Y = WRSIM_PATTERN_COUNT, TRUTH_M_X, TRUTH_M_Z, TRUTH_Z_X, TRUTH_COUNT };

typedef struct truth {
    int seed;
    int n[WRSIM_KIND_COUNT];
} truth;

static const struct {
    wrsim_kind row, column;
} truth_shapes[TRUTH_COUNT] = {
    [WRSIM_X_X] = {WRSIM_STATE, WRSIM_STATE},
    [WRSIM_U_X] = {WRSIM_STATE, WRSIM_INPUT},
    [WRSIM_X_Y] = {WRSIM_OUTPUT, WRSIM_STATE},
    [WRSIM_U_Y] = {WRSIM_OUTPUT, WRSIM_INPUT},
    [WRSIM_X_Z] = {WRSIM_INDICATOR, WRSIM_STATE},
    [WRSIM_U_Z] = {WRSIM_INDICATOR, WRSIM_INPUT},
    [WRSIM_Z_D] = {WRSIM_DISCRETE, WRSIM_INDICATOR},
    [WRSIM_D_X] = {WRSIM_STATE, WRSIM_DISCRETE},
    [WRSIM_D_Z] = {WRSIM_INDICATOR, WRSIM_DISCRETE},
    [TRUTH_D_Y] = {WRSIM_OUTPUT, WRSIM_DISCRETE},
    [TRUTH_M_X] = {WRSIM_STATE, WRSIM_INDICATOR},
    [TRUTH_M_Z] = {WRSIM_INDICATOR, WRSIM_INDICATOR},
    [TRUTH_Z_X] = {WRSIM_STATE, WRSIM_INDICATOR},
};

static inline uint32_t truth_hash(int seed, int relation, int row, int column)
{
    uint32_t h = (uint32_t)seed * 2654435761u + (uint32_t)relation * 40503u +
                 (uint32_t)row * 7919u + (uint32_t)column * 104729u;
    h ^= h >> 15;
    h *= 2246822519u;
    h ^= h >> 13;
    h *= 3266489917u;
    return h ^ (h >> 16);
}

static inline truth truth_of(int seed)
{
    truth t = {.seed = seed};
    static const wrsim_kind kinds[] = {WRSIM_STATE, WRSIM_DISCRETE, WRSIM_INPUT, WRSIM_OUTPUT,
                                       WRSIM_INDICATOR};
    for (int i = 0; i < 5; i++)
        t.n[kinds[i]] = 1 + (int)(truth_hash(seed, 100, i, 0) % 6u);
    return t;
}

static inline int truth_has(const truth *t, int relation, int row, int column)
{
    const uint32_t sparse = relation == TRUTH_M_Z || relation == WRSIM_D_Z ? 5u : 3u;
    return truth_hash(t->seed, relation, row, column) % sparse == 0;
}

#endif
