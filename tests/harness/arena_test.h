/* The variable `arena` for the tests of a file: created before each test and destroyed after it. */
#ifndef WR_ARENA_TEST_H
#define WR_ARENA_TEST_H

#include "wr_test.h"

#include "base/arena.h"

static wr_arena *arena;

static int make_arena(void **state)
{
    arena = wr_arena_create((size_t)1 << 30);
    return arena == NULL;
}

static int free_arena(void **state)
{
    wr_arena_destroy(&arena);
    return 0;
}

TEST_EACH(make_arena, free_arena)

#endif
