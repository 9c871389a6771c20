/* Compressible flow through an orifice [Heywood, Internal Combustion Engine Fundamentals, 1988,
 * appendix C], isentropic exponent 1.36 for all the engine's gases:
 *
 *     mdot = A p_up / sqrt(R T_up) psi(p_down / p_up)
 *
 * with three branches: choked below the critical pressure ratio, subsonic, and linear in the
 * pressure difference above 0.99, where psi would have an infinite slope. Flow is continuous across
 * the branches and through zero. Each orifice has three indicators: direction, not laminar, choked.
 *
 * Thread: any. Real-time: yes.
 */
#ifndef ENGINE_ORIFICE_H
#define ENGINE_ORIFICE_H

/* Indicators, and modes, of one orifice. */
enum {
    ENGINE_ORIFICE_FORWARD, /* p1 > p2 */
    ENGINE_ORIFICE_FREE,    /* pressure ratio below 0.99: not laminar */
    ENGINE_ORIFICE_CHOKED,  /* pressure ratio below the critical one */
    ENGINE_ORIFICE_MODE_COUNT
};

/* Mass flow from 1 to 2, kg/s (negative: from 2 to 1). area_m2: effective area; p1, p2: pressures,
 * Pa; rt1, rt2: R T on both sides, J/kg; mode: three frozen modes, or NULL to take the branch from
 * the pressures themselves. */
double engine_orifice(double area_m2, double p1, double rt1, double p2, double rt2,
                      const unsigned char *mode);

/* The three indicators: (p1 - p2) in bar, 0.99 - ratio, critical - ratio. */
void engine_orifice_indicators(double p1, double p2, double ret_z[ENGINE_ORIFICE_MODE_COUNT]);

#endif
