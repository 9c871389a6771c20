/* Turns of an integration ahead: an integration that begins before the acceptance of the window before. Thread: plain data. */
#ifndef WR_AHEAD_TURN_H
#define WR_AHEAD_TURN_H

typedef enum wr_ahead_turn {
    WR_AHEAD_BEGIN, /* the integration ahead begins */
    WR_AHEAD_END,   /* the integration ahead has ended */
    WR_AHEAD_ADOPT, /* the results are the first integration of their window, after the save of the window's start */
    WR_AHEAD_DROP /* the results do not count */
} wr_ahead_turn;

#endif
