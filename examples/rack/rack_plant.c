/* The plant: the engine of rack.toml in a loop with a controller of its boost pressure.
 *
 *    ./rack_plant                              the controller is in this process
 *    ./rack_plant --link udp --port N          a controller process, by UDP on loopback
 *    ./rack_plant --link shm --name /rack      a controller process, by shared memory
 *
 * In each step the plant sends the values of the output ports, receives a command, sets the input ports, and advances by one communication
 * step. In lock-step (the default) the plant waits for the answer to the measurement. With --pace the plant follows the wall clock and uses
 * the newest command that has arrived. After a run the plant writes a report to stdout, one JSON object.
 *
 * Thread: one. Real-time: the loop allocates nothing.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "arguments.h"
#include "exchange.h"
#include "faults.h"
#include "responder.h"
#include "wrsim/wrsim.h"

typedef struct options {
    const char *config, *link, *name, *results, *on_silence;
    double port, steps, pace, wait_s, safe_after, setpoint_pa, faults, seed;
} options;

/* Statistics of the loop. */
typedef struct record {
    uint64_t digest; /* hash of the bits of all measurements and commands */
    int64_t n_late_step;
    double worst_late_s; /* largest lateness of a step, s of wall time; 0 without --pace */
    double command[RACK_N_COMMAND];
    /* Sums for the mean deviation |boost - set point|, Pa, over firings in the second half of the run. The boost is a mean over one firing,
     * which removes the pulsation of the cylinders. */
    double boost_sum, error_sum;
    int64_t n_boost, n_error;
    const char *end;
    wrsim_status status; /* of the last call of the simulation */
    wrsim_error failure;
} record;

static volatile sig_atomic_t is_interrupted;

static void interrupt(int number)
{
    (void)number;
    is_interrupted = 1;
}

static int read_options(int argc, char **argv, options *o)
{
    const rack_argument table[] = {
        {"--config", NULL, &o->config, 0, 0, "config of the engine (rack.toml)"},
        {"--link", NULL, &o->link, 0, 0, "kind of link: local, udp or shm (local)"},
        {"--port", &o->port, NULL, 1, 65535, "UDP port of the controller"},
        {"--name", NULL, &o->name, 0, 0, "name of the shared memory (/wrsim-rack)"},
        {"--results", NULL, &o->results, 0, 0, "result file (default: the config's)"},
        {"--steps", &o->steps, NULL, 1, 1e9, "number of steps of the loop (600)"},
        {"--pace", &o->pace, NULL, 0, 1e6, "simulated s per wall s; 0: lock-step (0)"},
        {"--wait", &o->wait_s, NULL, 0, 1e6, "lock-step: wait for an answer, s (1)"},
        {"--safe-after", &o->safe_after, NULL, 1, 1e9,
         "steps in a row without a command that make the plant use the safe command (10)"},
        {"--on-silence", NULL, &o->on_silence, 0, 0,
         "action when --safe-after is reached: go-on or stop (go-on)"},
        {"--setpoint", &o->setpoint_pa, NULL, 1e5, 3e5,
         "set point of the boost pressure, Pa, of the local controller and the report (150000)"},
        {"--faults", &o->faults, NULL, 0, 0.2,
         "share of packets that are lost, reordered, duplicated, truncated, random, each (0)"},
        {"--seed", &o->seed, NULL, 0, 1e15, "seed of the faults (1)"},
    };
    const int read = rack_arguments_read(argc, argv, table, (int)(sizeof table / sizeof *table));
    if (read != 0)
        return read;
    if (strcmp(o->link, "local") != 0 && strcmp(o->link, "udp") != 0 && strcmp(o->link, "shm") != 0)
        fprintf(stderr, "rack_plant: --link takes local, udp or shm, not '%s'\n", o->link);
    else if (strcmp(o->link, "udp") == 0 && !(o->port > 0.0))
        fprintf(stderr,
                "rack_plant: --link udp needs --port, the port that rack_controller prints\n");
    else if (strcmp(o->on_silence, "go-on") != 0 && strcmp(o->on_silence, "stop") != 0)
        fprintf(stderr, "rack_plant: --on-silence takes go-on or stop, not '%s'\n", o->on_silence);
    else
        return 0;
    return -1;
}

