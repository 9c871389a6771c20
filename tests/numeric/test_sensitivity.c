/* Coupled runs whose consumers have hidden reactions to their inputs: through events, only in the middle of a window, to the difference of
 * two inputs. The runs must agree with the monolithic run at all times. The error to find: only the derivatives at the window's end judge a
 * change of inputs. Arguments: the plug-in hidden_sensitivity. */
#include "prepared.h"

enum { N_POINT = 15 };

#define HEAD                                                                                       \
    "[simulation]\nstop = 3.0\ncommunication_step = 0.01\nrtol = 1e-6\n"                           \
    "[relaxation]\nwindow = { initial = 0.2, min = 1e-4, max = 0.2, control = \"fixed\" }\n"       \
    "prediction = \"%s\"\n[output]\nfile = \"\"\n[[plugin]]\nfile = \"%s\"\n"
#define SINE                                                                                       \
    "[[component]]\nname = \"a\"\nmodel = \"signal.sine\"\nparameters = { frequency = 1.0 }\n"
#define LAG                                                                                        \
    "[[component]]\nname = \"x\"\nmodel = \"dahlquist\"\nparameters = { a = -2.0, b = 1.0 }\n"
#define LINK(from, to) "[[connection]]\nfrom = \"" from "\"\nto = \"" to "\"\n"
#define OWN(name) "[[subsystem]]\nname = \"s_" name "\"\ncomponents = [\"" name "\"]\n"

static const char sampler[] =
    HEAD SINE LAG "[[component]]\nname = \"b\"\nmodel = \"signal.sampler\"\nparameters = { period "
                  "= 0.09 }\n" LINK("a.y", "b.u") LINK("b.y", "x.u") OWN("a") OWN("b") OWN("x");
static const char relay[] =
    HEAD SINE LAG "[[component]]\nname = \"b\"\nmodel = \"relay.switch\"\n"
                  "parameters = { high = 0.8, low = 0.2 }\n" LINK("a.y", "b.measured")
                      LINK("b.on", "x.u") OWN("a") OWN("b") OWN("x");
static const char gate[] = HEAD SINE
    "[[component]]\nname = \"x\"\nmodel = \"test.gate\"\n" LINK("a.y", "x.u1") OWN("a") OWN("x");
static const char difference[] =
    HEAD "[[component]]\nname = \"a\"\nmodel = \"test.stairs\"\n"
         "[[component]]\nname = \"x\"\nmodel = \"test.difference\"\n" LINK("a.y1", "x.u1")
             LINK("a.y2", "x.u2") OWN("a") OWN("x");

/* Writes x.x at N_POINT times to ret_x. */
static void run(const char *format, const char *prediction, int is_monolithic, double *ret_x)
{
    char text[4096];
    const char *const overrides[] = {is_monolithic ? "simulation.monolithic=true"
                                                   : "simulation.monolithic=false"};
    snprintf(text, sizeof text, format, prediction, wr_test_arg(1));
    AUTO(wrsim_destroy) wrsim *sim = prepared(text, overrides, 1);
    for (int i = 0; i < N_POINT; i++) {
        advance(sim, 0.2 * (i + 1));
        ret_x[i] = value(sim, "x.x");
    }
}

static void check(const char *format)
{
    static const char *const predictions[] = {"hold", "linear", "auto"};
    for (size_t k = 0; k < sizeof predictions / sizeof predictions[0]; k++) {
        double split[N_POINT], whole[N_POINT];
        run(format, predictions[k], 0, split);
        run(format, predictions[k], 1, whole);
        for (int i = 0; i < N_POINT; i++)
            assert_close(split[i], whole[i], 0.0, 2e-5);
    }
}

TEST(through_time_events) { check(sampler); }

TEST(through_state_events) { check(relay); }

TEST(in_the_middle_of_windows) { check(gate); }

TEST(difference_of_inputs) { check(difference); }
