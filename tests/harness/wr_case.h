/* A relaxed run from a config text, optionally with an observer. Config errors are printed and fail the test. */
#ifndef WR_CASE_H
#define WR_CASE_H

#include "wr_test.h"

#include "runtime/relax/engine.h"
#include "runtime/relax/engine_place.h"
#include "runtime/sim/build_components.h"

typedef struct wr_case {
    wr_settings *settings;
    wr_assembly *assembly;
    wr_team *team;
    wr_engine *engine;
} wr_case;

/* Returns engine options with the given window rule and window lengths, in seconds. */
static inline wr_engine_options wr_case_options(const wr_window_rule *rule, double initial_s,
                                                double min_s, double max_s)
{
    return (wr_engine_options){.window_rule = rule,
                               .relaxation = {.scheme = WR_SCHEME_JACOBI,
                                              .window_initial_s = initial_s,
                                              .window_min_s = min_s,
                                              .window_max_s = max_s,
                                              .max_sweeps = 20,
                                              .convergence = 1.0,
                                              .tolerance_first = 1.0,
                                              .active_set = 1,
                                              .acceleration = WR_ACCELERATE_NONE},
                               .fixed_degree = -1,
                               .event_tolerance_s = 1e-9,
                               .max_event_iterations = 100,
                               .cap_node = 4096};
}

/* Builds assembly, team and engine with the given options. observer may be NULL. */
static inline void wr_case_create(wr_case *c, const char *text, int n_worker,
                                  const wr_engine_options *options, wr_observer *observer)
{
    wr_diag diag = {0};
    memset(c, 0, sizeof *c);
    c->settings = wr_settings_parse(text, strlen(text), "case.toml", NULL, 0, &diag);
    if (c->settings)
        c->assembly = wr_build_components_create(c->settings, NULL, NULL, &diag);
    for (int i = 0; i < diag.n_items; i++)
        print_error("%s:%d: %s\n", diag.items[i].file, diag.items[i].line, diag.items[i].text);
    assert_int_equal(diag.n_items, 0);
    wr_diag_done(&diag);
    int cpu[16];
    for (int i = 0; i < n_worker; i++)
        cpu[i] = -1;
    const wr_team_options team = {.n_worker = n_worker, .cpu = cpu, .spin_us = 20.0};
    c->team = wr_team_create(&team);
    assert_non_null(c->team);
    const wr_assembly *const a = c->assembly;
    wr_wiring *const parts = WR_NEW_ARRAY(a->arena, wr_wiring, a->n_subsystem);
    for (int i = 0; i < a->n_subsystem; i++) {
        const wr_setup *const m = &a->setup[i];
        m->subsystem->work_per_rhs = 1.0;
        parts[i] = (wr_wiring){.subsystem = m->subsystem,
                               .arena = a->arena,
                               .producer = m->link.producer,
                               .input_start = m->link.input_start,
                               .signal_name = m->link.signal_name,
                               .level = m->link.level};
    }
    c->engine = wr_engine_place(a->arena, options, parts, a->n_subsystem, c->team);
    assert_non_null(c->engine);
    if (observer)
        wr_engine_observe(c->engine, observer);
    wrsim_error err;
    if (wr_engine_start(c->engine, &err) < 0) {
        print_error("%s\n", err.text);
        fail();
    }
}

static inline void wr_case_destroy(wr_case *c)
{
    wr_team_destroy(&c->team);
    wr_engine_close(c->engine);
    wr_build_components_destroy(&c->assembly);
    wr_settings_destroy(&c->settings);
}

#endif
