/* The robot: rigid-body dynamics against Lagrange's equations and published values, energy balance, declared patterns, the
 * start at rest and the end of the move.
 */
#include "describe_host.h"

#include "models/robot/arm.h"

extern const wrsim_model wr_model_robot;

enum { N_KIND = 13, N = 78, OMEGA = 9, PHI, Q, QD };
enum { Y_ENERGY = 9, Y_IN, Y_LOSS, N_Y };

static uint64_t random_state = 1;
static double random_unit(void) { return wr_random_unit(&random_state); }

/* Sets an arm with no zero or equal parameters, so that every term has an effect. */
static void any_arm(arm_link *link)
{
    for (int i = 0; i < ARM_JOINTS; i++) {
        link[i] = (arm_link){.a = 0.5 * random_unit(),
                             .d = 0.5 * random_unit(),
                             .twist = 2.0 * random_unit(),
                             .mass = 2.0 + random_unit()};
        for (int k = 0; k < 3; k++) {
            link[i].center[k] = 0.3 * random_unit();
            link[i].inertia[k] = 0.1 + 0.05 * random_unit();
        }
    }
}

/* Returns the kinetic energy from the motion of the bodies, without the mass matrix; differences give the velocities of the centres. */
static double kinetic(const arm_link *link, const double *q, const double *qd)
{
    const double h = 1e-4;
    arm_pose side[2], here;
    double w[3] = {0.0, 0.0, 0.0}, energy = 0.0;
    for (int k = 0; k < 2; k++) {
        double moved[ARM_JOINTS];
        for (int i = 0; i < ARM_JOINTS; i++)
            moved[i] = q[i] + (k ? h : -h) * qd[i];
        arm_pose_at(link, moved, &side[k]);
    }
    arm_pose_at(link, q, &here);
    for (int i = 0; i < ARM_JOINTS; i++)
        for (int k = 0; k < 3; k++) {
            w[k] += qd[i] * here.axis[i][k];
            if (k < 2)
                continue;
            for (int r = 0; r < 3; r++) {
                const double v = (side[1].center[i][r] - side[0].center[i][r]) / (2.0 * h);
                energy += 0.5 * link[i].mass * v * v;
                for (int c = 0; c < 3; c++)
                    energy += 0.5 * w[r] * here.inertia[i][r][c] * w[c];
            }
        }
    return energy;
}

static double potential(const arm_link *link, const double *q)
{
    static const double still[ARM_JOINTS];
    return arm_energy(link, q, still);
}

static double by_mass_matrix(const arm_link *link, const double *q, const double *a,
                             const double *b)
{
    arm_pose pose;
    double mass[ARM_JOINTS][ARM_JOINTS], sum = 0.0;
    arm_pose_at(link, q, &pose);
    arm_mass_matrix(link, &pose, mass);
    for (int i = 0; i < ARM_JOINTS; i++)
        for (int j = 0; j < ARM_JOINTS; j++)
            sum += a[i] * mass[i][j] * b[j];
    return sum;
}

TEST(mass_matrix)
{
    for (int trial = 0; trial < 50; trial++) {
        arm_link link[ARM_JOINTS];
        double q[ARM_JOINTS], qd[ARM_JOINTS];
        any_arm(link);
        for (int i = 0; i < ARM_JOINTS; i++) {
            q[i] = 3.0 * random_unit();
            qd[i] = random_unit();
        }
        /* Differences over h have the error h^2 |q'|^2 / 6. */
        assert_close(0.5 * by_mass_matrix(link, q, qd, qd), kinetic(link, q, qd), 1e-6, 0.0);
    }
}

