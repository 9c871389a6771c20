/* The table of keys. A new key is a row of this table and a member of the struct of its section (settings_simulation.h,
 * settings_slack.h, settings_machine.h).
 *
 * Reasons for defaults that the help does not give:
 * - communication_step: 500 us, as in the engine runs of Ben Khaled et al. (2011), section 4 (docs/METHODS.md, Sources), limited
 *   by the length of the run (settings_scalars.c).
 * - window.initial, window.min, window.max: multiples of the communication step, or of a shorter run (settings_data.h).
 * - event_tolerance, chatter_time: from the steps and the resolution of time (ode_tolerances.h and event_iteration.c in
 *   subsystems/ode).
 * - atol_factor: FMI 2.0.1, section 2.1.5: absolute tolerance = 0.01 rtol nominal.
 * - max_stuck_events: a Zeno sequence of bounces ends with an event in every one to four event_tolerance. A chatter_time of 1000
 *   event_tolerance then has at least 250 events, so 100 detects every such sequence.
 * - convergence, solver_tolerance_factor: (assumed) below 1, because the steps of a subsystem's solver are longer than the steps of
 *   a single solver. Every event of the model ends a step of the single solver (docs/lab/2026-11-22-tolerances.md).
 * - spin_us: (assumed) 50 us is as fast as 300 us, and 5 us is slower (docs/lab/2026-11-23-busy-machine.md).
 *
 * Thread: any (constant). Real-time: no. */
#include "runtime/config/keys.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/config/settings_data.h"
#include "subsystems/solvers/integrator_list.h"

#define AT(section, field) offsetof(wr_settings, section.field)
/* The text of a number that is a macro. */
#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)
/* The names of integrators as a single text. */
#define FIRST_NAME(name) #name
#define NEXT_NAME(name) ", " #name
/* Parts of the row of relaxation.scheme, from entries of WR_SCHEME_LIST. */
#define FIRST_SCHEME(NAME, value, driver, relaxes, help) #value
#define NEXT_SCHEME(NAME, value, driver, relaxes, help) "|" #value
#define SCHEME_HELP(NAME, value, driver, relaxes, help) help " "

_Static_assert(AT(output, signals) == WR_KEY_ITEMS_OFFSET(AT(output, n_signals)), "signals");
_Static_assert(AT(scheduler, cores) == WR_KEY_ITEMS_OFFSET(AT(scheduler, n_cores)), "cores");
_Static_assert(AT(solver, alpha) == WR_KEY_ITEMS_OFFSET(AT(solver, n_alpha)), "alpha");
_Static_assert(AT(solver, beta) == WR_KEY_ITEMS_OFFSET(AT(solver, n_beta)), "beta");

