/* Industrial robot: an arm with six joints. Each joint has an elastic gear, a motor, an amplifier and cascaded
 * controllers, with 13 states. Schiela and Bornemann, "Sparsing in real time simulation", 2003, use a model of this kind.
 *
 * Equations of a joint; capitals denote the motor's side of the gear (ratio n):
 *
 *     reference   r' = rd                     rd' = w_r^2 (path(t) - r) - 2 z_r w_r rd
 *     speed       W* = n (k_v (r - phi / n) + rd)
 *                 e_w' = W* - w_m             I* = J w_s / K (W* - w_m + e_w / T_s)
 *     current     i_c' = (I* - i_c) / T_c     e_i' = i_c - i_m      V* = w_i (L (i_c - i_m) + R e_i)
 *     amplifier   v' = (V* - v) / T_a
 *     motor       L i' = v - R i - K omega    J omega' = K i - B omega - torque / n     phi' = omega
 *     sensors     i_m' = (i - i_m) / T_f      w_m' = (omega - w_m) / T_w
 *     gear        torque = k (phi / n - q) + c (omega / n - qd)
 *     arm         q' = qd                     M(q) qd' + b(q, qd) = torque of all joints (arm.h)
 *
 * Rotors turn about their own axes only. The path is a polynomial of degree five in time, at rest at both ends.
 *
 * Thread: one at a time per instance. Real-time: yes, except describe() and init().
 */
#include <math.h>

#include "models/describe.h"
#include "models/robot/arm.h"

/* kinds of states of a joint */
enum { R, RD, E_W, W_M, I_C, E_I, I_M, V, I, OMEGA, PHI, Q, QD, N_KIND };
enum { N_STATE = N_KIND * ARM_JOINTS };

/* The arm of a PUMA 560: kinematics, masses and inertias without drives, rotors and gear ratios as in Armstrong, Khatib, Burdick, "The
 * explicit dynamic model and inertial parameters of the PUMA 560 arm", 1986, and Corke, Armstrong-Helouvry (models/robot/readme.md). */
static const arm_link puma[ARM_JOINTS] = {
    {0.0, 0.0, 1.5707963267948966, 0.0, {0.0, 0.0, 0.0}, {0.0, 0.35, 0.0}},
    {0.4318, 0.0, 0.0, 17.4, {-0.3638, 0.006, 0.2275}, {0.130, 0.524, 0.539}},
    {0.0203, 0.15005, -1.5707963267948966, 4.8, {-0.0203, -0.0141, 0.070}, {0.066, 0.086, 0.0125}},
    {0.0, 0.4318, 1.5707963267948966, 0.82, {0.0, 0.019, 0.0}, {1.8e-3, 1.3e-3, 1.8e-3}},
    {0.0, 0.0, -1.5707963267948966, 0.34, {0.0, 0.0, 0.0}, {0.3e-3, 0.4e-3, 0.3e-3}},
    {0.0, 0.0, 0.0, 0.09, {0.0, 0.0, 0.032}, {0.15e-3, 0.15e-3, 0.04e-3}},
};

/* Drive of a joint. Gear stiffness is assumed: the arm's three joints swing at 11 to 31 Hz, the hand's joints are stiff and well damped. */
typedef struct drive {
    double ratio;          /* gear ratio, 1 */
    double rotor;          /* kg m2; inertia of the rotor */
    double friction;       /* N m s; friction of the motor */
    double K, R, L;        /* V s = N m/A, ohm, H */
    double spring, damper; /* gear stiffness, N m, and damping, N m s, on the arm's side */
} drive;

static const drive drives[ARM_JOINTS] = {
    {62.6111, 200e-6, 1.48e-3, 0.26, 1.6, 0.8e-3, 2.0e4, 14.0},
    {107.815, 200e-6, 0.817e-3, 0.26, 1.6, 0.8e-3, 3.0e4, 20.0},
    {53.7063, 200e-6, 1.38e-3, 0.26, 1.6, 0.8e-3, 1.2e4, 5.0},
    {76.0364, 33e-6, 71.2e-6, 0.0923, 3.9, 2.0e-3, 1.0e4, 6.0},
    {71.923, 33e-6, 82.6e-6, 0.0923, 3.9, 2.0e-3, 1.0e4, 6.0},
    {76.686, 33e-6, 36.7e-6, 0.0923, 3.9, 2.0e-3, 1.0e4, 2.0},
};

