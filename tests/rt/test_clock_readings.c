/* A run without an observer reads the clock as often as its tasks, integrations and barriers need, so no reading belongs to an observer.
 * The test counts the readings by a clock_gettime() of its own. */
#include "prepared.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "wrsim/observer.h"

static _Thread_local long n_reading; /* of the calling thread, which is the only worker */

int clock_gettime(clockid_t clock, struct timespec *ret_now)
{
    n_reading++;
    return (int)syscall(SYS_clock_gettime, clock, ret_now);
}

static const char relaxed[] =
    "[simulation]\nstop = 20.0\ncommunication_step = 0.01\n[scheduler]\nworkers = 1\n"
    "[relaxation]\nwindow.control = \"fixed\"\nwindow.initial = 0.01\n[output]\nfile = \"\"\n"
    "[[component]]\nname = \"left\"\nmodel = \"oscillator.mass\"\nstart = { x = 1.0 }\n"
    "[[component]]\nname = \"right\"\nmodel = \"oscillator.mass\"\n"
    "[[connection]]\nfrom = \"left.x\"\nto = \"right.x_neighbour\"\n"
    "[[connection]]\nfrom = \"right.x\"\nto = \"left.x_neighbour\"\n";

typedef struct counts {
    long n_task, n_integrated, n_decision;
} counts;

static void on_task(void *user, const wrsim_task_record *task)
{
    counts *const c = user;
    c->n_task++;
    c->n_integrated += !task->is_unchanged;
}

static void on_decision(void *user, const wrsim_decision_record *decision)
{
    ((counts *)user)->n_decision++;
}

/* Runs to the end. Returns the number of clock readings of the run. */
static long readings(const wrsim_observer *observer)
{
    wrsim_error err = {0};
    AUTO(wrsim_destroy) wrsim *sim = prepared(relaxed, NULL, 0);
    assert_good(wrsim_observe(sim, observer, &err), &err);
    const long before = n_reading;
    assert_good(wrsim_advance(sim, 20.0, &err), &err);
    return n_reading - before;
}

TEST(no_reading_without_observer)
{
    counts c = {0};
    const wrsim_observer observer = {
        .size_bytes = sizeof observer, .user = &c, .task_end = on_task, .decision = on_decision};
    const long observed = readings(&observer), plain = readings(NULL);
    print_message("%ld tasks, %ld integrations, %ld decisions: %ld readings, with observer %ld\n",
                  c.n_task, c.n_integrated, c.n_decision, plain, observed);
    /* One reading for each claim of a task and for each end of a batch, two for each integration, and a few at the ends of the run. */
    const long needed = c.n_task + c.n_decision + 2 * c.n_integrated;
    assert_true(c.n_task > 4000);
    assert_true(plain <= needed + 10);
    assert_true(observed >= needed + 2 * c.n_task);
}
