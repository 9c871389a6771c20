/* Units of measurement: reads a text such as "N.m", "kJ/(kg.K)" or "degC", and finds the conversion between two units.
 *
 * Symbols, prefixes and values are of the SI brochure (BIPM, "The International System of Units", 9th edition, 2019, tables 2, 4, 7 and
 * 8). Further symbols are common units such as "atm", "degF" and "rpm". The syntax is a superset of the unit expressions of the Modelica
 * specification (version 3.6, chapter "Unit Expressions"). Products are also written with "*", a space or a middle dot, and powers also
 * with "^" or "**".
 *
 * A text may define its unit: "NAME = FACTOR UNIT + OFFSET" or "NAME = FACTOR UNIT - OFFSET", such as "torr = 133.322 Pa". The offset and
 * UNIT may be absent. A value v in NAME is FACTOR v + OFFSET in UNIT, or FACTOR v - OFFSET. The unit of a difference of two values has the
 * text of the unit, then " (difference)".
 *
 * A plane angle has a dimension of its own, as in the unit definitions of FMI. So a frequency in Hz is no angular velocity in rad/s, and
 * "rpm" and "rev/min" are 2 pi / 60 rad/s.
 *
 * Thread: any. Real-time: wr_unit_apply().
 */
#ifndef WR_UNIT_H
#define WR_UNIT_H

#include <math.h>
#include <stddef.h>

/* kg, m, s, A, K, mol, cd, rad */
enum { WR_UNIT_BASES = 8, WR_UNIT_RADIAN = 7 };

/* A value v in this unit is factor * v + offset in SI base units. */
typedef struct wr_unit {
    int exponent[WR_UNIT_BASES];
    int is_difference; /* 1: the values are differences, and offset is 0 */
    double factor, offset;
} wr_unit;

/* A conversion: factor * v + offset. factor 0: the value does not change. */
typedef struct wr_unit_scale {
    double factor, offset;
} wr_unit_scale;

typedef enum wr_unit_match {
    WR_UNIT_FITS,
    WR_UNIT_OTHER_DIMENSION,
    WR_UNIT_DIFFERENCE, /* one unit has an offset, and the values of the other unit are differences */
    WR_UNIT_UNREADABLE /* the texts differ, and wrsim cannot read at least one text */
} wr_unit_match;

/* Reads a unit. Returns 0, or -1 if the text is no unit that this file knows. */
int wr_unit_read(const char *text, wr_unit *ret);

/* Writes the dimension in SI base units, such as "kg.m-1.s-2" or "1". Returns ret_text. */
enum { WR_UNIT_TEXT_BYTES = 96 };
const char *wr_unit_text(const wr_unit *unit, char ret_text[WR_UNIT_TEXT_BYTES]);

/* Replaces a definition by the unit that wr_unit_read() reads from the name, if both are the same within rounding. A definition may omit
 * rad, as in FMI. */
void wr_unit_settle(const char *name, wr_unit *definition);

/* Writes the text of a unit with a name and a settled definition, which the text omits if the name suffices. definition NULL: the unit has
 * a name only. Returns the length as snprintf(). */
int wr_unit_define(const char *name, const wr_unit *definition, int is_difference, char *ret_text,
                   size_t n_bytes);

/* Finds the conversion between two units. *ret has the conversion, or no conversion. */
wr_unit_match wr_unit_compare(const wr_unit *from, const wr_unit *to, wr_unit_scale *ret);

/* Finds the conversion between the units of two texts. An empty text or NULL is no unit, and fits any unit without a conversion, as do
 * equal texts. A name that wrsim cannot read fits each definition of this name. */
wr_unit_match wr_unit_convert(const char *from, const char *to, wr_unit_scale *ret);

static inline int wr_unit_is_scaled(wr_unit_scale scale)
{
    return scale.factor > 0.0 || scale.factor < 0.0;
}

static inline double wr_unit_apply(wr_unit_scale scale, double value)
{
    return wr_unit_is_scaled(scale) ? scale.factor * value + scale.offset : value;
}

/* Converts a difference of two values. */
static inline double wr_unit_apply_change(wr_unit_scale scale, double change)
{
    return wr_unit_is_scaled(scale) ? scale.factor * change : change;
}

/* Returns the conversion `first`, followed by `then`. */
static inline wr_unit_scale wr_unit_compose(wr_unit_scale first, wr_unit_scale then)
{
    if (!wr_unit_is_scaled(first) || !wr_unit_is_scaled(then))
        return wr_unit_is_scaled(first) ? first : then;
    return (wr_unit_scale){then.factor * first.factor, then.factor * first.offset + then.offset};
}

static inline int wr_unit_is_same_scale(wr_unit_scale a, wr_unit_scale b)
{
    return a.factor <= b.factor && a.factor >= b.factor && a.offset <= b.offset &&
           a.offset >= b.offset;
}

/* Returns whether the conversion and its inverse have finite numbers, and the factor is not 0. */
static inline int wr_unit_is_invertible(wr_unit_scale scale)
{
    return wr_unit_is_scaled(scale) && isfinite(scale.factor) && isfinite(1.0 / scale.factor) &&
           isfinite(scale.offset) && isfinite(scale.offset / scale.factor);
}

static inline wr_unit_scale wr_unit_inverse(wr_unit_scale scale)
{
    return wr_unit_is_scaled(scale)
               ? (wr_unit_scale){1.0 / scale.factor, -scale.offset / scale.factor}
               : scale;
}

#endif
