/* Runs litmus programs as threads of the explorer. See litmus.h. */
#include "litmus.h"

#include <string.h>

typedef struct play {
    const wr_litmus *litmus;
    _Atomic int64_t object[WR_LITMUS_LOCATIONS];
    wr_outcomes *outcomes;
} play;

/* Executes one instruction. number[0] counts instructions; number[i + 1] is the value that instruction i read. */
static int round_of(void *context, int thread, int64_t *number)
{
    play *const p = context;
    const int64_t at = number[0]++;
    const wr_litmus_instruction *const i = &p->litmus->thread[thread][at];
    _Atomic int64_t *const object = &p->object[i->location];
    if (i->kind == WR_LOAD)
        number[at + 1] = wr_model_load(object, i->order);
    else if (i->kind == WR_STORE)
        wr_model_store(object, i->value, i->order);
    else if (i->kind == WR_ADD)
        number[at + 1] = wr_model_fetch_add(object, i->value, i->order);
    else if (i->kind == WR_READ_CELL)
        wr_model_read(p);
    else if (i->kind == WR_WRITE_CELL)
        wr_model_write(p, i->value);
    return i->kind != WR_END && number[0] < WR_LITMUS_INSTRUCTIONS;
}

static void end(void *context, const int64_t *number)
{
    const play *const p = context;
    unsigned code = 0;
    for (int t = 0; t < p->litmus->n_thread; t++)
        for (int i = 0; i < WR_LITMUS_INSTRUCTIONS; i++) {
            const wr_litmus_kind kind = p->litmus->thread[t][i].kind;
            if (kind == WR_END)
                break;
            if (kind == WR_LOAD || kind == WR_ADD)
                code = code << WR_LITMUS_DIGIT | (unsigned)number[t * WR_MODEL_NUMBERS + i + 1];
        }
    p->outcomes->is_there[code] = 1;
}

/* Returns the only thread that writes to the location; 0 if no thread does, -1 if several do. */
static int owner_of(const wr_litmus *litmus, int location)
{
    int owner = -1, n = 0;
    for (int t = 0; t < litmus->n_thread; t++) {
        int writes = 0;
        for (int i = 0; i < WR_LITMUS_INSTRUCTIONS && litmus->thread[t][i].kind != WR_END; i++) {
            const wr_litmus_instruction *const is = &litmus->thread[t][i];
            writes |= (is->kind == WR_STORE || is->kind == WR_ADD) && is->location == location;
        }
        n += writes;
        owner = writes ? t : owner;
    }
    return n == 0 ? 0 : n == 1 ? owner : -1;
}

void wr_litmus_explore(const wr_litmus *litmus, const wr_litmus_how *how, wr_outcomes *ret_outcomes)
{
    play p = {.litmus = litmus, .outcomes = ret_outcomes};
    memset(ret_outcomes, 0, sizeof *ret_outcomes);
    wr_model model = {.n_thread = litmus->n_thread,
                      .n_location = WR_LITMUS_LOCATIONS,
                      .n_cell = 1,
                      .cell = {&p},
                      .round = round_of,
                      .end = end,
                      .context = &p,
                      .most_states = 1 << 24,
                      .does_not_merge = how->does_not_merge};
    static const char *const names[WR_LITMUS_LOCATIONS] = {"x", "y"};
    for (int i = 0; i < WR_LITMUS_LOCATIONS; i++)
        model.location[i] = (wr_model_location){.object = &p.object[i],
                                                .owner = how->has_owners ? owner_of(litmus, i) : -1,
                                                .relaxed = how->relaxed,
                                                .name = names[i]};
    wr_model_result result;
    wr_model_explore(&model, &result);
    ret_outcomes->has_race = result.is_violated;
    ret_outcomes->n_execution = result.n_execution;
}

int wr_litmus_count(const wr_outcomes *outcomes)
{
    int n = 0;
    for (int i = 0; i < WR_LITMUS_OUTCOMES; i++)
        n += outcomes->is_there[i];
    return n;
}