/* b_i = d/dt (M q')_i - dT/dq_i + dV/dq_i with q'' = 0, by differences. */
TEST(bias_is_lagrange)
{
    const double h = 1e-5;
    for (int trial = 0; trial < 50; trial++) {
        arm_link link[ARM_JOINTS];
        arm_pose pose;
        double q[ARM_JOINTS], qd[ARM_JOINTS], bias[ARM_JOINTS];
        any_arm(link);
        for (int i = 0; i < ARM_JOINTS; i++) {
            q[i] = 3.0 * random_unit();
            qd[i] = 2.0 * random_unit();
        }
        arm_pose_at(link, q, &pose);
        arm_bias(link, &pose, qd, bias);
        for (int i = 0; i < ARM_JOINTS; i++) {
            double expected = 0.0;
            for (int side = -1; side <= 1; side += 2) {
                double moved[ARM_JOINTS], turned[ARM_JOINTS], unit[ARM_JOINTS] = {0.0};
                for (int k = 0; k < ARM_JOINTS; k++) {
                    moved[k] = q[k] + side * h * qd[k];
                    turned[k] = q[k] + (k == i ? side * h : 0.0);
                }
                unit[i] = 1.0;
                expected += side / (2.0 * h) *
                            (by_mass_matrix(link, moved, unit, qd) -
                             0.5 * by_mass_matrix(link, turned, qd, qd) + potential(link, turned));
            }
            assert_close(bias[i], expected, 1e-7, 1e-6);
        }
    }
}

/* The PUMA 560 in its nominal pose without a payload: Corke, "Robotics, Vision and Control", 2011, sections 9.2 and 9.3. Corke's matrix
 * includes the rotors, ratio^2 J, and g = 9.81 m/s2. */
TEST(published_arm)
{
    const double published_mass[3][3] = {
        {3.6594, -0.4044, 0.1006}, {-0.4044, 4.4137, 0.3509}, {0.1006, 0.3509, 0.9378}};
    const double rotor[3] = {200e-6 * 62.6111 * 62.6111, 200e-6 * 107.815 * 107.815,
                             200e-6 * 53.7063 * 53.7063};
    const double published_gravity[ARM_JOINTS] = {0.0, 31.6399, 6.0351, 0.0, 0.0283, 0.0};
    const double pi = 3.14159265358979323846;
    const double nominal[ARM_JOINTS] = {0.0, pi / 4, pi, 0.0, pi / 4, 0.0};
    const host_value values[] = {{"payload", 0.0}, {NULL, 0.0}};
    AUTO(host_destroy) model_host *host = host_create(&wr_model_robot, values);
    host_start(host, 0.0);
    const arm_link *const link = host->instance.data; /* the first member */
    static const double still[ARM_JOINTS];
    double mass[ARM_JOINTS][ARM_JOINTS], bias[ARM_JOINTS];
    arm_pose pose;
    arm_pose_at(link, nominal, &pose);
    arm_mass_matrix(link, &pose, mass);
    arm_bias(link, &pose, still, bias);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            assert_close(mass[i][j] + (i == j ? rotor[i] : 0.0), published_mass[i][j], 0.0, 6e-5);
    for (int i = 0; i < ARM_JOINTS; i++)
        assert_close(bias[i] * 9.81 / 9.80665, published_gravity[i], 0.0, 6e-5);
}

static model_host *create(double balance)
{
    const host_value values[] = {{"balance", balance}, {NULL, 0.0}};
    model_host *const host = host_create(&wr_model_robot, values);
    assert_int_equal(host->n[WRSIM_STATE], N);
    host_start(host, 0.0);
    return host;
}

/* Sets random states, with speeds of some rad/s. */
static void go_anywhere(model_host *host)
{
    for (int i = 0; i < N; i++)
        host->x[i] += (i % N_KIND == PHI ? 1e-2 : 1.0) * random_unit() *
                      host->variable[WRSIM_STATE][i].v.nominal;
    for (int joint = 0; joint < ARM_JOINTS; joint++) /* a gear turned by some mrad */
        host->x[joint * N_KIND + Q] = host->x[joint * N_KIND + PHI] / 70.0 + 0.005 * random_unit();
}