/* clang-format off: one row is one block */
const wr_key wr_keys[] = {
    {"simulation.start", WR_KEY_REAL, "s", "0.0", -1e30, 1e30, NULL,
     "Simulated time at which the run begins. Change it if time-dependent models have another "
     "origin of time.",
     AT(simulation, start_s), 1, WR_KEY_USER},
    {"simulation.stop", WR_KEY_REAL, "s", NULL, -1e30, 1e30, NULL,
     "Simulated time at which the run ends; greater than simulation.start. Set it to the end of "
     "the experiment, on a communication point if the result must contain it.",
     AT(simulation, stop_s), 1, WR_KEY_USER},
    {"simulation.communication_step", WR_KEY_AUTO_REAL, "s", "\"auto\"", 1e-24, 1e30, NULL,
     "Distance of the communication points, counted from simulation.start, at which the run "
     "records results. \"auto\" is 500e-6, but at most a tenth and at least a millionth of the "
     "run. Set it to record other points.",
     AT(simulation, communication_step_s), 1, WR_KEY_USER},
    {"simulation.rtol", WR_KEY_REAL, "1", "1e-6", 1e-14, 0.1, NULL,
     "Relative tolerance of the results; solvers use at most 1e-4 to 1e-3, depending on method and "
     "grouping. Lower it for more accurate results.",
     AT(simulation, rtol), 1, WR_KEY_USER},
    {"simulation.atol_factor", WR_KEY_REAL, "1", "0.01", 1e-12, 1e6, NULL,
     "Factor in the absolute tolerance of a variable, which is rtol * atol_factor * nominal value. "
     "Lower it if values far below their nominal value matter.",
     AT(simulation, atol_factor), 1, WR_KEY_EXPERT},
    {"simulation.event_tolerance", WR_KEY_AUTO_REAL, "s", "\"auto\"", 1e-30, 1e30, NULL,
     "Largest delay with which the run locates a state event, at least the resolution of time. "
     "\"auto\" is 1e-4 rtol times the step that contains the event. Set a time if indicators are "
     "expensive and such delays do not matter.",
     AT(simulation, event_tolerance_s), 1, WR_KEY_USER},
    {"simulation.max_event_iterations", WR_KEY_INTEGER, "1", "100", 1, 1e6, NULL,
     "Largest number of rounds of events at one instant; more rounds end the run with an error. "
     "Raise it for models with long chains of events.",
     AT(simulation, max_event_iterations), 1, WR_KEY_EXPERT},
    {"simulation.max_stuck_events", WR_KEY_INTEGER, "1", "100", 1, 1e9, NULL,
     "Largest number of state events within simulation.chatter_time; more events end the run with "
     "an error. Raise it for models with very frequent events.",
     AT(simulation, max_stuck_events), 1, WR_KEY_EXPERT},
    {"simulation.chatter_time", WR_KEY_AUTO_REAL, "s", "\"auto\"", 1e-30, 1e30, NULL,
     "Time within which more than simulation.max_stuck_events state events count as chattering. "
     "\"auto\" is 1000 times simulation.event_tolerance, or 1000 times the resolution of time if "
     "this is longer. Shorten it if the run stops a fast model for chattering.",
     AT(simulation, chatter_time_s), 1, WR_KEY_EXPERT},
    {"simulation.event_blocks", WR_KEY_INTEGER, "1", "2000", 1, 1e9, NULL,
     "Least number of indicators at which a subsystem divides its indicators into independent "
     "blocks, "
     "which it evaluates separately. Lower it if a subsystem of independent parts evaluates "
     "indicators too often.",
     AT(simulation, event_blocks), 0, WR_KEY_EXPERT},
    {"simulation.monolithic", WR_KEY_AUTO_FLAG, "", "false", 0, 0, NULL,
     "true integrates all components as one subsystem and ignores [[subsystem]]. \"auto\" does so "
     "if one solver takes less work, on one core, at the beginning of the run. Set \"auto\" if it "
     "is unknown whether the split saves work.",
     AT(simulation, monolithic), 1, WR_KEY_USER},
    {"simulation.points", WR_KEY_CHOICE, "", "\"off\"", 0, 0, "off|count|spend",
     "Count of the points at which the run evaluates components, by purpose (count), also with "
     "a wait of component.cost at each point (spend). Set count to see the purposes, and spend to "
     "time a split as if models were expensive.",
     AT(simulation, points), 1, WR_KEY_EXPERT},

    {"relaxation.scheme", WR_KEY_CHOICE, "", "\"auto\"", 0, 0,
     WR_SCHEME_LIST(FIRST_SCHEME, NEXT_SCHEME),
     "Coupling of the subsystems. " WR_SCHEME_LIST(
         SCHEME_HELP, SCHEME_HELP) "Choose jacobi or gauss_seidel if results of different versions "
                                   "or settings must have the same windows.",
     AT(relaxation, scheme), 1, WR_KEY_USER},
    {"relaxation.scheme_workers", WR_KEY_INTEGER, "1", "2", 1, 4096, NULL,
     "Number of workers for which relaxation.scheme = \"auto\" chooses; the results do not depend "
     "on scheduler.workers. Set it to the number of cores on which the config usually runs.",
     AT(relaxation, scheme_workers), 1, WR_KEY_USER},
    {"relaxation.window.initial", WR_KEY_AUTO_REAL, "s", "\"auto\"", 1e-24, 1e30, NULL,
     "Initial length of windows; with window.control = \"work\" the first window has a sixteenth "
     "of this length, or the length window.min with a subsystem without rollback. \"auto\" is a "
     "communication step, limited by window.min and window.max. Shorten it if the first windows "
     "are rejected.",
     AT(relaxation, window_initial_s), 1, WR_KEY_USER},
    {"relaxation.window.min", WR_KEY_AUTO_REAL, "s", "\"auto\"", 1e-30, 1e30, NULL,
     "Least length of windows that the rule or a rejection chooses, at least the resolution of "
     "time; \"auto\" is 1e-5 communication steps. A window before the run's end or an event, or "
     "with too many nodes, may be shorter. Lower it if the run ends because relaxation does not "
     "converge.",
     AT(relaxation, window_min_s), 1, WR_KEY_USER},
    {"relaxation.window.max", WR_KEY_AUTO_REAL, "s", "\"auto\"", 1e-24, 1e30, NULL,
     "Length of the longest window; \"auto\" is 1000 communication steps. Lower it if long windows "
     "are often rejected.",
     AT(relaxation, window_max_s), 1, WR_KEY_USER},
    {"relaxation.window.control", WR_KEY_STRING, "", "\"work\"", 0, 0, NULL,
     "Rule for the window length: least work per simulated second (work), ratio of two convergence "
     "measures (ratio), or the initial length (fixed). Choose fixed for windows of known "
     "length.",
     AT(relaxation, window_control), 1, WR_KEY_USER},
    {"relaxation.max_sweeps", WR_KEY_INTEGER, "1", "12", 1, 1000, NULL,
     "Number of sweeps above which the run shortens a window, if a shorter window is allowed and "
     "contracts faster. The run does so as soon as it expects more sweeps. Raise it if windows "
     "converge slowly but steadily.",
     AT(relaxation, max_sweeps), 1, WR_KEY_EXPERT},
    {"relaxation.convergence", WR_KEY_REAL, "1", "0.1", 1e-6, 1e3, NULL,
     "Largest accepted effect on a subsystem of the changes of its inputs in the last sweep, in "
     "units of the tolerance. Lower it if a split run has larger errors than one solver.",
     AT(relaxation, convergence), 1, WR_KEY_USER},
    {"relaxation.error_limit", WR_KEY_REAL, "1", "0.0", 0, 1e12, NULL,
     "Limit of the estimated splitting error, in units of simulation.rtol times the signal's "
     "range; 0 = no limit. Set it to detect inaccurate splits; their runs then end with exit code "
     "8.",
     AT(relaxation, error_limit), 1, WR_KEY_USER},
    {"relaxation.max_work", WR_KEY_REAL, "1", "1000.0", 0.0, 1e300, NULL,
     "Largest expected work of a split run, in units of the work of one solver for the whole "
     "model; 0 = no limit. Raise it if a slow split run must finish.",
     AT(relaxation, max_work), 1, WR_KEY_EXPERT},
    {"relaxation.on_failure", WR_KEY_CHOICE, "", "\"one_solver\"", 0, 0, "one_solver|stop",
     "Reaction of `wrsim` to a failed relaxation: start again as one subsystem (one_solver), or "
     "end with the error (stop). A run with FMUs of co-simulation always ends with the error. "
     "Choose stop to examine a failed split.",
     AT(relaxation, on_failure), 1, WR_KEY_USER},
    {"relaxation.solver_tolerance_factor", WR_KEY_REAL, "1", "0.2", 1e-6, 1.0, NULL,
     "Factor on simulation.rtol for the solvers of a split run. Lower it if a split run has larger "
     "errors than one solver.",
     AT(relaxation, solver_tolerance_factor), 1, WR_KEY_USER},
    {"relaxation.tuned_rtol", WR_KEY_REAL, "1", "0.0", 0.0, 0.1, NULL,
     "Value of simulation.rtol below which solver_tolerance_factor and convergence shrink in "
     "proportion, to a tenth at least; 0 = never. Set it if a split run at a tight rtol has larger "
     "errors than one solver.",
     AT(relaxation, tuned_rtol), 1, WR_KEY_EXPERT},
    {"relaxation.tolerance_first", WR_KEY_REAL, "1", "1.0", 1.0, 1e6, NULL,
     "Factor on the solvers' tolerances in the first sweep of a window that is expected to take "
     "three sweeps or more. Raise it if windows take many sweeps and solvers take many steps.",
     AT(relaxation, tolerance_first), 1, WR_KEY_EXPERT},
    {"relaxation.ahead", WR_KEY_FLAG, "", "false", 0, 0, NULL,
     "true lets the first level of Gauss-Seidel sweeps begin each window while the other levels "
     "integrate the window before. Set true if models are expensive and workers wait.",
     AT(relaxation, ahead), 1, WR_KEY_EXPERT},
    {"relaxation.prediction", WR_KEY_CHOICE, "", "\"auto\"", 0, 0,
     "auto|hold|linear|quadratic|cubic",
     "Extrapolation of the inputs into a new window; auto chooses for each signal. Choose hold if "
     "extrapolated inputs leave the range of a model.",
     AT(relaxation, prediction), 1, WR_KEY_EXPERT},
    {"relaxation.active_set", WR_KEY_FLAG, "", "true", 0, 0, NULL,
     "true skips subsystems whose inputs have not changed since their last integration of the "
     "window. Set false to compare with sweeps of all subsystems.",
     AT(relaxation, active_set), 1, WR_KEY_EXPERT},
    {"relaxation.acceleration", WR_KEY_CHOICE, "", "\"auto\"", 0, 0, "auto|none|anderson",
     "Acceleration of the sweeps. anderson: Newton's step for algebraic loops, then Anderson's "
     "method. auto: anderson if an algebraic loop crosses subsystems, else none. Set anderson if a "
     "tight coupling takes many sweeps.",
     AT(relaxation, acceleration), 1, WR_KEY_EXPERT},
    {"relaxation.max_nodes", WR_KEY_AUTO, "1", "\"auto\"", 16, 1e7, NULL,
     "Largest number of waveform nodes of a subsystem in one window. \"auto\" is 64 to 4096. Lower "
     "it if memory is not sufficient.",
     AT(relaxation, max_nodes), 1, WR_KEY_EXPERT},
    {"relaxation.history.period", WR_KEY_REAL, "", "0.0", 0.0, 1e30, NULL,
     "Period of the waveforms that predictions repeat, in units of relaxation.history.phase, or in "
     "seconds without a phase; 0 = no history. Set it for cyclic models, such as engines.",
     AT(relaxation, history_period), 1, WR_KEY_USER},
    {"relaxation.history.phase", WR_KEY_STRING, "", "\"\"", 0, 0, NULL,
     "Output (component.variable) that always grows, such as a crank angle, and that measures the "
     "period; \"\" = time. Set it if the duration of a period varies.",
     AT(relaxation, history_phase), 1, WR_KEY_USER},
    {"relaxation.history.max_nodes", WR_KEY_INTEGER, "1", "16384", 64, 1e8, NULL,
     "Number of stored waveform nodes per subsystem, at least twice relaxation.max_nodes; half of "
     "them should span a period. Raise it if a period has more nodes.",
     AT(relaxation, history_nodes), 1, WR_KEY_EXPERT},

    {"slack.period", WR_KEY_REAL, "s", "0.0", 0.0, 1e30, NULL,
     "Time between two exchanges of outputs; 0 = simulation.communication_step. Shorten it if "
     "delay errors are too large.",
     AT(slack, period_s), 1, WR_KEY_USER},
    {"slack.shortest_period", WR_KEY_REAL, "s", "0.0", 0.0, 1e30, NULL,
     "Shortest period of a connection that \"shorten\" of slack.on_loc may choose: slack.period "
     "divided by 2, 4, 8 ... 1024; 0 = a sixteenth of slack.period. Lower it if delay errors stay "
     "above their limit.",
     AT(slack, shortest_period_s), 1, WR_KEY_USER},
    {"slack.bound", WR_KEY_INTEGER, "1", "1", -1, 1000, NULL,
     "Largest age of an input that a subsystem reads without a wait, in periods; 0 = results "
     "independent of the clock, -1 = no waits. Set 0 if delay errors are too large.",
     AT(slack, bound), 1, WR_KEY_USER},
    {"slack.sweeps", WR_KEY_INTEGER, "1", "1", 1, 100, NULL,
     "Number of integrations of each period; all but the first read the waveforms of the same "
     "period, so subsystems wait as with slack.bound = 0. Raise it if delay errors are too large.",
     AT(slack, sweeps), 1, WR_KEY_USER},
    {"slack.delays", WR_KEY_CHOICE, "", "\"live\"", 0, 0, "live|fixed|drawn",
     "Age of inputs: as it results from the run (live), slack.delay periods (fixed), or random up "
     "to "
     "slack.delay periods (drawn). Choose fixed or drawn to study delays that do not depend on a "
     "clock.",
     AT(slack, delays), 1, WR_KEY_USER},
    {"slack.delay", WR_KEY_INTEGER, "1", "1", 0, 1000, NULL,
     "Age of inputs, in periods: every age with slack.delays = \"fixed\", the largest age with "
     "\"drawn\". Set it to the delay to be studied.",
     AT(slack, delay), 1, WR_KEY_USER},
    {"slack.seed", WR_KEY_INTEGER, "1", "1", 0, 2147483647, NULL,
     "Seed of the random ages with slack.delays = \"drawn\". Change it to draw other ages.",
     AT(slack, seed), 1, WR_KEY_USER},
    {"slack.watch", WR_KEY_INTEGER, "1", "0", 0, 1000000, NULL,
     "Interval between estimates of the delay error, in periods of a subsystem; 0 = no estimates. "
     "Set it to see delay errors; with 1 the run needs two to three times the right-hand sides.",
     AT(slack, watch), 1, WR_KEY_USER},
    {"slack.eps_loc", WR_KEY_REAL, "1", "0.0", 0.0, 1e12, NULL,
     "Limit of the error that stale inputs cause in one step of a solver, relative to the state; 0 "
     "= no limit. Set it together with slack.watch to detect large errors.",
     AT(slack, eps_loc), 1, WR_KEY_USER},
    {"slack.eps_glo", WR_KEY_REAL, "1", "0.0", 0.0, 1e12, NULL,
     "Limit of the estimated error of a state by all delays so far, relative to the state; 0 = no "
     "limit. Set it together with slack.watch to detect large errors.",
     AT(slack, eps_glo), 1, WR_KEY_USER},
    {"slack.on_loc", WR_KEY_CHOICE, "", "\"warn\"", 0, 0, "log|warn|shorten|wait|relax|stop",
     "Reaction to a delay error above slack.eps_loc: count it (log), report it at the end (warn), "
     "end the run (stop), or bound the errors. shorten divides the period of the worst connection "
     "by 2, 4, 8 ..., "
     "wait waits for its producer, and relax integrates each period up to four times. Choose "
     "shorten, wait or relax to bound errors.",
     AT(slack, on_loc), 1, WR_KEY_USER},
    {"slack.on_glo", WR_KEY_CHOICE, "", "\"warn\"", 0, 0, "log|warn|shorten|wait|relax|stop",
     "Reaction to a delay error above slack.eps_glo, with the choices of slack.on_loc. Choose "
     "shorten, wait or relax to bound errors.",
     AT(slack, on_glo), 1, WR_KEY_USER},
    {"slack.log", WR_KEY_STRING, "", "\"\"", 0, 0, NULL,
     "File for the versions that each subsystem reads in every period, in a format of output.file; "
     "\"\" = none. Set it to replay the run by slack.replay.",
     AT(slack, log), 0, WR_KEY_USER},
    {"slack.replay", WR_KEY_STRING, "", "\"\"", 0, 0, NULL,
     "File that slack.log of a run of the same config has written; this run then has the same "
     "results, bit by bit. \"\" = none. Set it to examine a live run.",
     AT(slack, replay), 0, WR_KEY_USER},

    {"realtime.rate", WR_KEY_REAL, "1", "0.0", 0.0, 1e6, NULL,
     "Simulated seconds per second of wall time; 0 = as fast as possible. Set 1 for a loop with "
     "hardware.",
     AT(realtime, rate), 1, WR_KEY_USER},
    {"realtime.deadline", WR_KEY_REAL, "s", "0.0", 0.0, 1e6, NULL,
     "Wall time from the beginning of a period to its deadline; 0 = the beginning of the next "
     "period. Set it if the host needs outputs earlier.",
     AT(realtime, deadline_s), 1, WR_KEY_USER},
    {"realtime.misses", WR_KEY_INTEGER, "1", "0", 0, 1e6, NULL,
     "Number of missed steps that are allowed among realtime.of successive steps. Raise it if the "
     "application tolerates single misses.",
     AT(realtime, misses), 1, WR_KEY_USER},
    {"realtime.of", WR_KEY_INTEGER, "1", "1", 1, 1e6, NULL,
     "Number of successive steps to which realtime.misses applies; a step is a miss if any "
     "subsystem misses its deadline. Set it together with realtime.misses.",
     AT(realtime, of), 1, WR_KEY_USER},
    {"realtime.policy", WR_KEY_CHOICE, "", "\"report\"", 0, 0, "report|hold|degrade|stop",
     "Reaction to more than realtime.misses misses: report them at the end (report), hold the "
     "values of output ports (hold), end the run (stop), or degrade. degrade loosens tolerances "
     "and omits sweeps until realtime.of steps are in time. Choose the reaction that the hardware "
     "tolerates.",
     AT(realtime, policy), 1, WR_KEY_USER},
    {"realtime.degraded_tolerance", WR_KEY_REAL, "1", "10.0", 1.0, 1e6, NULL,
     "Factor on the solvers' tolerances while realtime.policy = \"degrade\" acts. Raise it if "
     "degraded steps are still late.",
     AT(realtime, degraded_tolerance), 1, WR_KEY_EXPERT},
    {"realtime.soft", WR_KEY_FLAG, "", "false", 0, 0, NULL,
     "true switches realtime.policy off, so the run only counts misses. Set it to measure on a "
     "machine without settings for real time.",
     AT(realtime, soft), 1, WR_KEY_USER},
    {"realtime.catch_up", WR_KEY_REAL, "s", "1.0", 1e-6, 1e6, NULL,
     "Longest delay, in wall time, that the run makes up by faster steps; a longer delay shifts "
     "the schedule. Lower it if fast steps after a delay disturb the hardware.",
     AT(realtime, catch_up_s), 0, WR_KEY_EXPERT},
    {"realtime.wait", WR_KEY_CHOICE, "", "\"sleep\"", 0, 0, "sleep|mixed|spin",
     "Way in which workers wait for the next period: asleep (sleep), spinning for the last 100 us "
     "(mixed), or always spinning (spin). Choose mixed or spin if steps begin too late and the "
     "cores are free.",
     AT(realtime, wait), 0, WR_KEY_USER},
    {"realtime.priority", WR_KEY_INTEGER, "1", "0", 0, 99, NULL,
     "SCHED_FIFO priority of the workers; 0 = normal scheduling. Set it if other programs delay "
     "the run.",
     AT(realtime, priority), 0, WR_KEY_USER},
    {"realtime.lock_memory", WR_KEY_FLAG, "", "false", 0, 0, NULL,
     "true locks all memory of the process, so that the system swaps no page out. Set it for runs "
     "with deadlines.",
     AT(realtime, lock_memory), 0, WR_KEY_USER},
    {"realtime.strict", WR_KEY_FLAG, "", "false", 0, 0, NULL,
     "true ends the run at its beginning if the system refuses priority, cores or locked memory; "
     "false only reports the refusal. Set it if the run is useless without these rights.",
     AT(realtime, strict), 0, WR_KEY_USER},
    {"realtime.jitter", WR_KEY_FLAG, "", "false", 0, 0, NULL,
     "true measures the wake-up delay of the machine during the run, by a thread without other "
     "work. Set it to see whether late steps come from the machine.",
     AT(realtime, jitter), 0, WR_KEY_USER},

    {"scheduler.workers", WR_KEY_AUTO, "1", "\"auto\"", 1, 4096, NULL,
     "Number of worker threads; \"auto\" is one per physical core, at most one per subsystem. Set "
     "it to leave cores to other programs.",
     AT(scheduler, workers), 0, WR_KEY_USER},
    {"scheduler.cores", WR_KEY_INTEGERS, "", "[]", 0, 65535, NULL,
     "Logical numbers of the physical cores to use, as `wrsim topology` prints them; [] = all. Set "
     "it to leave certain cores to other programs.",
     AT(scheduler, n_cores), 0, WR_KEY_USER},
    {"scheduler.event_threads", WR_KEY_FLAG, "", "false", 0, 0, NULL,
     "true lets idle workers evaluate the indicators of a single subsystem with at least "
     "simulation.event_blocks indicators, except in real time. Set it if no other program needs "
     "the cores.",
     AT(scheduler, event_threads), 0, WR_KEY_EXPERT},
    {"scheduler.smt", WR_KEY_FLAG, "", "false", 0, 0, NULL,
     "true also uses the second hardware thread of each core. Set it if there are more subsystems "
     "than cores and a measurement shows a gain.",
     AT(scheduler, smt), 0, WR_KEY_EXPERT},
    {"scheduler.pin", WR_KEY_FLAG, "", "true", 0, 0, NULL,
     "true pins each worker, if possible, to a core that no other run of wrsim uses. Set false if "
     "another program places the threads.",
     AT(scheduler, pin), 0, WR_KEY_USER},
    {"scheduler.spin_us", WR_KEY_REAL, "us", "300.0", 0.0, 1e6, NULL,
     "Time that a waiting worker spins before it sleeps. Lower it on a machine with other load.",
     AT(scheduler, spin_us), 0, WR_KEY_EXPERT},
    {"scheduler.min_work", WR_KEY_REAL, "1", "1000.0", 0.0, 1e12, NULL,
     "Least counted work per window for each further worker; two workers need a tenth of it. A "
     "right-hand side counts 10, plus 1 per state and 0.25 per indicator. 0 = always all workers. "
     "Lower it if more workers are faster.",
     AT(scheduler, min_work), 0, WR_KEY_EXPERT},
    {"scheduler.topology", WR_KEY_STRING, "", "\"\"", 0, 0, NULL,
     "Description of a synthetic machine, in the format of hwloc, for the placement of workers; "
     "\"\" = this machine. Set it in tests of placement.",
     AT(scheduler, topology), 0, WR_KEY_EXPERT},

    {"output.file", WR_KEY_STRING, "", "\"\"", 0, 0, NULL,
     "Result file, whose extension selects the format (`wrsim run --help` lists the extensions); "
     "\"\" = none. Set it to keep the results.",
     AT(output, file), 0, WR_KEY_USER},
    {"output.signals", WR_KEY_STRINGS, "", "[]", 0, 0, NULL,
     "Names of recorded signals as component.variable, or patterns with * and ?; [] = all outputs "
     "and states. Set it to make result files smaller.",
     AT(output, n_signals), 1, WR_KEY_USER},
    {"output.decimation", WR_KEY_INTEGER, "1", "1", 1, 1e9, NULL,
     "Number of communication points per recorded point. Raise it to make result files smaller.",
     AT(output, decimation), 1, WR_KEY_USER},
    {"output.points", WR_KEY_FLAG, "", "true", 0, 0, NULL,
     "true records communication points. Set false to record the rows at events only, in a long "
     "run "
     "of which only the events matter.",
     AT(output, points), 1, WR_KEY_USER},
    {"output.start", WR_KEY_REAL, "s", "-inf", -HUGE_VAL, 1e30, NULL,
     "Simulated time at which recording begins, at most simulation.stop; -inf = simulation.start. "
     "Set it to omit a transient.",
     AT(output, start_s), 1, WR_KEY_USER},
    {"output.events", WR_KEY_FLAG, "", "true", 0, 0, NULL,
     "true also records the rows just before (l) and just after (r) every event. Set false to "
     "record communication points only.",
     AT(output, events), 1, WR_KEY_USER},
    {"output.waves", WR_KEY_FLAG, "", "false", 0, 0, NULL,
     "true also records the waveforms that subsystems publish, node by node (HDF5 only). Set it to "
     "play the waveforms later by `kind = \"replay\"`.",
     AT(output, waves), 1, WR_KEY_USER},
    {"output.log", WR_KEY_FLAG, "", "true", 0, 0, NULL,
     "true also records the event log and the windows (`wrsim events RESULT` prints them). Set "
     "false to make result files smaller.",
     AT(output, log), 1, WR_KEY_USER},
    {"output.json", WR_KEY_STRING, "", "\"\"", 0, 0, NULL,
     "File for the machine-readable summary; \"\" = none. Set it if a script evaluates the run.",
     AT(output, json), 0, WR_KEY_USER},

    {"solver.kind", WR_KEY_STRING, "", "\"auto\"", 0, 0, NULL,
     "Integration method: " WR_INTEGRATOR_LIST(
         FIRST_NAME, NEXT_NAME) ". Choose another method if it takes less work for the model.",
     AT(solver, kind), 1, WR_KEY_USER},
    {"solver.step", WR_KEY_REAL, "s", "0.0", 0.0, 1e30, NULL,
     "Step of a fixed-step method, or largest step of a variable-step method; 0 = no limit. Set it "
     "for fixed steps, or if a solver misses short pulses.",
     AT(solver, step_s), 1, WR_KEY_USER},
    {"solver.min_step", WR_KEY_REAL, "s", "0.0", 0.0, 1e30, NULL,
     "Step below which the integration fails; 0 = the limit of floating-point times. Raise it to "
     "end runs with ever shorter steps earlier.",
     AT(solver, min_step_s), 1, WR_KEY_EXPERT},
    {"solver.rtol", WR_KEY_REAL, "1", "0.0", 0.0, 0.1, NULL,
     "Relative tolerance of the solver, limited to 1e-3; 0 = derived from simulation.rtol. Set it "
     "if a subsystem needs another accuracy.",
     AT(solver, rtol), 1, WR_KEY_USER},
    {"solver.linear_solver", WR_KEY_CHOICE, "", "\"auto\"", 0, 0, "auto|dense|sparse",
     "Linear algebra of implicit methods; auto is dense for small subsystems and sparse for large "
     "ones. Choose dense if the module 'klu' is not installed.",
     AT(solver, linear_solver), 1, WR_KEY_EXPERT},
    {"solver.max_order", WR_KEY_INTEGER, "1", "0", 0, 12, NULL,
     "Highest order of cvode_bdf (at most 5), cvode_adams (at most 12) and lsoda (12, or 5 where "
     "stiff); 0 = the limit of the method. Lower it for weakly damped oscillations, where high "
     "orders of BDF are unstable.",
     AT(solver, max_order), 1, WR_KEY_EXPERT},
    {"solver.spare_steps", WR_KEY_INTEGER, "1", "-1", -1, 1e6, NULL,
     "Number of extra steps for events that a fixed-step method may make until the next "
     "communication point, period or window; -1 = no bound. Set it for runs with deadlines.",
     AT(solver, spare_steps), 1, WR_KEY_USER},
    {"solver.budget", WR_KEY_INTEGER, "1", "0", 0, 2147483647, NULL,
     "Largest number of right-hand sides that a method with error control may evaluate until the "
     "next communication point, period or window; 0 = no bound. Set it for runs with deadlines.",
     AT(solver, budget), 1, WR_KEY_USER},
    {"solver.over_budget", WR_KEY_CHOICE, "", "\"finish\"", 0, 0, "finish|fail",
     "Reaction to a spent solver.spare_steps or solver.budget: finish with less accurate, counted "
     "steps (finish), or end the run (fail). Choose fail if such results are useless.",
     AT(solver, over_budget), 1, WR_KEY_USER},
    {"solver.pattern", WR_KEY_STRING, "", "\"\"", 0, 0, NULL,
     "Matrix Market file with the entries of the Jacobian that linimp uses, relative to the config "
     "file's folder; \"\" = all entries. Set it to a file of `wrsim sparse` to make steps faster.",
     AT(solver, pattern), 1, WR_KEY_USER},
    {"solver.code", WR_KEY_STRING, "", "\"\"", 0, 0, NULL,
     "Shared object, compiled from a file of `wrsim codegen`, that factorises the matrices of "
     "linimp; relative to the config file's folder; \"\" = KLU. Set it for factorisations of "
     "constant duration.",
     AT(solver, code), 1, WR_KEY_USER},
    {"solver.alpha", WR_KEY_REALS, "", "[]", -1e12, 1e12, NULL,
     "Factors of the states, the new one first, in the formula sum alpha_j x_{n-j} = step * sum "
     "beta_j f_{n-j} of kind = \"multistep\". Set them to a formula that converges, as `wrsim "
     "stability` shows.",
     AT(solver, n_alpha), 1, WR_KEY_USER},
    {"solver.beta", WR_KEY_REALS, "", "[]", -1e12, 1e12, NULL,
     "Factors of the slopes, the new one first, in the formula of solver.alpha; missing factors "
     "are zero. Set them together with solver.alpha; a first factor other than zero makes the "
     "method implicit.",
     AT(solver, n_beta), 1, WR_KEY_USER},

    {.path = NULL},
};