#define PARAMETERS(ROW)                                                                            \
    ROW(PARAM, PAYLOAD, "payload", "kg", 0.5, 0.0, 100.0, "mass of the payload")                   \
    ROW(PARAM, PAYLOAD_AT, "payload_at", "m", 0.05, 0.0, 1.0,                                      \
        "distance of the payload's centre from the wrist, along the last axis")                    \
    ROW(PARAM, PAYLOAD_RADIUS, "payload_radius", "m", 0.04, 0.0, 1.0,                              \
        "radius of the payload, a ball")                                                           \
    ROW(PARAM, POSITION_GAIN, "position_gain", "1/s", 20.0, 0.1, 1e4,                              \
        "k_v: gain from position error to speed")                                                  \
    ROW(PARAM, SPEED_BANDWIDTH, "speed_bandwidth", "1/s", 1000.0, 1.0, 1e5,                        \
        "w_s: bandwidth of the speed controllers")                                                 \
    ROW(PARAM, SPEED_RESET, "speed_reset", "s", 0.05, 1e-4, 1e3,                                   \
        "T_s: integral time of the speed controllers")                                             \
    ROW(PARAM, CURRENT_BANDWIDTH, "current_bandwidth", "1/s", 2500.0, 1.0, 1e6,                    \
        "w_i: bandwidth of the current controllers")                                               \
    ROW(PARAM, REFERENCE_BANDWIDTH, "reference_bandwidth", "1/s", 30.0, 0.1, 1e4,                  \
        "w_r: bandwidth of the reference filters")                                                 \
    ROW(PARAM, REFERENCE_DAMPING, "reference_damping", "1", 1.2, 0.1, 100.0, "z_r")                \
    ROW(PARAM, AMPLIFIER_LAG, "amplifier_lag", "s", 0.1e-3, 1e-6, 1.0, "T_a")                      \
    ROW(PARAM, CURRENT_LAG, "current_lag", "s", 0.1e-3, 1e-6, 1.0,                                 \
        "T_f: time constant of the current sensors")                                               \
    ROW(PARAM, SPEED_LAG, "speed_lag", "s", 0.15e-3, 1e-6, 1.0,                                    \
        "T_w: time constant of the speed sensors")                                                 \
    ROW(PARAM, COMMAND_LAG, "command_lag", "s", 0.15e-3, 1e-6, 1.0,                                \
        "T_c: time constant of the current commands")                                              \
    ROW(PARAM, MOVE_START, "move_start", "s", 0.25, 0.0, 1e6, "start time of the move")            \
    ROW(PARAM, MOVE_TIME, "move_time", "s", 1.0, 1e-3, 1e6, "duration of the move")                \
    ROW(PARAM, FROM, "from_1", "rad", 0.0, -100, 100, "angle of joint 1 before the move")          \
    ROW(PARAM, FROM_2, "from_2", "rad", 0.785, -100, 100, "angle of joint 2 before the move")      \
    ROW(PARAM, FROM_3, "from_3", "rad", 3.142, -100, 100, "angle of joint 3 before the move")      \
    ROW(PARAM, FROM_4, "from_4", "rad", 0.0, -100, 100, "angle of joint 4 before the move")        \
    ROW(PARAM, FROM_5, "from_5", "rad", 0.785, -100, 100, "angle of joint 5 before the move")      \
    ROW(PARAM, FROM_6, "from_6", "rad", 0.0, -100, 100, "angle of joint 6 before the move")        \
    ROW(PARAM, TO, "to_1", "rad", 1.2, -100, 100, "angle of joint 1 after the move")               \
    ROW(PARAM, TO_2, "to_2", "rad", 0.3, -100, 100, "angle of joint 2 after the move")             \
    ROW(PARAM, TO_3, "to_3", "rad", 2.4, -100, 100, "angle of joint 3 after the move")             \
    ROW(PARAM, TO_4, "to_4", "rad", 0.8, -100, 100, "angle of joint 4 after the move")             \
    ROW(PARAM, TO_5, "to_5", "rad", 1.3, -100, 100, "angle of joint 5 after the move")             \
    ROW(PARAM, TO_6, "to_6", "rad", -1.0, -100, 100, "angle of joint 6 after the move")            \
    ROW(INTEGER, BALANCE, "balance", "1", 0, 0, 1,                                                 \
        "1: add the outputs energy, power_in, power_loss")
enum { PARAMETERS(WR_P_INDEX) N_PARAM };
static const wrsim_variable params[N_PARAM] = {PARAMETERS(WR_P_ROW)};

