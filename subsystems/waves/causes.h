/* Causes of a jump: the firing rounds of subsystems that led to the jump at the same instant.
 *
 * A member is a subsystem with state events in a ring (a strongly connected part of the graph of connections). The member counts its firing
 * rounds from the window's start. A cause (member, count) of a jump is firing round `count` of that member. Waves outside of rings with
 * state events have no list of causes.
 *
 * By causes a subsystem distinguishes the consequence of its own event from an independent jump. A full list drops further causes. The
 * iteration may then not settle, but accepts no wrong result, because acceptance compares rounds and causes (docs/explanation/events.md).
 *
 * Thread: one writer, then any number of readers, as the wave. Real-time: yes after placing.
 */
#ifndef WR_CAUSES_H
#define WR_CAUSES_H

#include "base/arena.h"

/* Largest number of causes of one instant (assumed). Rings with more members are rare, and longer chains at one instant are rarer. */
enum { WR_CAUSES_MOST = 32 };

typedef struct wr_cause {
    int i_member;
    int count;      /* number of firing rounds of the member since the window's start, >= 1 */
    int is_located; /* a state event begins the instant in this round, so its time has an error */
    double found_s; /* located time if is_located; the event may have waited for a later jump */
} wr_cause;

/* The known causes of one instant: each member once, with its largest count. */
typedef struct wr_cause_set {
    int n;
    wr_cause at[WR_CAUSES_MOST];
} wr_cause_set;

/* A cause of node i_node of a wave. */
typedef struct wr_node_cause {
    int i_node;
    wr_cause cause;
} wr_node_cause;

/* The causes of all nodes of a wave, in node order. */
typedef struct wr_causes {
    int n, cap;
    wr_node_cause *at; /* [cap] */
} wr_causes;

/* Places a list for a wave of cap_node nodes. Returns NULL when the arena is exhausted. */
wr_causes *wr_causes_place(wr_arena *arena, int cap_node);

/* Adds a cause to a set. If the set has a cause of the same member, keeps the larger count and the latest located time. A full set drops
 * causes of further members. */
void wr_cause_set_add(wr_cause_set *set, wr_cause cause);

void wr_cause_set_join(wr_cause_set *to, const wr_cause_set *from);

/* Adds the causes of a wave's node to a set. */
void wr_cause_set_join_node(wr_cause_set *to, const wr_causes *causes, int i_node);

/* Returns the count of a member in a set; 0: the member is no cause. */
int wr_cause_set_count(const wr_cause_set *set, int i_member);

/* Writes a set as the causes of a node, which is after the nodes written so far. */
void wr_causes_write(wr_causes *causes, int i_node, const wr_cause_set *set);

/* Returns the count of a member in the causes of a node; 0: the member is no cause. */
int wr_causes_count(const wr_causes *causes, int i_node, int i_member);

/* Returns whether a wave's jump at t_s has a located event as cause. Returns 1 if causes is NULL. */
int wr_causes_is_located(const wr_causes *causes, const double *node_s, double t_s);

/* Returns the latest found_s of the located causes of a wave's jump at t_s; -INFINITY: none. */
double wr_causes_found(const wr_causes *causes, const double *node_s, double t_s);

/* Copies a list to dst, which has sufficient capacity. src NULL: dst becomes empty. dst NULL: no effect. */
void wr_causes_copy(wr_causes *dst, const wr_causes *src);

#endif
