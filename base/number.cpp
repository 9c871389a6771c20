/* Doubles as text. See number.h.
 *
 * This file is C++ because the C++ library has the shortest exact conversion (U. Adams, "Ryu: fast float-to-string
 * conversion", 2018) and a fast exact reader. printf() needs up to three attempts per number, and depends on the locale. The two
 * functions neither throw nor allocate.
 *
 * Thread: any. Real-time: no. */
#include "base/number.h"

#include <charconv>
#include <cmath>
#include <cstring>

extern "C" int wr_number_print(double value, char ret_text[WR_NUMBER_CAP])
{
    if (std::isnan(value)) {
        std::memcpy(ret_text, "nan", 4);
        return 3;
    }
    char *const end = std::to_chars(ret_text, ret_text + WR_NUMBER_CAP - 1, value).ptr;
    *end = 0;
    return static_cast<int>(end - ret_text);
}

extern "C" int wr_number_parse(const char *begin, const char *end, double *ret_value)
{
    while (begin < end && (*begin == ' ' || *begin == '\t'))
        begin++;
    while (end > begin && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
        end--;
    if (begin < end && *begin == '+' && begin + 1 < end && begin[1] != '-')
        begin++; /* other programs may write a '+', which from_chars() refuses */
    double value = 0.0;
    const std::from_chars_result result = std::from_chars(begin, end, value);
    if (result.ec != std::errc() || result.ptr != end)
        return 0;
    *ret_value = value;
    return 1;
}
