/* The plant: the engine of rack.toml in a loop with a controller of its boost pressure.
 *
 *    ./rack_plant                              the controller is in this process
 *    ./rack_plant --link udp --port N          a controller process, by UDP on loopback
 *    ./rack_plant --link shm --name /rack      a controller process, by shared memory
 *
 * In each step the plant sends the values of the output ports, receives a command, sets the input port, and advances by one communication
 * step. In lock-step (the default) the plant waits for the answer to the measurement. With --pace the plant follows the wall clock and uses
 * the newest command that has arrived. After a run the plant writes a report to stdout, one JSON object.
 *
 * Thread: one. Real-time: the loop allocates nothing.
 */
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "arguments.h"
#include "exchange.h"
#include "faults.h"
#include "responder.h"
#include "wrsim/wrsim.h"

static const double STEP_S = 500e-6; /* simulation.communication_step of rack.toml, s */

typedef struct options {
    const char *config, *link, *name, *results, *on_silence;
    double port, steps, pace, wait_s, safe_after, safe_command, setpoint_pa, faults, seed;
} options;

/* Statistics of the loop. */
typedef struct record {
    uint64_t digest; /* hash of the bits of all measurements and commands */
    int64_t n_late_step;
    double worst_late_s; /* largest lateness of a step, s of wall time; 0 without --pace */
    double command;
    /* Sums for the mean deviation |boost - set point|, Pa, over firings in the second half of the run. The boost is a mean over one firing,
     * which removes the pulsation of the cylinders. */
    double boost_sum, error_sum;
    int64_t n_boost, n_error;
    const char *end;
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
        {"--steps", &o->steps, NULL, 1, 1e9, "number of steps of 500 us (600)"},
        {"--pace", &o->pace, NULL, 0, 1e6, "simulated s per wall s; 0: lock-step (0)"},
        {"--wait", &o->wait_s, NULL, 0, 1e6, "lock-step: wait for an answer, s (1)"},
        {"--safe-after", &o->safe_after, NULL, 1, 1e9,
         "steps without a command after which the safe command holds (10)"},
        {"--safe-command", &o->safe_command, NULL, 0, 1, "safe command, 0 closed to 1 open (1)"},
        {"--on-silence", NULL, &o->on_silence, 0, 0,
         "action after safe-after steps: go-on or stop (go-on)"},
        {"--setpoint", &o->setpoint_pa, NULL, 1e5, 3e5,
         "set point of the boost pressure, Pa, of the local controller and the report (150000)"},
        {"--faults", &o->faults, NULL, 0, 0.2,
         "share of packets that are lost, reordered, duplicated, truncated, random, each (0)"},
        {"--seed", &o->seed, NULL, 0, 1e15, "seed of the faults (1)"},
    };
    const int read = rack_arguments_read(argc, argv, table, (int)(sizeof table / sizeof *table));
    const int is_udp = strcmp(o->link, "udp") == 0;
    if (read != 0 ||
        (is_udp ? o->port > 0.0 : strcmp(o->link, "local") == 0 || strcmp(o->link, "shm") == 0))
        return read;
    if (is_udp)
        fprintf(stderr,
                "rack_plant: --link udp needs --port, the port that rack_controller prints\n");
    else
        fprintf(stderr, "rack_plant: --link takes local, udp or shm, not '%s'\n", o->link);
    return -1;
}

