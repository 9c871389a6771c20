/* The subsystem that plays what a host sets on input ports. Kind "port", made by the program.
 *
 * Thread: one owner. Real-time: no (setup).
 */
#include "runtime/sim/bag.h"
#include "runtime/sim/ports.h"
#include "runtime/sim/scenarios.h"
#include "runtime/sim/setup_played.h"
#include "runtime/sim/setup_room.h"
#include "subsystems/playback/port_player.h"

static wrsim_status create(wr_assembly *a, int i_subsystem, wr_diag *diag)
{
    const wr_settings *const set = a->settings;
    wr_setup *const m = &a->setup[i_subsystem];
    double *const start = WR_TAKE(a->bag, double, m->n_published);
    unsigned char *const is_ramp = WR_TAKE(a->bag, unsigned char, m->n_published);
    wr_port_player_config config = {.start = start, .is_ramp = is_ramp};
    if (!start || !is_ramp)
        return wr_setups_out_of_memory(diag);
    WR_TRY(wr_setups_played(a, m, &config.played, diag));
    int n_input = 0;
    for (int i = 0; i < set->n_ports; i++) {
        if (set->ports[i].n_to == 0)
            continue;
        const int k = n_input++;
        const int signal = a->signal_of[wr_assembly_number(a, a->i_port, WRSIM_OUTPUT, k)];
        start[signal] = wr_ports_start(a, &set->ports[i]);
        is_ramp[signal] = set->ports[i].mode == WR_PORT_RAMP;
    }
    for (int i = 0; i < set->n_scenarios; i++) {
        const int i_api = a->scenarios->scenario[i].i_api;
        const int level = i_api >= 0 ? wr_ports_api_output(set, i_api) + 1 : 0;
        if (i_api >= 0) /* off, which is 0 */
            start[a->signal_of[wr_assembly_number(a, a->i_port, WRSIM_OUTPUT, level)]] =
                set->scenarios[i].value;
    }
    m->subsystem = wr_port_player_create(&config, diag);
    return m->subsystem ? WRSIM_OK : wr_diag_status(diag);
}

const wr_setup_kind wr_setup_port = {.name = "port", .solver = "port", .create = create};
