/* Rigid-body dynamics of a serial arm. See arm.h. Thread: any, on different data. Real-time: yes. */
#include "models/robot/arm.h"

#include <math.h>
#include <string.h>

static const double gravity = 9.80665; /* m/s2 */

typedef double matrix[3][3];

static void cross(const double *a, const double *b, double *ret)
{
    const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
    ret[2] = a[0] * b[1] - a[1] * b[0];
    ret[0] = x;
    ret[1] = y;
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Adds factor times b to a. */
static void add(double *a, double factor, const double *b)
{
    for (int k = 0; k < 3; k++)
        a[k] += factor * b[k];
}

static void difference(const double *a, const double *b, double *ret)
{
    for (int k = 0; k < 3; k++)
        ret[k] = a[k] - b[k];
}

static void turn(const matrix by, const double *v, double *ret)
{
    for (int k = 0; k < 3; k++)
        ret[k] = dot(by[k], v);
}

/* Multiplies `before` from the right by the rotations of the joint and of the twist. */
static void turn_frame(matrix before, double q, double twist)
{
    const double c = cos(q), s = sin(q), ct = cos(twist), st = sin(twist);
    const matrix step = {{c, -s * ct, s * st}, {s, c * ct, -c * st}, {0.0, st, ct}};
    matrix after;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            after[i][j] =
                before[i][0] * step[0][j] + before[i][1] * step[1][j] + before[i][2] * step[2][j];
    memcpy(before, after, sizeof after);
}

/* Writes R diag(diagonal) R^T with the rotation R = by. */
static void turn_inertia(const matrix by, const double *diagonal, matrix ret)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            ret[i][j] = by[i][0] * diagonal[0] * by[j][0] + by[i][1] * diagonal[1] * by[j][1] +
                        by[i][2] * diagonal[2] * by[j][2];
}

void arm_pose_at(const arm_link *link, const double *q, arm_pose *ret_pose)
{
    matrix frame = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    for (int k = 0; k < 3; k++)
        ret_pose->origin[0][k] = 0.0;
    for (int i = 0; i < ARM_JOINTS; i++) {
        for (int k = 0; k < 3; k++)
            ret_pose->axis[i][k] = frame[k][2];
        turn_frame(frame, q[i], link[i].twist);
        /* The origin moves along the old z by d, then along the new x by a. */
        double *const end = ret_pose->origin[i + 1];
        memcpy(end, ret_pose->origin[i], 3 * sizeof *end);
        add(end, link[i].d, ret_pose->axis[i]);
        for (int k = 0; k < 3; k++)
            end[k] += link[i].a * frame[k][0];
        turn(frame, link[i].center, ret_pose->center[i]);
        add(ret_pose->center[i], 1.0, end);
        turn_inertia(frame, link[i].inertia, ret_pose->inertia[i]);
    }
}

/* Motion of a frame: angular velocity and acceleration, acceleration of its origin. */
typedef struct motion {
    double w[3], dw[3], acceleration[3];
} motion;

/* Computes the acceleration of a point at `arm` from the origin. */
static void accelerate(const motion *of, const double *arm, double *ret)
{
    double once[3], twice[3];
    memcpy(ret, of->acceleration, 3 * sizeof *ret);
    cross(of->dw, arm, once);
    add(ret, 1.0, once);
    cross(of->w, arm, once);
    cross(of->w, once, twice);
    add(ret, 1.0, twice);
}

/* Computes force and moment about the centre of mass for the link's motion (Newton-Euler). */
static void newton_euler(const arm_link *link, const arm_pose *pose, int i, const motion *of,
                         double *ret_force, double *ret_moment)
{
    double arm[3], spin[3], turned[3];
    difference(pose->center[i], pose->origin[i], arm);
    accelerate(of, arm, ret_force);
    for (int k = 0; k < 3; k++)
        ret_force[k] *= link[i].mass;
    turn(pose->inertia[i], of->dw, ret_moment);
    turn(pose->inertia[i], of->w, spin);
    cross(of->w, spin, turned);
    add(ret_moment, 1.0, turned);
}

void arm_bias(const arm_link *link, const arm_pose *pose, const double *qd, double *ret_torque)
{
    /* Gravity is modelled as an upward acceleration of the base. */
    motion now = {.acceleration = {0.0, 0.0, gravity}};
    double force[ARM_JOINTS][3], moment[ARM_JOINTS][3];
    for (int i = 0; i < ARM_JOINTS; i++) {
        double gyro[3], arm[3], next[3];
        cross(now.w, pose->axis[i], gyro);
        add(now.dw, qd[i], gyro);
        add(now.w, qd[i], pose->axis[i]);
        newton_euler(link, pose, i, &now, force[i], moment[i]);
        difference(pose->origin[i + 1], pose->origin[i], arm);
        accelerate(&now, arm, next);
        memcpy(now.acceleration, next, sizeof next);
    }
    /* force and moment about the origin of joint i */
    double f[3] = {0.0, 0.0, 0.0}, n[3] = {0.0, 0.0, 0.0};
    for (int i = ARM_JOINTS - 1; i >= 0; i--) {
        double arm[3], lever[3];
        difference(pose->origin[i + 1], pose->origin[i], arm);
        cross(arm, f, lever);
        add(n, 1.0, lever);
        difference(pose->center[i], pose->origin[i], arm);
        cross(arm, force[i], lever);
        add(n, 1.0, lever);
        add(n, 1.0, moment[i]);
        add(f, 1.0, force[i]);
        ret_torque[i] = dot(pose->axis[i], n);
    }
}

