/* See live_line.h.
 *
 * Thread: one owner per line. Real-time: no.
 */
#include "cli/live_line.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int wr_live_line_columns(void)
{
    struct winsize size;
    const int is_known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return is_known ? size.ws_col : WR_LIVE_LINE_BYTES;
}

void wr_live_line_draw(wr_live_line *line, const char *text)
{
    char whole[WR_LIVE_LINE_BYTES + 1];
    int most = wr_live_line_columns() - 1;
    most = most < WR_LIVE_LINE_BYTES ? most : WR_LIVE_LINE_BYTES;
    const int n_text = (int)strnlen(text, WR_LIVE_LINE_BYTES), n = n_text < most ? n_text : most;
    /* Blanks the rest of a longer old line, unless the terminal has become too narrow for it. */
    const int n_all = line->n_drawn > n && line->n_drawn <= most ? line->n_drawn : n;
    memset(whole, ' ', sizeof whole);
    memcpy(whole, text, (size_t)n);
    line->n_drawn = n;
    dprintf(STDERR_FILENO, "\r%.*s", n_all, whole);
}

void wr_live_line_clear(wr_live_line *line)
{
    if (line->n_drawn == 0)
        return;
    wr_live_line_draw(line, "");
    dprintf(STDERR_FILENO, "\r");
}
