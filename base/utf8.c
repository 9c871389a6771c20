/* UTF-8. See utf8.h. Thread: any. Real-time: no. */
#include "base/utf8.h"

size_t wr_utf8_length(const char *text)
{
    const unsigned char *const byte = (const unsigned char *)text;
    const unsigned char lead = byte[0];
    size_t length = 0;
    unsigned char low = 0x80, high = 0xbf; /* limits of the second byte */
    if (lead < 0x80)
        return 1;
    if (lead >= 0xc2 && lead <= 0xdf) {
        length = 2;
    } else if (lead >= 0xe0 && lead <= 0xef) {
        length = 3;
        low = lead == 0xe0 ? 0xa0 : 0x80;
        high = lead == 0xed ? 0x9f : 0xbf;
    } else if (lead >= 0xf0 && lead <= 0xf4) {
        length = 4;
        low = lead == 0xf0 ? 0x90 : 0x80;
        high = lead == 0xf4 ? 0x8f : 0xbf;
    } else {
        return 0;
    }
    if (byte[1] < low || byte[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if (byte[i] < 0x80 || byte[i] > 0xbf) /* a final 0 also fails this test */
            return 0;
    return length;
}

int wr_utf8_is_valid(const char *text)
{
    for (size_t n; *text; text += n)
        if ((n = wr_utf8_length(text)) == 0)
            return 0;
    return 1;
}

int wr_utf8_is_control(const char *text)
{
    const unsigned char *const byte = (const unsigned char *)text;
    return byte[0] < 0x20 || byte[0] == 0x7f || (byte[0] == 0xc2 && byte[1] < 0xa0);
}
