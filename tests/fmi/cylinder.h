/* Value references of the sample FMU of the cylinder (cylinder.c). */
#ifndef WR_SAMPLE_CYLINDER_H
#define WR_SAMPLE_CYLINDER_H

enum {
    CYLINDER_DERIVATIVE = 40,
    CYLINDER_INPUT = 80,
    CYLINDER_OUTPUT = 90,
    CYLINDER_PARAMETER = 105,
    CYLINDER_INDICATOR = 300
};

#endif