/* States of one joint. The name of a variable is `name` with the joint's number behind it. */
static const struct {
    const char *name, *unit, *description;
    double nominal;
} kinds[N_KIND] = {
    [R] = {"r", "rad", "reference of the joint angle", 1.0},
    [RD] = {"rd", "rad/s", "reference of the joint speed", 1.0},
    [E_W] = {"e_w", "rad", "integrated speed error of a motor", 1.0},
    [W_M] = {"w_m", "rad/s", "measured speed of a motor", 100.0},
    [I_C] = {"i_c", "A", "current command", 5.0},
    [E_I] = {"e_i", "A s", "integrated current error", 5e-3},
    [I_M] = {"i_m", "A", "measured current", 5.0},
    [V] = {"v", "V", "amplifier's voltage", 20.0},
    [I] = {"i", "A", "motor's current", 5.0},
    [OMEGA] = {"omega", "rad/s", "motor's speed", 100.0},
    [PHI] = {"phi", "rad", "motor's angle", 100.0},
    [Q] = {"q", "rad", "joint's angle", 1.0},
    [QD] = {"qd", "rad/s", "joint's speed", 1.0},
};

enum { Y_Q, Y_HAND = ARM_JOINTS, Y_ENERGY = Y_HAND + 3, Y_IN, Y_LOSS };
static const wrsim_variable hand[3] = {
    WR_SIGNAL("x", "m", 1.0, "x of the wrist"),
    WR_SIGNAL("y", "m", 1.0, "y of the wrist"),
    WR_SIGNAL("z", "m", 1.0, "z of the wrist"),
};
static const wrsim_variable balances[] = {
    WR_SIGNAL("energy", "J", 100.0, "energy of arm, gears, rotors and coils"),
    WR_SIGNAL("power_in", "W", 100.0, "power from the amplifiers"),
    WR_SIGNAL("power_loss", "W", 100.0, "heat of coils, motors and gears"),
};

static int place_of(int joint, int kind) { return joint * N_KIND + kind; }
static int is_balanced(const wrsim_instance *self) { return self->param[P_BALANCE] > 0.5; }

static int add_states(wrsim_description *to)
{
    for (int joint = 0; joint < ARM_JOINTS; joint++)
        for (int kind = 0; kind < N_KIND; kind++) {
            const wrsim_variable state =
                WR_SIGNAL(NULL, kinds[kind].unit, kinds[kind].nominal, kinds[kind].description);
            if (wr_describe_named(to, WRSIM_STATE, state, "%s%d", kinds[kind].name, joint + 1))
                return -1;
        }
    return 0;
}

/* Pattern within a joint, columns in the order of the states. qd' depends on all joints. */
static const char *const within[N_KIND] = {
    [R] = ".x...........",     [RD] = "xx...........",  [E_W] = "xx.x......x..",
    [W_M] = "...x.....x...",   [I_C] = "xxxxx.....x..", [E_I] = "....x.x......",
    [I_M] = "......x.x....",   [V] = "....xxxx.....",   [I] = ".......xxx...",
    [OMEGA] = "........xxxxx", [PHI] = ".........x...", [Q] = "............x",
    [QD] = ".............",
};

static int declare_states(wrsim_description *to)
{
    for (int joint = 0; joint < ARM_JOINTS; joint++) {
        for (int kind = 0; kind < N_KIND; kind++)
            for (int from = 0; from < N_KIND; from++)
                if (within[kind][from] != '.' &&
                    to->depends(to, WRSIM_X_X, place_of(joint, kind), place_of(joint, from)))
                    return -1;
        for (int other = 0; other < ARM_JOINTS; other++)
            for (int from = OMEGA; from <= QD; from++)
                if (to->depends(to, WRSIM_X_X, place_of(joint, QD), place_of(other, from)))
                    return -1;
    }
    return 0;
}

static int add_outputs(const wrsim_instance *self, wrsim_description *to)
{
    for (int joint = 0; joint < ARM_JOINTS; joint++) {
        const wrsim_variable angle =
            WR_STATE_OUTPUT(NULL, "rad", 1.0, place_of(joint, Q), "joint's angle");
        if (wr_describe_named(to, WRSIM_OUTPUT, angle, "q%d", joint + 1) ||
            to->depends(to, WRSIM_X_Y, joint, angle.index))
            return -1;
        /* the last joints rotate the hand about the wrist, whose position they do not change */
        for (int k = 0; k < 3; k++)
            if (joint < 3 && to->depends(to, WRSIM_X_Y, Y_HAND + k, angle.index))
                return -1;
    }
    if (WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, hand))
        return -1;
    if (!is_balanced(self))
        return 0;
    for (int y = Y_ENERGY; y <= Y_LOSS; y++)
        for (int x = 0; x < N_STATE; x++)
            if (to->depends(to, WRSIM_X_Y, y, x))
                return -1;
    return WR_DESCRIBE_ADD(to, WRSIM_OUTPUT, balances);
}

