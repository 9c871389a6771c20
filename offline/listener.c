/* Messages of a study to its caller. See listener.h. Thread: as in listener.h. Real-time: no. */
#include "offline/listener.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/auto_free.h"

void wr_tell(const wr_listener *listener, wr_news news, const char *format, ...)
{
    va_list args;
    WR_AUTO_FREE char *text = NULL;
    va_start(args, format);
    const int n = listener->tell ? vasprintf(&text, format, args) : -1;
    va_end(args);
    if (n < 0)
        return;
    listener->tell(listener->user, news, text);
}

int wr_is_over(const wr_listener *listener)
{
    return listener->is_over && listener->is_over(listener->user);
}
