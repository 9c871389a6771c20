/* Names with units. See title.h. Thread: any. Real-time: no. */
#include "runtime/record/title.h"

#include <string.h>

static void put_line(wr_text_buffer *title, const char *part)
{
    for (; *part; part++)
        wr_text_buffer_put(title, *part == '\n' || *part == '\r' ? " " : part, 1);
}

void wr_title_put(wr_text_buffer *title, const char *text, const char *unit)
{
    const size_t n = strlen(text);
    const int has_unit = unit && *unit;
    const int has_brackets = has_unit || (n > 0 && text[n - 1] == ']' && strstr(text, " ["));
    wr_text_buffer_put(title, "", 0);
    put_line(title, text);
    if (!has_brackets)
        return;
    wr_text_buffer_put(title, " [", 2);
    put_line(title, has_unit ? unit : "");
    wr_text_buffer_put(title, "]", 1);
}

const char *wr_title_split(char *title)
{
    const size_t length = strlen(title);
    char *bracket = NULL;
    for (char *c = strstr(title, " ["); c; c = strstr(c + 1, " ["))
        bracket = c;
    if (!bracket || title[length - 1] != ']')
        return "";
    title[length - 1] = 0;
    *bracket = 0;
    return bracket + 2;
}