/* Links i to the last link as one rigid body. */
typedef struct composite {
    double mass, center[3];
    matrix inertia;
} composite;

/* Adds mass (|v|^2 I - v v^T) to the inertia: the parallel-axis theorem. */
static void shift_inertia(matrix inertia, double mass, const double *v)
{
    const double square = dot(v, v);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            inertia[i][j] += mass * ((i == j ? square : 0.0) - v[i] * v[j]);
}

static void join(composite *all, double mass, const double *center, const matrix inertia)
{
    const double total = all->mass + mass;
    double apart[3];
    if (!(total > 0.0))
        return;
    difference(center, all->center, apart);
    shift_inertia(all->inertia, all->mass * mass / total, apart);
    add(all->center, mass / total, apart);
    for (int i = 0; i < 3; i++)
        add(all->inertia[i], 1.0, inertia[i]);
    all->mass = total;
}

void arm_mass_matrix(const arm_link *link, const arm_pose *pose,
                     double ret_mass[ARM_JOINTS][ARM_JOINTS])
{
    composite all = {.mass = 0.0};
    memcpy(all.center, pose->center[ARM_JOINTS - 1], sizeof all.center);
    for (int j = ARM_JOINTS - 1; j >= 0; j--) {
        join(&all, link[j].mass, pose->center[j], pose->inertia[j]);
        /* Moments about the axes of joints 0 ... j for a unit acceleration of joint j. */
        double arm[3], force[3], moment[3], lever[3];
        difference(all.center, pose->origin[j], arm);
        cross(pose->axis[j], arm, force);
        for (int k = 0; k < 3; k++)
            force[k] *= all.mass;
        turn(all.inertia, pose->axis[j], moment);
        for (int i = 0; i <= j; i++) {
            difference(all.center, pose->origin[i], arm);
            cross(arm, force, lever);
            add(lever, 1.0, moment);
            ret_mass[i][j] = ret_mass[j][i] = dot(pose->axis[i], lever);
        }
    }
}

/* Solves a x = b for a symmetric positive definite matrix a, and overwrites a. Returns 0, or 1 if a is not positive definite. */
static int solve(double a[ARM_JOINTS][ARM_JOINTS], double *b)
{
    for (int j = 0; j < ARM_JOINTS; j++) {
        for (int k = 0; k < j; k++)
            a[j][j] -= a[j][k] * a[j][k];
        if (!(a[j][j] > 0.0))
            return 1;
        a[j][j] = sqrt(a[j][j]);
        for (int i = j + 1; i < ARM_JOINTS; i++) {
            for (int k = 0; k < j; k++)
                a[i][j] -= a[i][k] * a[j][k];
            a[i][j] /= a[j][j];
        }
    }
    for (int i = 0; i < ARM_JOINTS; i++) {
        for (int k = 0; k < i; k++)
            b[i] -= a[i][k] * b[k];
        b[i] /= a[i][i];
    }
    for (int i = ARM_JOINTS - 1; i >= 0; i--) {
        for (int k = i + 1; k < ARM_JOINTS; k++)
            b[i] -= a[k][i] * b[k];
        b[i] /= a[i][i];
    }
    return 0;
}

int arm_accelerations(const arm_link *link, const double *q, const double *qd, const double *torque,
                      double *ret_qdd)
{
    arm_pose pose;
    double bias[ARM_JOINTS], mass[ARM_JOINTS][ARM_JOINTS];
    arm_pose_at(link, q, &pose);
    arm_bias(link, &pose, qd, bias);
    arm_mass_matrix(link, &pose, mass);
    for (int i = 0; i < ARM_JOINTS; i++)
        ret_qdd[i] = torque[i] - bias[i];
    return solve(mass, ret_qdd);
}

double arm_energy(const arm_link *link, const double *q, const double *qd)
{
    arm_pose pose;
    double mass[ARM_JOINTS][ARM_JOINTS], energy = 0.0;
    arm_pose_at(link, q, &pose);
    arm_mass_matrix(link, &pose, mass);
    for (int i = 0; i < ARM_JOINTS; i++) {
        energy += gravity * link[i].mass * pose.center[i][2];
        for (int j = 0; j < ARM_JOINTS; j++)
            energy += 0.5 * qd[i] * mass[i][j] * qd[j];
    }
    return energy;
}