const wr_gone_key wr_gone_keys[] = {
    {"relaxation.relaxation_factor", "delete the line; acceleration chooses the factor"},
    {"relaxation.anderson_depth", "delete the line; Anderson's method uses five sweeps"},
    {"subsystem.follows", "write 'history_source'"},
    {NULL, NULL},
};

const wr_gone_value wr_gone_values[] = {
    {"relaxation.acceleration", "aitken", "use \"anderson\""},
    {"relaxation.acceleration", "relaxation", "use \"anderson\""},
    {"relaxation.tolerance_first", "auto", "remove it, or write a number"},
    {NULL, NULL, NULL},
};

const wr_table wr_tables[] = {
    [WR_LIST_COMPONENT] =
        {"component",
         "One instance of a model.",
         {{"name", "string, required",
           "Unique name of the component: a letter or `_`, then letters, digits and `_`."},
          {"model", "string, or `fmu`",
           "Name of a built-in model or of a model in a plug-in. Set this key or `fmu`."},
          {"fmu", "string, or `model`",
           "Path of an FMU (FMI 2.0 or 3.0), relative to the config file's folder. Set it for a "
           "model of another tool."},
          {"mode", "`\"me\"` or `\"cs\"`",
           "Kind of the FMU. With `\"me\"`, model exchange, a solver of wrsim integrates the FMU. "
           "With `\"cs\"`, co-simulation, the FMU advances itself in a subsystem of its own. The "
           "default is model exchange, if the FMU has this kind. Set it for an FMU with both "
           "kinds."},
          {"event_mode", "`true` or `false`",
           "Whether steps of co-simulation end at the events of the FMU (FMI 3.0); `true` by "
           "default, if the FMU has event mode. With `false`, the FMU handles its events inside of "
           "steps. Set it to `false` for an FMU with wrong results in event mode."},
          {"parameters", "table",
           "Values that replace the model's defaults: numbers, `true` or `false`, and texts and "
           "names in quotes. Set the parameters that `wrsim models MODEL` lists, if this instance "
           "differs from the defaults."},
          {"start", "table of numbers",
           "Start values of states, and values of unconnected inputs, in place of the model's "
           "values. Set them to begin in another state."},
          {"tolerance_factor",
           "number, " TEXT(WR_KEY_LEAST_FACTOR) " to " TEXT(WR_KEY_LARGEST_FACTOR),
           "Factor on the solver's relative and absolute tolerance for the states of this "
           "component; 1 by default. Lower it if small errors of the component affect other "
           "components, raise it if they affect no result."},
          {"cost", "number, s, 0 to " TEXT(WR_KEY_LARGEST_COST),
           "Time of one evaluation of the component at one point; 0 by default, for cheap models. "
           "The cost weighs the component in the choice of window lengths, the order of subsystems "
           "and "
           "workers, and in the advice of `wrsim check`, `wrsim partition --groups` and `wrsim "
           "bench`. Set it for expensive models."},
          {"time_scale", "number, s, above 0, or `inf`",
           "Length of the shortest pulse or half wave of the component's outputs and derivatives "
           "in time, with constant inputs and states and without events. `inf`: no equation reads "
           "the time, or all equations are linear in time. A shorter declaration of the model "
           "counts. Set it for an FMU with long steps, which wrsim otherwise searches for pulses "
           "at 20 points of each communication step."},
          {"process", "`\"auto\"` or `\"own\"`",
           "With `\"own\"`, the component runs in a process of its own, and a crash of its model "
           "ends the run with an error and complete results. With `\"auto\"`, the default, only "
           "further components of a model that allows one instance in a process have a process of "
           "their own. Set it to `\"own\"` for a model that crashes, or that clashes with other "
           "models."}}},
    [WR_LIST_CONNECTION] = {"connection",
                            "An output drives an input.",
                            {{"from", "string, required",
                              "Output that drives the inputs, as `component.variable`."},
                             {"to", "string or list, required",
                              "Input or inputs that the output drives, as `component.variable`."},
                             {"signals", "list of strings",
                              "Signals of a connection between two components: the common name of "
                              "output and input, or `\"output -> input\"`. Set them, with "
                              "components as `from` and `to`, to connect many signals."},
                             {"period", "number, s",
                              "Time between two exchanges of a connection across subsystems, with "
                              "`relaxation.scheme = \"slack\"`: `slack.period` divided by 2, 4, 8 "
                              "... 1024. Set it for connections with large delay errors."},
                             {"factor", "number, not 0",
                              "Factor on the value of the output in the unit of the input; 1 by "
                              "default. Set it to -1 if the ends have opposite signs."},
                             {"offset", "number",
                              "Number that the connection adds after `factor`, in the unit of the "
                              "input; 0 by default. Set it if the ends have different zeros."},
                             {"convert", "true or false",
                              "Conversion from the unit of the output to the unit of the input; "
                              "true by default. Set it to false if a declared unit is wrong."}}},
    [WR_LIST_SUBSYSTEM] =
        {"subsystem",
         "Components that one solver integrates together.",
         {{"name", "string, required",
           "Unique name of the subsystem: a letter or `_`, then letters, digits and `_`."},
          {"components", "list of strings, required",
           "Names of the components that the solver integrates together, or patterns with `*` and "
           "`?`."},
          {"kind", "string",
           "Source of the outputs: a solver (`\"components\"`, the default) or a result file "
           "(`\"replay\"`). Choose `\"replay\"` to simulate only the other subsystems."},
          {"file", "string, with `kind = \"replay\"`",
           "Result file to play, relative to the config file's folder; best recorded with "
           "`output.waves`."},
          {"solver", "table",
           "Keys of `[solver]` for this subsystem only. Set them if the subsystem needs another "
           "method, step or tolerance."},
          {"history_source", "string",
           "Subsystem with the same outputs, or this subsystem, whose earlier waveforms predict "
           "the waveforms of this subsystem; needs `relaxation.history.period`. Set it if "
           "this subsystem repeats the outputs of another subsystem later, such as the cylinders "
           "of an engine."},
          {"lag", "number, > 0, < period, with `history_source`",
           "Delay of this subsystem behind `history_source`, in units of the phase. Set it to the "
           "phase by which this subsystem is later."},
          {"level", "whole number, 0 to " TEXT(WR_KEY_MOST_LEVEL),
           "Level of the subsystem in a Gauss-Seidel sweep: lower levels are integrated first, "
           "subsystems of one level at once. Set it for all subsystems if the order that the "
           "connections give is too slow."}}},
    [WR_LIST_PLUGIN] =
        {"plugin",
         "A file with further models: a shared object, or a state-space file of `wrsim reduce`.",
         {{"file", "string, required", "Path of the file, relative to the config file's folder."}}},
    [WR_LIST_PORT] =
        {"port",
         "A place where a host that embeds wrsim sets an input or reads a signal (`wrsim/port.h`).",
         {{"name", "string, required",
           "Unique name of the port: a letter or `_`, then letters, digits and `_`."},
          {"to", "string or list, or `from`",
           "Inputs that this input port drives, as `component.variable`; no connection may drive "
           "these inputs. Set it, or `from`."},
          {"start", "number, with `to`",
           "Value of the port until the host sets one; by default the start value of the first "
           "input. Set it if the default is no sensible first value."},
          {"mode", "string, with `to`",
           "Course of the input after the host sets a value: a jump (`\"hold\"`, the default), or "
           "a ramp over one communication step (`\"ramp\"`). Choose `\"ramp\"` for continuous "
           "signals."},
          {"from", "string, or `to`",
           "Output, state or input that the host reads by this output port, as "
           "`component.variable`. Set it, or `to`."}}},
    [WR_LIST_SCENARIO] =
        {"scenario",
         "A change of a signal, a state or a parameter during the run: drive cycles, faults of "
         "sensors and actuators.",
         {{"name", "string",
           "Unique name, also among components, which begins the recorded signals `NAME.value` and "
           "`NAME.is_on`. Set it if a host triggers the scenario."},
          {"signal", "string, or `parameter`",
           "Target of the scenario: an output, for all its readers or those in `to`, or an input; "
           "with `action = \"reset\"` a state or discrete state. Set it, or `parameter`."},
          {"to", "string or list, with an output as `signal`",
           "Inputs that read the changed signal; all other inputs read the output itself. Set it "
           "to disturb single readers."},
          {"parameter", "string, or `signal`",
           "Target `component.parameter`, which the model must declare as tunable and which has "
           "`value` during the scenario. Set it, or `signal`."},
          {"action", "string, with `signal`, or `\"stop\"`",
           "Change of the signal: `\"override\"` (is `value`), `\"bias\"` (plus `value`), "
           "`\"gain\"` (times `value`), `\"ramp\"` (moves to `value` within `ramp_time`), "
           "`\"freeze\"` (keeps the present value). `\"replay\"` plays `file`, and `\"reset\"` "
           "sets a state to `value` once. `\"stop\"` ends the run, and has no target."},
          {"value", "number",
           "Number that the action uses, in the unit of the target; with `\"gain\"` a factor. Set "
           "it for all actions except `\"freeze\"`, `\"replay\"` and `\"stop\"`."},
          {"at", "number or `\"api\"`",
           "Simulated time at which the scenario begins, s. Set `\"api\"`, or neither `at` nor "
           "`when`, if a host triggers the scenario (`wrsim/scenario.h`)."},
          {"when", "string",
           "Condition that begins the scenario when it first becomes true: an output or connected "
           "input, `<` or `>`, and a number, like `\"crank.speed > 3000\"`. Set it if the time is "
           "unknown."},
          {"until", "number",
           "Simulated time at which the scenario ends, s; by default infinity. Set it, or "
           "`duration`, for a change that ends."},
          {"duration", "number, > 0",
           "Duration of the scenario, s. Set it instead of `until` if the time of the beginning is "
           "unknown."},
          {"ramp_time", "number, > 0, with `\"ramp\"`",
           "Time in which `\"ramp\"` moves the signal to `value`, s. Set it for every ramp."},
          {"file", "string, with `\"replay\"`",
           "Result file, or table (`.csv`) with times in the first column and names in the header. "
           "A relative path begins at the config file's folder."},
          {"column", "string, with `\"replay\"`", "Name of the column to play."},
          {"between", "string, with `\"replay\"`",
           "Interpolation between two points: `\"linear\"`, the default, or `\"hold\"`; outside "
           "the recording the first or last value holds. Choose `\"hold\"` for signals that jump."},
          {"offset", "number, with `\"replay\"`",
           "Time in the file at which the scenario begins to play, s; 0 by default. Set it to play "
           "a later part of the file."},
          {"period", "number, > 0, with `\"replay\"`",
           "Time after which the file plays from `offset` again, s. Set it to repeat a cycle."}}},
    [WR_LIST_COUNT] = {NULL, NULL, {{NULL, NULL, NULL}}},
};
/* clang-format on */

