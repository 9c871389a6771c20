/* Messages of a study to its caller. Thread: the thread of the study; is_over() any thread. Real-time: no. */
#ifndef WR_LISTENER_H
#define WR_LISTENER_H

#include "wrsim/wrsim.h"

/* Kinds of messages to the listener. The library prints nothing. */
typedef enum wr_news {
    WR_NEWS_PROGRESS, /* a line about the progress */
    WR_NEWS_NOTE,     /* a note; the study continues */
    WR_NEWS_ERROR,
    WR_NEWS_USAGE /* an error in the call */
} wr_news;

typedef struct wr_listener {
    void (*tell)(void *user, wr_news news, const char *text); /* receives a line */
    wrsim_report_fn report;                                   /* receives errors of a config */
    /* Returns 1 if the study must stop, for example after an interrupt. Any thread may call is_over(). */
    int (*is_over)(void *user);
    void *user;
} wr_listener;

/* Sends a message to the listener; drops the message if tell is NULL or memory is exhausted. */
void wr_tell(const wr_listener *listener, wr_news news, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Returns 1 if the study must stop; 0 without is_over(). */
int wr_is_over(const wr_listener *listener);

#endif