typedef struct robot {
    arm_link link[ARM_JOINTS]; /* the last link includes the payload */
} robot;

static int describe(wrsim_instance *self, wrsim_description *to)
{
    to->time_scale_s = self->param[P_MOVE_TIME];
    to->data_bytes = sizeof(robot);
    return add_states(to) || add_outputs(self, to) || declare_states(to) ||
                   to->depends(to, WRSIM_D_X, -1, -1)
               ? -1
               : 0;
}

static double path_of(const wrsim_instance *self, int joint, double t_s)
{
    const double from = self->param[P_FROM + joint], to = self->param[P_TO + joint];
    const double part = (t_s - self->param[P_MOVE_START]) / self->param[P_MOVE_TIME];
    const double s = part < 0.0 ? 0.0 : part > 1.0 ? 1.0 : part;
    return from + (to - from) * s * s * s * (10.0 + s * (6.0 * s - 15.0));
}

/* Returns the next of the two ends of the move, or HUGE_VAL after the move. The path is only twice differentiable at both ends of the move,
 * so the ends are time events. */
static double next_time(wrsim_instance *self, const wrsim_point *at)
{
    const double start = self->param[P_MOVE_START], end = start + self->param[P_MOVE_TIME];
    return at->t_s < start ? start : at->t_s < end ? end : HUGE_VAL;
}

static void take_payload(wrsim_instance *self)
{
    robot *const data = self->data;
    for (int i = 0; i < ARM_JOINTS; i++)
        data->link[i] = puma[i];
    arm_link *const last = &data->link[ARM_JOINTS - 1];
    const double m = self->param[P_PAYLOAD], at = self->param[P_PAYLOAD_AT];
    const double radius = self->param[P_PAYLOAD_RADIUS], total = last->mass + m;
    const double apart = at - last->center[2], moved = last->mass * m / total * apart * apart;
    /* inertia of a ball, 2/5 m r^2; `moved`: parallel-axis terms of both bodies for the common centre on z */
    for (int k = 0; k < 3; k++)
        last->inertia[k] += 0.4 * m * radius * radius + (k < 2 ? moved : 0.0);
    last->center[2] += m / total * apart;
    last->mass = total;
}

/* Finds the joint angles at which gravity is in equilibrium with the gear springs, for motors at the start of the
 * path. */
static int find_sagged(const robot *data, const double *motor, double *ret_q, double *ret_torque)
{
    static const double still[ARM_JOINTS];
    double change = 1.0;
    for (int i = 0; i < ARM_JOINTS; i++)
        ret_q[i] = motor[i];
    /* A spring is much stiffer than gravity, so each iteration gains two or three digits. */
    for (int round = 0; round < 50 && change > 1e-15; round++) {
        arm_pose pose;
        arm_pose_at(data->link, ret_q, &pose);
        arm_bias(data->link, &pose, still, ret_torque);
        change = 0.0;
        for (int i = 0; i < ARM_JOINTS; i++) {
            const double q = motor[i] - ret_torque[i] / drives[i].spring;
            change = fmax(change, fabs(q - ret_q[i]));
            ret_q[i] = q;
        }
    }
    return change > 1e-9;
}

static int init(wrsim_instance *self, double t_s, double *x, double *d)
{
    (void)d;
    const robot *const data = self->data;
    double motor[ARM_JOINTS], q[ARM_JOINTS], torque[ARM_JOINTS];
    take_payload(self);
    for (int i = 0; i < ARM_JOINTS; i++)
        motor[i] = path_of(self, i, t_s);
    if (find_sagged(data, motor, q, torque)) {
        self->message = "the payload is too heavy for the gears: reduce its mass";
        return -1;
    }
    for (int i = 0; i < ARM_JOINTS; i++) {
        const drive *const m = &drives[i];
        double *const own = x + place_of(i, 0);
        for (int kind = 0; kind < N_KIND; kind++)
            own[kind] = 0.0;
        own[R] = motor[i];
        own[PHI] = m->ratio * motor[i];
        own[Q] = q[i];
        own[I] = own[I_M] = own[I_C] = torque[i] / (m->ratio * m->K);
        own[V] = m->R * own[I];
        own[E_I] = own[V] / (self->param[P_CURRENT_BANDWIDTH] * m->R);
        own[E_W] = own[I] * self->param[P_SPEED_RESET] * m->K /
                   (m->rotor * self->param[P_SPEED_BANDWIDTH]);
    }
    return 0;
}