/* Waits for the wall time of step i_step, which depends only on the start, so that lateness does not accumulate. */
static void pace(const options *o, int64_t start_ns, int64_t i_step, record *r)
{
    const int64_t due_ns = start_ns + (int64_t)((double)i_step * STEP_S / o->pace * 1e9);
    const int64_t late_ns = rack_now_ns() - due_ns;
    if (late_ns > 0) {
        r->n_late_step++;
        r->worst_late_s = fmax(r->worst_late_s, (double)late_ns * 1e-9);
        return;
    }
    const struct timespec due = {.tv_sec = due_ns / 1000000000, .tv_nsec = due_ns % 1000000000};
    (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
}

enum { N_SHOWN = RACK_VALUES };
typedef struct ports {
    int shown[N_SHOWN], wastegate;
} ports;

static int find_ports(const wrsim *sim, ports *p)
{
    static const char *const names[N_SHOWN] = {[RACK_P_IM] = "p_im",
                                               [RACK_OMEGA] = "omega",
                                               [RACK_TURBO] = "turbo",
                                               [RACK_POSITION] = "position"};
    p->wastegate = wrsim_port_find(sim, "wastegate");
    int has_all = p->wastegate >= 0;
    for (int i = 0; i < N_SHOWN; i++) {
        p->shown[i] = wrsim_port_find(sim, names[i]);
        has_all = has_all && p->shown[i] >= 0;
    }
    if (!has_all)
        fprintf(stderr,
                "rack_plant: the config lacks one of the ports wastegate, p_im, omega, turbo, "
                "position; add it as [[port]]\n");
    return has_all ? 0 : -1;
}

/* Adds the bytes of a value to the digest by the FNV-1a hash of 64 bits. */
static void digest(record *r, double value)
{
    uint8_t bytes[sizeof value];
    memcpy(bytes, &value, sizeof value);
    for (size_t i = 0; i < sizeof bytes; i++)
        r->digest = (r->digest ^ bytes[i]) * 0x100000001b3u;
}

static void note(record *r, const options *o, int64_t i_step, const double *shown, double command)
{
    for (int i = 0; i < N_SHOWN; i++)
        digest(r, shown[i]);
    digest(r, command);
    r->command = command;
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
    r->end = "complete";
    for (int64_t i = 0; (double)i < o->steps; i++) {
        double shown[N_SHOWN];
        if (wrsim_port_get_many(sim, N_SHOWN, p->shown, shown) < 0) {
            r->end = "failed";
            return;
        }
        const double command = rack_exchange_step(x, wrsim_time(sim), shown);
        note(r, o, i, shown, command);
        if (is_interrupted || (x->is_silent && strcmp(o->on_silence, "stop") == 0)) {
            r->end = is_interrupted ? "interrupted" : "no controller";
            return;
        }
        if (wrsim_port_set(sim, p->wastegate, command) < 0 ||
            wrsim_advance(sim, (double)(i + 1) * STEP_S, &r->failure) < 0) {
            r->end = "failed";
            return;
        }
        if (o->pace > 0.0)
            pace(o, start_ns, i + 1, r);
    }
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

static int simulate(const options *o, rack_link *raw, rack_link *link, rack_faults *up,
                    rack_faults *down)
{
    wrsim *sim = prepare(o);
    ports p;
    if (!sim || find_ports(sim, &p) < 0) {
        wrsim_destroy(&sim);
        return 1;
    }
    rack_exchange x = {.link = link,
                       .wait_ns = o->pace > 0.0 ? 0 : (int64_t)(o->wait_s * 1e9),
                       .safe_after = (int)o->safe_after,
                       .safe_command = o->safe_command,
                       /* number that very probably differs from the numbers of earlier runs */
                       .inbox.session = (uint32_t)getpid() ^ ((uint32_t)time(NULL) << 12)};
    record r = {.digest = 0xcbf29ce484222325u};
    run(o, sim, &p, &x, &r);
    rack_exchange_end(&x, raw);
    wrsim_error err = {0};
    const wrsim_status finished = wrsim_finish(sim, &err);
    const rack_inbox *const in = &x.inbox;
    printf("{\"end\": \"%s\", \"steps\": %" PRId64 ", \"taken\": %" PRId64 ", \"held\": %" PRId64
           ", \"safe\": %" PRId64,
           r.end, x.n_step, in->n_taken, x.n_held, x.n_safe);
    printf(", \"late\": %" PRId64 ", \"duplicate\": %" PRId64 ", \"malformed\": %" PRId64
           ", \"foreign\": %" PRId64 ", \"unsent\": %" PRId64 ", \"limited\": %" PRId64,
           in->n_late, in->n_duplicate, in->n_malformed, in->n_foreign, x.n_unsent, x.n_limited);
    printf(", \"mean_error_pa\": %.6g, \"last_command\": %.17g, \"late_steps\": %" PRId64
           ", \"worst_late_s\": %.3g, \"digest\": \"%016" PRIx64 "\"",
           r.n_error ? r.error_sum / (double)r.n_error : 0.0, r.command, r.n_late_step,
           r.worst_late_s, r.digest);
    report_faults("up", up);
    report_faults("down", down);
    printf("}\n");
    if (strcmp(r.end, "failed") == 0)
        fprintf(stderr, "%s\n", r.failure.text);
    if (finished < 0)
        fprintf(stderr, "%s\n", err.text);
    wrsim_destroy(&sim);
    if (finished < 0 || strcmp(r.end, "failed") == 0)
        return 1;
    if (x.n_step > 0 && x.inbox.n_taken == 0) {
        fprintf(stderr, "rack_plant: no controller answered; start it with the same --link and "
                        "--port or --name\n");
        return 3;
    }
    return 0;
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
                 .safe_command = 1.0,
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
    if (strcmp(o.link, "local") == 0)
        raw = rack_link_local(&responder);
    else if (strcmp(o.link, "udp") == 0)
        raw = rack_link_udp_connect((int)o.port);
    else
        raw = rack_link_shm_create(o.name);
    if (!raw)
        fprintf(stderr,
                "rack_plant: the link '%s' cannot be opened; choose another --port or --name\n",
                o.link);
    rack_link *const link = raw && o.faults > 0.0 ? rack_link_faulty(raw, &up, &down) : raw;
    const int code = link ? simulate(&o, raw, link, &up, &down) : 1;
    if (link && link != raw)
        link->close(link);
    if (raw)
        raw->close(raw);
    return code;
}