/* Waits for the wall time of step i_step, which depends only on the start, so that lateness does not accumulate. */
static void pace(const options *o, int64_t start_ns, int64_t i_step, record *r)
{
    const int64_t due_ns = start_ns + (int64_t)((double)i_step * RACK_STEP_S / o->pace * 1e9);
    const int64_t late_ns = rack_now_ns() - due_ns;
    if (late_ns > 0) {
        r->n_late_step++;
        r->worst_late_s = fmax(r->worst_late_s, (double)late_ns * 1e-9);
        return;
    }
    const struct timespec due = {.tv_sec = due_ns / 1000000000, .tv_nsec = due_ns % 1000000000};
    (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
}

/* Names of the ports in the order of signals.h, and their handles. */
#define MEASURED_PORT(index, port) port,
#define COMMANDED_PORT(index, port, least, most, safe) port,
static const char *const measured[] = {RACK_MEASURED(MEASURED_PORT)};
static const char *const commanded[] = {RACK_COMMANDED(COMMANDED_PORT)};
typedef struct ports {
    int measured[RACK_N_MEASURED], commanded[RACK_N_COMMAND];
} ports;

/* Finds n ports of one direction. Returns 0; -1 after an error line on stderr for each missing port. */
static int find_ports(const wrsim *sim, const char *config, wrsim_port_direction direction, int n,
                      const char *const *name, int *ret_port)
{
    int n_missing = 0;
    for (int i = 0; i < n; i++) {
        wrsim_port about;
        ret_port[i] = wrsim_port_find(sim, name[i]);
        if (wrsim_port_info(sim, ret_port[i], &about) == WRSIM_OK && about.direction == direction)
            continue;
        fprintf(stderr,
                "rack_plant: %s has no port '%s' with the key '%s'; add a [[port]], or correct the "
                "row in signals.h\n",
                config, name[i], direction == WRSIM_PORT_INPUT ? "to" : "from");
        n_missing++;
    }
    return n_missing ? -1 : 0;
}

/* Adds the bytes of a value to the digest by the FNV-1a hash of 64 bits. */
static void digest(record *r, double value)
{
    uint8_t bytes[sizeof value];
    memcpy(bytes, &value, sizeof value);
    for (size_t i = 0; i < sizeof bytes; i++)
        r->digest = (r->digest ^ bytes[i]) * 0x100000001b3u;
}

static void note(record *r, const options *o, int64_t i_step, const double *shown,
                 const double *command)
{
    for (int i = 0; i < RACK_N_MEASURED; i++)
        digest(r, shown[i]);
    for (int i = 0; i < RACK_N_COMMAND; i++)
        digest(r, r->command[i] = command[i]);
    if ((double)i_step < o->steps / 2.0)
        return;
    r->boost_sum += shown[RACK_P_IM];
    if (++r->n_boost < RACK_FIRING_STEPS)
        return;
    r->error_sum += fabs(r->boost_sum / RACK_FIRING_STEPS - o->setpoint_pa);
    r->n_error++;
    r->boost_sum = 0.0;
    r->n_boost = 0;
}

static void run(const options *o, wrsim *sim, const ports *p, rack_exchange *x, record *r)
{
    const int64_t start_ns = rack_now_ns();
    const double start_s = wrsim_time(sim);
    r->end = "complete";
    for (int64_t i = 0; (double)i < o->steps; i++) {
        double shown[RACK_N_MEASURED];
        r->status = wrsim_port_get_many(sim, RACK_N_MEASURED, p->measured, shown);
        for (int k = 0; r->status >= 0 && k < RACK_N_MEASURED; k++)
            r->status = isfinite(shown[k]) ? r->status : WRSIM_E_NAN;
        if (r->status < 0) {
            r->end = "failed";
            return;
        }
        const double *const command = rack_exchange_step(x, wrsim_time(sim), shown);
        note(r, o, i, shown, command);
        if (is_interrupted || x->is_refused ||
            (x->is_silent && strcmp(o->on_silence, "stop") == 0)) {
            r->end = is_interrupted  ? "interrupted"
                     : x->is_refused ? "controller busy"
                                     : "no controller";
            return;
        }
        const double to_s = start_s + (double)(i + 1) * RACK_STEP_S;
        r->status = wrsim_port_set_many(sim, RACK_N_COMMAND, p->commanded, command);
        if (r->status >= 0)
            r->status = wrsim_advance(sim, to_s, &r->failure);
        /* An event or realtime.policy = "stop" ends an advance early. */
        if (r->status != WRSIM_OK || wrsim_time(sim) < to_s - 0.5 * RACK_STEP_S) {
            r->end = r->status < 0 ? "failed" : "stopped";
            return;
        }
        if (o->pace > 0.0)
            pace(o, start_ns, i + 1, r);
    }
}

/* Returns the number of a key in the text of a resolved config, or NaN. */
static double setting(const char *text, const char *table, const char *key)
{
    const char *const begin = strstr(text, table);
    const char *const at = begin ? strstr(begin, key) : NULL;
    return at ? strtod(at + strlen(key), NULL) : (double)NAN;
}

/* Refuses a config whose steps do not fit the step of the loop. Returns 0, or -1 after an error line on stderr. */
static int check_steps(const options *o, const wrsim_config *config)
{
    char *const text = wrsim_config_dump(config);
    const double step_s = setting(text ? text : "", "[simulation]\n", "\ncommunication_step = ");
    const double period_s = setting(text ? text : "", "[slack]\n", "\nperiod = ");
    free(text);
    const int is_wrong_step = !(fabs(step_s - RACK_STEP_S) <= 1e-9 * RACK_STEP_S);
    if (!is_wrong_step && period_s <= (1.0 + 1e-9) * RACK_STEP_S)
        return 0;
    fprintf(stderr,
            "rack_plant: %s: %s is %.9g s, but the loop has steps of %.9g s; correct the key, or "
            "change RACK_STEP_S in signals.h\n",
            o->config, is_wrong_step ? "simulation.communication_step" : "slack.period",
            is_wrong_step ? step_s : period_s, RACK_STEP_S);
    return -1;
}

static wrsim *prepare(const options *o)
{
    char results[4096] = "";
    if (o->results) {
        const int n = snprintf(results, sizeof results, "output.file=\"%s\"", o->results);
        if (n < 0 || n >= (int)sizeof results) {
            fprintf(stderr,
                    "rack_plant: the name of the result file is too long; choose a shorter one\n");
            return NULL;
        }
    }
    const char *const overrides[] = {results};
    wrsim_config *config = NULL;
    wrsim *sim = NULL;
    wrsim_error err = {0};
    wrsim_status status =
        wrsim_config_from_file(o->config, overrides, o->results != NULL, NULL, NULL, &config, &err);
    if (status >= 0 && check_steps(o, config) < 0) {
        wrsim_config_destroy(&config);
        return NULL;
    }
    if (status >= 0)
        status = wrsim_create(config, NULL, NULL, &sim, &err);
    if (status >= 0)
        status = wrsim_prepare(sim, &err);
    wrsim_config_destroy(&config);
    if (status < 0) {
        if (err.line > 0)
            fprintf(stderr, "%s:%d: %s\n", err.file, err.line, err.text);
        else
            fprintf(stderr, "%s: %s\n", err.file[0] ? err.file : "rack_plant", err.text);
        wrsim_destroy(&sim);
    }
    return sim;
}

static void report_faults(const char *name, const rack_faults *f)
{
    printf(", \"%s\": {\"messages\": %" PRId64 ", \"lost\": %" PRId64 ", \"reordered\": %" PRId64
           ", \"duplicated\": %" PRId64 ", \"truncated\": %" PRId64 ", \"random\": %" PRId64
           ", \"kept\": %d}",
           name, f->n_message, f->n_lost, f->n_reordered, f->n_duplicated, f->n_truncated,
           f->n_random, f->has_kept);
}

static void report(const record *r, const rack_exchange *x, const rack_faults *up,
                   const rack_faults *down)
{
    const rack_inbox *const in = &x->inbox;
    printf("{\"end\": \"%s\", \"steps\": %" PRId64 ", \"taken\": %" PRId64 ", \"held\": %" PRId64
           ", \"safe\": %" PRId64,
           r->end, x->n_step, in->n_taken, x->n_held, x->n_safe);
    printf(", \"late\": %" PRId64 ", \"duplicate\": %" PRId64 ", \"malformed\": %" PRId64
           ", \"foreign\": %" PRId64 ", \"unsent\": %" PRId64 ", \"limited\": %" PRId64,
           in->n_late, in->n_duplicate, in->n_malformed, in->n_foreign, x->n_unsent, x->n_limited);
    if (r->n_error > 0)
        printf(", \"mean_error_pa\": %.6g", r->error_sum / (double)r->n_error);
    printf(", \"late_steps\": %" PRId64 ", \"worst_late_s\": %.3g, \"digest\": \"%016" PRIx64
           "\", \"last_command\": {",
           r->n_late_step, r->worst_late_s, r->digest);
    for (int i = 0; i < RACK_N_COMMAND; i++)
        printf("%s\"%s\": %.17g", i > 0 ? ", " : "", commanded[i], r->command[i]);
    printf("}");
    report_faults("up", up);
    report_faults("down", down);
    printf("}\n");
}

/* Prints why the run is no success. Returns the exit code. */
static int judge(const options *o, const record *r, const rack_exchange *x, double time_s)
{
    enum { FAILED = 1, NO_CONTROLLER = 3 };
    const int has_failed = strcmp(r->end, "failed") == 0;
    const int is_early = strcmp(r->end, "stopped") == 0;
    /* In lock-step without faults each measurement gets an answer. */
    const int64_t n_silent = x->n_safe + (x->wait_ns > 0 && !(o->faults > 0.0) ? x->n_held : 0);
    if (has_failed)
        fprintf(stderr, "rack_plant: %s\n",
                r->failure.text[0] ? r->failure.text : wrsim_status_text(r->status));
    if (is_early)
        fprintf(stderr,
                "rack_plant: the simulation ended at t = %.9g s, before the last step (%s)\n",
                time_s, wrsim_status_text(r->status));
    if (x->is_refused)
        fprintf(stderr,
                "rack_plant: the controller serves another plant; end that plant, or start another "
                "controller. If that plant was killed, start this plant again after %.0f s\n",
                (double)RACK_RELEASE_NS * 1e-9);
    else if (x->n_step > 0 && x->inbox.n_taken == 0)
        fprintf(stderr, "rack_plant: no controller answered; start it with the same --link and "
                        "--port or --name\n");
    else if (n_silent > 0)
        fprintf(stderr,
                "rack_plant: %" PRId64 " of %" PRId64
                " steps had no new command in time, and %" PRId64
                " of them used the safe command; look at the controller's messages, or %s\n",
                x->n_held + x->n_safe, x->n_step, x->n_safe,
                o->pace > 0.0 ? "lower --pace" : "raise --wait");
    if (has_failed || is_early)
        return FAILED;
    return x->is_refused || n_silent > 0 || (x->n_step > 0 && x->inbox.n_taken == 0) ? NO_CONTROLLER
                                                                                     : 0;
}

static int simulate(const options *o, rack_link *raw, rack_link *link, rack_faults *up,
                    rack_faults *down)
{
    wrsim *sim = prepare(o);
    ports p;
    if (!sim ||
        find_ports(sim, o->config, WRSIM_PORT_OUTPUT, RACK_N_MEASURED, measured, p.measured) +
                find_ports(sim, o->config, WRSIM_PORT_INPUT, RACK_N_COMMAND, commanded,
                           p.commanded) <
            0) {
        wrsim_destroy(&sim);
        return 1;
    }
    rack_exchange x = {.link = link,
                       .wait_ns = o->pace > 0.0 ? 0 : (int64_t)(o->wait_s * 1e9),
                       .safe_after = (int)o->safe_after,
                       /* number that very probably differs from the numbers of earlier runs */
                       .inbox.session = (uint32_t)getpid() ^ ((uint32_t)time(NULL) << 12)};
    record r = {.digest = 0xcbf29ce484222325u};
    run(o, sim, &p, &x, &r);
    rack_exchange_end(&x, raw);
    const double time_s = wrsim_time(sim);
    wrsim_error err = {0};
    const wrsim_status finished = wrsim_finish(sim, &err);
    report(&r, &x, up, down);
    const int code = judge(o, &r, &x, time_s);
    if (finished < 0)
        fprintf(stderr, "rack_plant: %s\n", err.text);
    wrsim_destroy(&sim);
    return finished < 0 ? 1 : code;
}

int main(int argc, char **argv)
{
    options o = {.config = "rack.toml",
                 .link = "local",
                 .name = "/wrsim-rack",
                 .on_silence = "go-on",
                 .steps = 600,
                 .wait_s = 1.0,
                 .safe_after = 10,
                 .setpoint_pa = 150e3,
                 .seed = 1};
    const int read = read_options(argc, argv, &o);
    if (read != 0)
        return read < 0 ? 2 : 0;
    (void)signal(SIGINT, interrupt);
    (void)signal(SIGTERM, interrupt);
    rack_responder responder;
    rack_responder_init(&responder, o.setpoint_pa);
    rack_faults up = {.share = o.faults, .state = (uint64_t)o.seed},
                down = {.share = o.faults, .state = ~(uint64_t)o.seed};
    rack_link *raw = NULL;
    const int is_shm = strcmp(o.link, "shm") == 0;
    if (strcmp(o.link, "local") == 0)
        raw = rack_link_local(&responder);
    else
        raw = is_shm ? rack_link_shm_create(o.name) : rack_link_udp_connect((int)o.port);
    if (!raw && is_shm && errno == EBUSY)
        fprintf(stderr,
                "rack_plant: another plant uses the shared memory '%s'; end that plant, or choose "
                "another --name\n",
                o.name);
    else if (!raw)
        fprintf(stderr, "rack_plant: the link '%s' cannot be opened (%s); choose another %s\n",
                o.link, strerror(errno), is_shm ? "--name" : "--port");
    rack_link *const link = raw && o.faults > 0.0 ? rack_link_faulty(raw, &up, &down) : raw;
    const int code = link ? simulate(&o, raw, link, &up, &down) : 1;
    if (link && link != raw)
        link->close(link);
    if (raw)
        raw->close(raw);
    return code;
}