const wr_key *wr_key_find(const char *path)
{
    for (const wr_key *key = wr_keys; key->path; key++)
        if (strcmp(key->path, path) == 0)
            return key;
    return NULL;
}

/* Appends text, cut at the end of the buffer. */
static void add_text(char *text, size_t bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void add_text(char *text, size_t bytes, const char *format, ...)
{
    const size_t n = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + n, bytes - n, format, args);
    va_end(args);
}

void wr_key_type_text(const wr_key *key, char *ret_text, size_t bytes)
{
    static const char *const names[] = {
        [WR_KEY_REAL] = "number",
        [WR_KEY_INTEGER] = "whole number",
        [WR_KEY_FLAG] = "true or false",
        [WR_KEY_CHOICE] = "one of ",
        [WR_KEY_STRING] = "string",
        [WR_KEY_STRINGS] = "list of strings",
        [WR_KEY_INTEGERS] = "list of whole numbers",
        [WR_KEY_REALS] = "list of numbers",
        [WR_KEY_AUTO] = "\"auto\" or whole number",
        [WR_KEY_AUTO_REAL] = "\"auto\" or number",
        [WR_KEY_AUTO_FLAG] = "true, false or \"auto\"",
    };
    const int has_range = key->type == WR_KEY_REAL || key->type == WR_KEY_INTEGER ||
                          key->type == WR_KEY_AUTO || key->type == WR_KEY_AUTO_REAL ||
                          key->type == WR_KEY_INTEGERS || key->type == WR_KEY_REALS;
    ret_text[0] = '\0';
    add_text(ret_text, bytes, "%s", names[key->type]);
    for (const char *c = key->type == WR_KEY_CHOICE ? key->choices : ""; *c;) {
        const int n = (int)strcspn(c, "|");
        add_text(ret_text, bytes, "%.*s%s", n, c, c[n] ? ", " : "");
        c += n + (c[n] == '|');
    }
    if (has_range && isinf(key->min))
        add_text(ret_text, bytes, ", up to %.10g", key->max);
    else if (has_range)
        add_text(ret_text, bytes, ", %.10g to %.10g", key->min, key->max);
    if (key->unit[0] && strcmp(key->unit, "1") != 0)
        add_text(ret_text, bytes, ", in %s", key->unit);
}
