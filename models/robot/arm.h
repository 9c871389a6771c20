/* Rigid-body dynamics of a serial arm with six revolute joints, in the coordinates of its base (z up).
 *
 * The functions solve M(q) q'' + b(q, q') = torque. The bias b (Coriolis, centrifugal, gravity) is from the recursive Newton-Euler
 * method, the mass matrix M from composite rigid bodies (Featherstone, "Rigid Body Dynamics Algorithms", 2008, ch. 5 and 6). Cholesky's
 * factors of M solve the equation.
 *
 * Thread: any, on different data. Real-time: yes.
 */
#ifndef WR_MODELS_ROBOT_ARM_H
#define WR_MODELS_ROBOT_ARM_H

enum { ARM_JOINTS = 6 };

/* A link and its joint, by standard Denavit-Hartenberg parameters. The joint is a rotation q about z and a translation d along z of the
 * previous frame. The link is a translation a along the new x and a rotation `twist` about the new x. */
typedef struct arm_link {
    double a, d, twist; /* m, m, rad */
    double mass;        /* kg */
    double center[3];   /* m; centre of mass in the link's frame, whose origin is at the far end */
    double inertia[3];  /* kg m2; about the centre of mass, along the frame's axes */
} arm_link;

/* Position and orientation of the arm's bodies. */
typedef struct arm_pose {
    double axis[ARM_JOINTS][3]; /* axis of joint i, in base coordinates */
    double origin[ARM_JOINTS + 1]
                 [3]; /* m; a point on the axis of joint i; the last point: the end of the arm */
    double center[ARM_JOINTS][3];     /* m; centres of mass of the links */
    double inertia[ARM_JOINTS][3][3]; /* kg m2; inertia about the centres of mass */
} arm_pose;

void arm_pose_at(const arm_link *link, const double *q, arm_pose *ret_pose);

/* Computes b(q, q'), N m. */
void arm_bias(const arm_link *link, const arm_pose *pose, const double *qd, double *ret_torque);

/* Computes M(q), kg m2; the full symmetric matrix. */
void arm_mass_matrix(const arm_link *link, const arm_pose *pose,
                     double ret_mass[ARM_JOINTS][ARM_JOINTS]);

/* Computes q'' from torques, rad/s2. Returns 0, or 1 if M is not positive definite. */
int arm_accelerations(const arm_link *link, const double *q, const double *qd, const double *torque,
                      double *ret_qdd);

/* Returns the kinetic and potential energy, J. The potential energy is 0 if the centres of mass of all links are at the height of the
 * base. */
double arm_energy(const arm_link *link, const double *q, const double *qd);

#endif
