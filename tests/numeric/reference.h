/* Published and closed-form answers of the test problems, as tables.
*
* `end` is the state at t_end_s. In tables "recomputed in high precision" the values come from Radau IIA of order 13 in quadruple
* precision, or from mpmath with 40 digits. Each table names its source, and its components in the order of the states.
*/
#ifndef WR_REFERENCE_H
#define WR_REFERENCE_H

enum { WR_REFERENCE_MAX = 20 };

typedef struct wr_reference {
    const char *name;
    int n;          /* number of states */
    double t_end_s; /* the start is at 0 s */
    double start[WR_REFERENCE_MAX], end[WR_REFERENCE_MAX];
    int n_events;
    double event_s[WR_REFERENCE_MAX]; /* times of the events in [0, t_end_s] */
} wr_reference;

/* vanderpol, mu = 1000. Source: Mazzia, Magherini, 2008, "Test Set for IVP Solvers", VDPOL (R package deTestSet);
 * recomputed in high precision. */
static const wr_reference wr_ref_vanderpol = {.name = "vanderpol",
                                              .n = 2,
                                              .t_end_s = 2000.0,
                                              .start = {2.0, 0.0},
                                              .end = {1.706167732170465, -0.0008928097010248166}};

/* robertson. Source: Mazzia, Magherini, 2008, "Test Set for IVP Solvers", ROBER (R package deTestSet); recomputed in high
 * precision. */
static const wr_reference wr_ref_robertson = {
    .name = "robertson",
    .n = 3,
    .t_end_s = 100000000000.0,
    .start = {1.0, 0.0, 0.0},
    .end = {2.083340149701294e-08, 8.333360770334784e-14, 0.9999999791665152}};

/* orego. Source: Mazzia, Magherini, 2008, "Test Set for IVP Solvers", OREGO (R package deTestSet); recomputed in high
 * precision. */
static const wr_reference wr_ref_orego = {
    .name = "orego",
    .n = 3,
    .t_end_s = 360.0,
    .start = {1.0, 2.0, 3.0},
    .end = {1.0008148703185227, 1228.178521549888, 132.05549428465082}};

/* hires.a (4 states) and hires.b (4 states). Source: Mazzia, Magherini, 2008, "Test Set for IVP Solvers", HIRES (R package deTestSet);
 * recomputed in high precision. */
static const wr_reference wr_ref_hires = {.name = "hires",
                                          .n = 8,
                                          .t_end_s = 321.8122,
                                          .start = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0057},
                                          .end = {0.0007371312573325667, 0.00014424857263161848,
                                                  5.888729740967575e-05, 0.001175651343283149,
                                                  0.0023863561988313304, 0.0062389682527427956,
                                                  0.0028499983951857685, 0.0028500016048142313}};

/* kpr.u and kpr.v. Source: closed form u = sqrt(1 + cos(t) / 2), v = sqrt(2 + cos(100 t)); SUNDIALS
 * example ark_kpr_mri. */
static const wr_reference wr_ref_kpr = {.name = "kpr",
                                        .n = 2,
                                        .t_end_s = 5.0,
                                        .start = {1.224744871391589, 1.7320508075688772},
                                        .end = {1.0685649688865966, 1.056480348406217}};

/* two oscillator.mass: x1, v1, x2, v2. Source: closed form x1,2 = (cos 2 pi t +- cos 6 pi t) / 2;
 * parameters of the preCICE tutorials. */
static const wr_reference wr_ref_two_mass = {
    .name = "two_mass",
    .n = 4,
    .t_end_s = 0.9,
    .start = {1.0, 0.0, 0.0, 0.0},
    .end = {0.25, 10.810078324715125, 0.5590169943749475, -7.116914663734211}};

/* two dahlquist: u (a = -1, b = 0.5) and v (a = -1, b = -0.5). Source: closed form u = e^-t
 * (cos(t/2) + 3 sin(t/2)), v = e^-t (3 cos(t/2) - sin(t/2)); toy problem of asynch-WFR (models/dahlquist/readme.md). */
static const wr_reference wr_ref_linear_pair = {.name = "linear_pair",
                                                .n = 2,
                                                .t_end_s = 2.0,
                                                .start = {1.0, 3.0},
                                                .end = {0.4147641077911639, 0.1054851827298108}};

/* rc_ladder, n = 20, u = 1. Source: R = C = 1, unit step at t = 0; computed with mpmath (40
 * digits). */
static const wr_reference wr_ref_rc_ladder = {
    .name = "rc_ladder",
    .n = 20,
    .t_end_s = 50.0,
    .start = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
              0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
    .end = {0.9203513952201677,  0.8415037240551492,  0.7642348104971498,  0.6892774891634895,
            0.6173001020934532,  0.5488903595927018,  0.48454333105662795, 0.42465406625312774,
            0.3695150596188624,  0.31931848180447664, 0.27416283456936963, 0.23406345437641524,
            0.1989661091558682,  0.1687628087772915,  0.14330888447067375, 0.12244038268471123,
            0.10599085791603359, 0.09380672788253189, 0.08576046323964151, 0.08176101354583462}};

/* bouncing_ball. Source: closed form; g = 9.81 m/s2, restitution 0.8. */
static const wr_reference wr_ref_bouncing_ball = {
    .name = "bouncing_ball",
    .n = 2,
    .t_end_s = 3.0,
    .start = {1.0, 0.0},
    .end = {0.06870746096576572, -0.01535413338474476},
    .n_events = 6,
    .event_s = {0.4515236409857309, 1.1739614665629003, 1.7519117270246358, 2.2142719353940246,
                2.5841601020895353, 2.8800706354459438}};

/* relay. Source: closed form; events at ln 5 + k ln 4 seconds, k = 0 to 13. */
static const wr_reference wr_ref_relay = {
    .name = "relay",
    .n = 1,
    .t_end_s = 20.0,
    .start = {0.0},
    .end = {0.4467132874746539},
    .n_events = 14,
    .event_s = {1.6094379124341003, 2.995732273553991, 4.382026634673881, 5.768320995793772,
                7.154615356913663, 8.540909718033554, 9.927204079153444, 11.313498440273335,
                12.699792801393226, 14.086087162513117, 15.472381523633006, 16.8586758847529,
                18.24497024587279, 19.63126460699268}};

#endif
