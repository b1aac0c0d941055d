// Defines the math that shim.h declares, with the functions of rows.
#include "ir/math.h"

namespace rows = mytriton::rows;

bool isinf(float a) {
    return rows::isinf(a);
}
bool isinf(double a) {
    return rows::isinf(a);
}
bool isfinite(float a) {
    return rows::isfinite(a);
}
bool isfinite(double a) {
    return rows::isfinite(a);
}
float fmaf(float a, float b, float c) {
    return rows::fma(a, b, c);
}
double fma(double a, double b, double c) {
    return rows::fma(a, b, c);
}

#define MT_UNARY(name)           \
    float name##f(float a) {     \
        return rows::name##f(a); \
    }                            \
    double name(double a) {      \
        return rows::name##f(a); \
    }
#define MT_BINARY(name)               \
    float name##f(float a, float b) { \
        return rows::name##f(a, b);   \
    }                                 \
    double name(double a, double b) { \
        return rows::name##f(a, b);   \
    }
#include "device_math.def"