TEST(energy)
{
    AUTO(host_destroy) model_host *host = create(1.0);
    const double h = 1e-7;
    for (int trial = 0; trial < 30; trial++) {
        double dx[N], x[N], y[3][N_Y];
        go_anywhere(host);
        assert_int_equal(host_output(host, y[2]), 0);
        assert_int_equal(host_rhs(host, dx), 0);
        memcpy(x, host->x, sizeof x);
        for (int side = 0; side < 2; side++) {
            for (int i = 0; i < N; i++)
                host->x[i] = x[i] + (side ? h : -h) * dx[i];
            assert_int_equal(host_output(host, y[side]), 0);
        }
        memcpy(host->x, x, sizeof x);
        const double rate = (y[1][Y_ENERGY] - y[0][Y_ENERGY]) / (2.0 * h);
        /* The quotient of the energy E errs by E eps / h. */
        assert_close(rate, y[2][Y_IN] - y[2][Y_LOSS], 1e-7, 1e-8 * fabs(y[2][Y_ENERGY]));
        assert_true(fabs(rate) > 1.0);
    }
}

TEST(declared_is_there)
{
    AUTO(host_destroy) model_host *host = create(0.0);
    const host_pattern *const p = &host->pattern[WRSIM_X_X];
    double before[N], after[N];
    int n_there = 0;
    go_anywhere(host);
    assert_int_equal(host_rhs(host, before), 0);
    for (int column = 0; column < N; column++) {
        const double value = host->x[column];
        host->x[column] += 1e-3 * (fabs(value) + host->variable[WRSIM_STATE][column].v.nominal);
        assert_int_equal(host_rhs(host, after), 0);
        host->x[column] = value;
        for (int row = 0; row < N; row++) {
            const int is_there = memcmp(&before[row], &after[row], sizeof(double)) != 0;
            assert_int_equal(is_there, p->is_set[row * N + column]);
            n_there += is_there;
        }
    }
    assert_int_equal(n_there, 342);
}

TEST(starts_at_rest)
{
    AUTO(host_destroy) model_host *host = create(0.0);
    double dx[N];
    assert_int_equal(host_rhs(host, dx), 0);
    /* Amplifiers change by 1e4 V/s per volt: rounding at about 10 V. */
    for (int i = 0; i < N; i++)
        assert_close(dx[i], 0.0, 0.0, 1e-9);
    assert_true(host->x[1 * N_KIND + 8] > 1.0); /* joint 2 holds the arm up */
}

/* The fastest eigenvalue of the robot is about -14000 1/s (`wrsim stability`), so classic Runge-Kutta is stable up to steps of
 * 2.8 / 14000 s. */
TEST(move)
{
    AUTO(host_destroy) model_host *host = create(0.0);
    const double to[ARM_JOINTS] = {1.2, 0.3, 2.4, 0.8, 1.3, -1.0}, h = 1e-4;
    double k[4][N], x[N];
    for (int step = 0; step < 20000; step++) {
        static const double c[4] = {0.0, 0.5, 0.5, 1.0};
        const double t_s = step * h;
        memcpy(x, host->x, sizeof x);
        for (int j = 0; j < 4; j++) {
            host->t_s = t_s + c[j] * h;
            for (int i = 0; i < N; i++)
                host->x[i] = x[i] + (j > 0 ? c[j] * h * k[j - 1][i] : 0.0);
            assert_int_equal(host_rhs(host, k[j]), 0);
        }
        for (int i = 0; i < N; i++)
            host->x[i] = x[i] + h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
    }
    for (int joint = 0; joint < ARM_JOINTS; joint++) {
        assert_close(host->x[joint * N_KIND], to[joint], 0.0, 1e-5);
        assert_close(host->x[joint * N_KIND + Q], to[joint], 0.0,
                     3e-3); /* elastic gears let the arm sag */
        assert_close(host->x[joint * N_KIND + QD], 0.0, 0.0, 1e-3);
    }
}
