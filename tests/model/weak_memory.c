/* Memory of messages and views. See weak_memory.h. */
#include "weak_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(wr_wm_message) == 8 + WR_WM_LOCATIONS + WR_WM_THREADS + 4,
               "no padding: it is hashed by bytes");
_Static_assert(sizeof(wr_wm_cell) == 8 + 2 + WR_WM_THREADS + 2,
               "no padding: it is hashed by bytes");
_Static_assert(sizeof(wr_weak_memory) ==
                   WR_WM_LOCATIONS + WR_WM_THREADS * sizeof(wr_wm_view) +
                       WR_WM_LOCATIONS * WR_WM_MESSAGES * sizeof(wr_wm_message) +
                       WR_WM_CELLS * sizeof(wr_wm_cell),
               "no padding: it is hashed by bytes");

void wr_wm_start(wr_weak_memory *memory)
{
    memset(memory, 0, sizeof *memory);
    memset(memory->n_message, 1, sizeof memory->n_message);
    for (int t = 0; t < WR_WM_THREADS; t++)
        memory->view[t].clock[t] = 1;
}

void wr_wm_set(wr_weak_memory *memory, int location, int64_t value)
{
    memory->message[location][0].value = value;
}

static void join(wr_wm_view *to, const wr_wm_view *from)
{
    for (int i = 0; i < WR_WM_LOCATIONS; i++)
        to->at[i] = from->at[i] > to->at[i] ? from->at[i] : to->at[i];
    for (int i = 0; i < WR_WM_THREADS; i++)
        to->clock[i] = from->clock[i] > to->clock[i] ? from->clock[i] : to->clock[i];
}

int wr_wm_may_load(const wr_weak_memory *memory, int thread, int location, int i_message)
{
    return i_message >= memory->view[thread].at[location] &&
           i_message < memory->n_message[location];
}

/* Returns 1 if the thread may store behind message i_message - 1. No store may come between a message and its update. */
int wr_wm_may_store(const wr_weak_memory *memory, int thread, int location, int i_message)
{
    const int n = memory->n_message[location];
    return i_message > memory->view[thread].at[location] && i_message <= n &&
           !(i_message < n && memory->message[location][i_message].is_update);
}

int wr_wm_may_update(const wr_weak_memory *memory, int thread, int location, int i_message)
{
    return wr_wm_may_load(memory, thread, location, i_message) &&
           wr_wm_may_store(memory, thread, location, i_message + 1);
}

int64_t wr_wm_load(wr_weak_memory *memory, int thread, int location, int i_message, int is_acquire)
{
    const wr_wm_message *const from = &memory->message[location][i_message];
    wr_wm_view *const view = &memory->view[thread];
    view->at[location] = (uint8_t)i_message;
    if (is_acquire)
        join(view, &from->view);
    return from->value;
}

static void shift(wr_wm_view *view, int location, int from)
{
    view->at[location] += view->at[location] >= from;
}

/* Inserts an empty message at i_message. insert() increments the indices of later messages, in all views too. */
static wr_wm_message *insert(wr_weak_memory *memory, int location, int i_message)
{
    wr_wm_message *const list = memory->message[location];
    const int n = memory->n_message[location];
    if (n == WR_WM_MESSAGES) {
        fprintf(stderr, "more than %d messages of a location\n", (int)WR_WM_MESSAGES);
        abort();
    }
    for (int t = 0; t < WR_WM_THREADS; t++)
        shift(&memory->view[t], location, i_message);
    for (int x = 0; x < WR_WM_LOCATIONS; x++)
        for (int i = 0; i < memory->n_message[x]; i++)
            shift(&memory->message[x][i].view, location, i_message);
    memmove(list + i_message + 1, list + i_message, (size_t)(n - i_message) * sizeof *list);
    memset(list + i_message, 0, sizeof *list);
    memory->n_message[location]++;
    return list + i_message;
}

void wr_wm_store(wr_weak_memory *memory, int thread, int location, const wr_wm_write *write)
{
    wr_wm_message *const message = insert(memory, location, write->i_message);
    wr_wm_view *const view = &memory->view[thread];
    message->value = write->value;
    view->at[location] = message->view.at[location] = (uint8_t)write->i_message;
    if (write->is_release) {
        join(&message->view, view);
        view->clock[thread]++;
    }
}

int64_t wr_wm_update(wr_weak_memory *memory, int thread, int location, const wr_wm_write *write)
{
    const int64_t before =
        wr_wm_load(memory, thread, location, write->i_message, write->is_acquire);
    const wr_wm_write next = {.value = before + write->value,
                              .i_message = write->i_message + 1,
                              .is_release = write->is_release};
    wr_wm_store(memory, thread, location, &next);
    wr_wm_message *const list = memory->message[location];
    list[next.i_message].is_update = 1;
    join(&list[next.i_message].view, &list[write->i_message].view);
    return before;
}

int wr_wm_read_cell(wr_weak_memory *memory, int thread, int cell, int64_t *ret_value)
{
    wr_wm_cell *const c = &memory->cell[cell];
    const uint8_t *const clock = memory->view[thread].clock;
    *ret_value = c->value;
    c->read_epoch[thread] = clock[thread];
    return c->write_epoch > clock[c->writer];
}

int wr_wm_write_cell(wr_weak_memory *memory, int thread, int cell, int64_t value)
{
    wr_wm_cell *const c = &memory->cell[cell];
    const uint8_t *const clock = memory->view[thread].clock;
    int is_race = c->write_epoch > clock[c->writer];
    for (int t = 0; t < WR_WM_THREADS; t++)
        is_race |= c->read_epoch[t] > clock[t];
    c->value = value;
    c->writer = (uint8_t)thread;
    c->write_epoch = clock[thread];
    return is_race;
}
