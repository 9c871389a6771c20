/* Units of measurement: reads a text such as "N.m", "kJ/(kg.K)" or "degC", and finds the conversion between two units.
 *
 * Symbols, prefixes and values are of the SI brochure (BIPM, "The International System of Units", 9th edition, 2019, tables 2, 4, 7 and
 * 8). Further symbols are common units such as "atm", "degF" and "rpm". The syntax is a superset of the unit expressions of the Modelica
 * specification (version 3.6, chapter "Unit Expressions"). Products are also written with "*", a space or a middle dot, and powers also
 * with "^" or "**".
 *
 * A plane angle has a dimension of its own, as in the unit definitions of FMI. So a frequency in Hz is no angular velocity in rad/s, and
 * "rpm" and "rev/min" are 2 pi / 60 rad/s.
 *
 * Thread: any. Real-time: wr_unit_apply().
 */
#ifndef WR_UNIT_H
#define WR_UNIT_H

#include <math.h>

/* kg, m, s, A, K, mol, cd, rad */
enum { WR_UNIT_BASES = 8 };

/* A value v in this unit is factor * v + offset in SI base units. */
typedef struct wr_unit {
    int exponent[WR_UNIT_BASES];
    double factor, offset;
} wr_unit;

/* A conversion: factor * v + offset. factor 0: the value does not change. */
typedef struct wr_unit_scale {
    double factor, offset;
} wr_unit_scale;

typedef enum wr_unit_match {
    WR_UNIT_FITS,
    WR_UNIT_OTHER_DIMENSION,
    WR_UNIT_UNREADABLE /* the texts differ, and wrsim cannot read at least one text */
} wr_unit_match;

/* Reads a unit. Returns 0, or -1 if the text is no unit that this file knows. */
int wr_unit_read(const char *text, wr_unit *ret);

/* Writes the dimension in SI base units, such as "kg.m-1.s-2" or "1". Returns ret_text. */
enum { WR_UNIT_TEXT_BYTES = 96 };
const char *wr_unit_text(const wr_unit *unit, char ret_text[WR_UNIT_TEXT_BYTES]);

/* Finds the conversion from one unit to another. An empty text or NULL is no unit, and fits any unit without a conversion, as do equal
 * texts. *ret has the conversion, or no conversion. */
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
