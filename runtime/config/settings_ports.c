/* [[port]]: values that a host sets or reads. The graph checks the names of signals later. Thread: one owner. Real-time: no. */
#include "runtime/config/settings_readers.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/names.h"

static const char ITEM[] = "[[port]]";
static const char *const modes[WR_PORT_MODE_COUNT] = {
    [WR_PORT_HOLD] = "hold", [WR_PORT_RAMP] = "ramp"};

static void read_start(wr_settings_work *work, const wr_toml *item, wr_set_port *port)
{
    const wr_toml *const start = wr_settings_member(item, "start");
    port->start = (double)NAN;
    if (!start || !wr_settings_is_number(work, start, ITEM))
        return;
    if (isfinite(start->real))
        port->start = start->real;
    else
        wr_settings_error(work, &start->where, "'start' of %s must be a finite number", ITEM);
}

/* Reads 'to' or 'from'. Returns 1 if the ends are valid. */
static int read_ends(wr_settings_work *work, const wr_toml *item, wr_set_port *port)
{
    const wr_toml *const to = wr_settings_member(item, "to");
    const wr_toml *const from = wr_settings_member(item, "from");
    if (to && from) {
        wr_settings_error(work, &from->where,
                          "%s has 'to' and 'from'; write two ports, one for each", ITEM);
        return 0;
    }
    if (to) {
        if (!wr_settings_texts(work, item, "to", ITEM, 1))
            return 0;
        int is_good = 1;
        port->to = wr_settings_variables(work, to, "to", &is_good);
        port->n_to = is_good && port->to ? wr_settings_count_of(to) : 0;
        return is_good;
    }
    if (from) {
        /* An output port does not have these keys. */
        static const char *const keys[] = {"start", "mode"};
        for (size_t i = 0; i < WR_COUNT_OF(keys); i++) {
            const wr_toml *const value = wr_settings_member(item, keys[i]);
            if (value)
                wr_settings_error(
                    work, &value->where,
                    "'%s' of %s belongs to 'to', but this port has 'from'; remove the key", keys[i],
                    ITEM);
        }
        if (!wr_settings_texts(work, item, "from", ITEM, 0) ||
            !wr_settings_check_variable(work, from, "from"))
            return 0;
        port->from = (wr_set_name){.name = from->string, .where = from->where};
        return 1;
    }
    if (!wr_settings_is_misspelt(item, "to") && !wr_settings_is_misspelt(item, "from"))
        wr_settings_error(work, &item->where,
                          "%s needs 'to', the input that it sets, or 'from', the signal that it "
                          "shows",
                          ITEM);
    return 0;
}

void wr_settings_read_ports(wr_settings_work *work, const wr_toml *list)
{
    wr_set_port *const items =
        wr_heap_pool_take(work->memory, (size_t)list->n_children, sizeof *items);
    wr_set_name *const names =
        wr_heap_pool_take(work->memory, (size_t)list->n_children, sizeof *names);
    int n_items = 0;
    for (const wr_toml *item = list->first; item && items && names; item = item->next) {
        wr_set_port *const p = &items[n_items++];
        int is_good = wr_settings_check_members(work, item, WR_LIST_PORT) == 0;
        p->where = item->where;
        p->name = wr_settings_name(work, item, ITEM);
        names[n_items - 1] = (wr_set_name){.name = p->name, .where = p->where};
        is_good &= read_ends(work, item, p);
        read_start(work, item, p);
        if (wr_settings_member(item, "mode"))
            p->mode = wr_settings_choice(work, item, "mode", ITEM, modes, WR_PORT_MODE_COUNT);
        if (!is_good || !p->name)
            work->settings->is_partial[WR_LIST_PORT] = 1;
    }
    wr_settings_check_names(work, "port", names, n_items);
    work->settings->ports = items;
    work->settings->n_ports = n_items;
}