static void control_rates(const double *p, const drive *m, const double *own, double *ret)
{
    const double speed = m->ratio * (p[P_POSITION_GAIN] * (own[R] - own[PHI] / m->ratio) + own[RD]);
    const double speed_error = speed - own[W_M], current_error = own[I_C] - own[I_M];
    const double current =
        m->rotor * p[P_SPEED_BANDWIDTH] / m->K * (speed_error + own[E_W] / p[P_SPEED_RESET]);
    const double voltage = p[P_CURRENT_BANDWIDTH] * (m->L * current_error + m->R * own[E_I]);
    ret[E_W] = speed_error;
    ret[I_C] = (current - own[I_C]) / p[P_COMMAND_LAG];
    ret[E_I] = current_error;
    ret[V] = (voltage - own[V]) / p[P_AMPLIFIER_LAG];
    ret[I_M] = (own[I] - own[I_M]) / p[P_CURRENT_LAG];
    ret[W_M] = (own[OMEGA] - own[W_M]) / p[P_SPEED_LAG];
}

static int rhs(wrsim_instance *self, const wrsim_point *at, double *ret_dx)
{
    const robot *const data = self->data;
    double q[ARM_JOINTS], qd[ARM_JOINTS], torque[ARM_JOINTS], qdd[ARM_JOINTS];
    for (int i = 0; i < ARM_JOINTS; i++) {
        const double *const own = at->x + place_of(i, 0);
        double *const ret = ret_dx + place_of(i, 0);
        torque[i] = drives[i].spring * (own[PHI] / drives[i].ratio - own[Q]) +
                    drives[i].damper * (own[OMEGA] / drives[i].ratio - own[QD]);
        q[i] = own[Q];
        qd[i] = own[QD];
        const double w = self->param[P_REFERENCE_BANDWIDTH];
        ret[R] = own[RD];
        ret[RD] = w * (w * (path_of(self, i, at->t_s) - own[R]) -
                       2.0 * self->param[P_REFERENCE_DAMPING] * own[RD]);
        control_rates(self->param, &drives[i], own, ret);
        ret[I] = (own[V] - drives[i].R * own[I] - drives[i].K * own[OMEGA]) / drives[i].L;
        ret[OMEGA] =
            (drives[i].K * own[I] - drives[i].friction * own[OMEGA] - torque[i] / drives[i].ratio) /
            drives[i].rotor;
        ret[PHI] = own[OMEGA];
    }
    if (arm_accelerations(data->link, q, qd, torque, qdd)) {
        self->message =
            "the arm's mass matrix is not positive definite: check payload and payload_radius";
        return 1;
    }
    for (int i = 0; i < ARM_JOINTS; i++) {
        ret_dx[place_of(i, Q)] = qd[i];
        ret_dx[place_of(i, QD)] = qdd[i];
    }
    return 0;
}

static void balance(const robot *data, const double *x, const double *q, const double *qd,
                    double *y)
{
    y[Y_ENERGY] = arm_energy(data->link, q, qd);
    y[Y_IN] = y[Y_LOSS] = 0.0;
    for (int i = 0; i < ARM_JOINTS; i++) {
        const drive *const m = &drives[i];
        const double *const own = x + place_of(i, 0);
        const double turned = own[PHI] / m->ratio - own[Q];
        const double turning = own[OMEGA] / m->ratio - own[QD];
        y[Y_ENERGY] += 0.5 * (m->spring * turned * turned + m->rotor * own[OMEGA] * own[OMEGA] +
                              m->L * own[I] * own[I]);
        y[Y_IN] += own[V] * own[I];
        y[Y_LOSS] += m->R * own[I] * own[I] + m->friction * own[OMEGA] * own[OMEGA] +
                     m->damper * turning * turning;
    }
}

static int output(wrsim_instance *self, const wrsim_point *at, double *ret_y)
{
    const robot *const data = self->data;
    double q[ARM_JOINTS], qd[ARM_JOINTS];
    arm_pose pose;
    for (int i = 0; i < ARM_JOINTS; i++) {
        q[i] = at->x[place_of(i, Q)];
        qd[i] = at->x[place_of(i, QD)];
    }
    arm_pose_at(data->link, q, &pose);
    for (int k = 0; k < 3; k++)
        ret_y[Y_HAND + k] = pose.origin[ARM_JOINTS][k];
    if (is_balanced(self))
        balance(data, at->x, q, qd, ret_y);
    return 0;
}

const wrsim_model wr_model_robot = {
    WR_MODEL("robot", "arm with six joints, elastic gears, motors and controllers", params,
             describe),
    .init = init,
    .rhs = rhs,
    .output = output,
    .next_time = next_time,
};
