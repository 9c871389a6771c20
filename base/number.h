/* Doubles as text, exact in both directions and independent of the locale.
 *
 * Thread: any. Real-time: no allocation, but slow for a real-time path.
 */
#ifndef WR_NUMBER_H
#define WR_NUMBER_H

#ifdef __cplusplus
extern "C" {
#endif

/* capacity of a number's text, bytes; the longest text is "-2.2250738585072014e-308" */
enum { WR_NUMBER_CAP = 32 };

/* Writes the shortest decimal text that reads back to the same bits, "nan" for either sign,
 * "inf" or "-inf", and a final 0. Returns the length of the text. */
int wr_number_print(double value, char ret_text[WR_NUMBER_CAP]);

/* Reads the text from begin to end. Returns 1 and sets *ret_value if the text is one number, with blanks before or after, else returns
 * 0. */
int wr_number_parse(const char *begin, const char *end, double *ret_value);

#ifdef __cplusplus
}
#endif
#endif
