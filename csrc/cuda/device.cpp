// Device functions: what rows call and CUDA has no name for, as texts with the type left open.
#include "cuda/device.h"

#include "cuda/fast.h"
#include "cuda/replace.h"
#include "ir/error.h"
#include "ir/literal.h"

namespace mytriton {

namespace {

// $T: the type. $U: the same without sign. $bits: its width. The one with `of_signed` serves signed
// types, the other all types or the unsigned ones.
struct DeviceFunction {
    std::string_view name;
    bool of_signed;
    std::string_view text;
};

// See ir/math_digamma.h. $name: with an f for float, which is computed in double too.
constexpr std::string_view kDigamma = R"(static __device__ $T $name($T x) {
    const double d = x, a = fabs(d);
    const bool near = a < 10.0;
    double sum = 0.0;
    for (int k = 9; k > 0; --k) sum += 1.0 / (a + k);
    if (!near) sum = 0.0;
    const double first = d < 0.0 ? (near ? 0.0 : -1.0 / a) : (near ? 1.0 / d : 0.0);
    const double y = near ? a + 10.0 : a, r = 1.0 / y, z = r * r;
    double p = fma(-1.0 / 12, z, 691.0 / 32760);
    p = fma(p, z, -1.0 / 132);
    p = fma(p, z, 1.0 / 240);
    p = fma(p, z, -1.0 / 252);
    p = fma(p, z, 1.0 / 120);
    p = fma(p, z, -1.0 / 12);
    const double rising = ((log(y) - sum) + fma(p, z, -0.5 * r)) - first;
    if (!(d < 0.0)) return ($T)rising;
    const double e = d - rint(d);
    if (d == rint(d)) return ($T)__longlong_as_double(0x7ff8000000000000);
    return ($T)(rising - 3.14159265358979323846 / tan(e * 3.14159265358979323846));
}
)";

constexpr DeviceFunction kRowFunctions[] = {
    {"idiv", true, R"(static __device__ $T idiv($T a, $T b) {
    return b == 0 ? -1 : b == -1 ? ($T)(0 - ($U)a) : a / b;
}
)"},
    {"idiv", false, R"(static __device__ $T idiv($T a, $T b) {
    return b == 0 ? ($T)-1 : a / b;
}
)"},
    {"irem", true, R"(static __device__ $T irem($T a, $T b) {
    return b == 0 ? a : b == -1 ? 0 : a % b;
}
)"},
    {"irem", false, R"(static __device__ $T irem($T a, $T b) {
    return b == 0 ? a : a % b;
}
)"},
    {"iabs", true, R"(static __device__ $T iabs($T a) {
    return a < 0 ? ($T)(0 - ($U)a) : a;
}
)"},
    {"iabs", false, R"(static __device__ $T iabs($T a) {
    return a;
}
)"},
    {"shl", false, R"(static __device__ $T shl($T a, $T b) {
    return ($U)b < $bits ? ($T)(($U)a << b) : 0;
}
)"},
    {"shr", true, R"(static __device__ $T shr($T a, $T b) {
    return a >> (($U)b < $bits ? b : $bits - 1);
}
)"},
    {"shr", false, R"(static __device__ $T shr($T a, $T b) {
    return b < $bits ? a >> b : 0;
}
)"},
    {"umulhi", false, R"(static __device__ $T umulhi($T a, $T b) {
    return $umulhi(a, b);
}
)"},
    {"popc", false, R"(static __device__ int popc($T a) {
    return __popc$ll(a);
}
)"},
    {"clz", false, R"(static __device__ int clz($T a) {
    return __clz$ll(a);
}
)"},
    // exp(-|a|) cannot overflow, so that very negative arguments keep their small results.
    {"sigmoidf", false, R"(static __device__ float sigmoidf(float a) {
    const float small = expf(-fabsf(a));
    return (a < 0.0f ? small : 1.0f) / (1.0f + small);
}
)"},
    // One multiplication and one instruction of the special functions' unit.
    {"exp_fast", false, R"(static __device__ float exp_fast(float x) {
    const float a = x * 1.44269504f;
    float r;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a));
    return r;
}
)"},
    {"digammaf", false, kDigamma},
    {"digamma", false, kDigamma},
    {"sigmoid", false, R"(static __device__ double sigmoid(double a) {
    const double small = exp(-fabs(a));
    return (a < 0.0 ? small : 1.0) / (1.0 + small);
}
)"},
};

// Float to int saturates and takes NaN to 0, which the instruction does only for f32 to 32 bits.
// $F, $f: the float's type and IR name; $t: the int's IR name; $wide: what is converted to first.
constexpr std::string_view kNarrow = R"(static __device__ $T $f_to_$t($F a) {
    const int whole = isnan(a) ? 0 : $convert(a);
    return whole < $least ? $least : whole > $largest ? $largest : whole;
}
)";
constexpr std::string_view kNoNan = R"(static __device__ $T $f_to_$t($F a) {
    return isnan(a) ? 0 : $convert(a);
}
)";

// Conversions from and to 16 bits, and from f64 by truncation and rounding to odd, as in scalar.h.
// `asm` names what it computes r, and what it reads a.
constexpr DeviceFunction kHalfFunctions[] = {
    {"f16_to_f32", false, R"(static __device__ float f16_to_f32(f16 a) {
    float r;
    asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(a));
    return r;
}
)"},
    {"bf16_to_f32", false, R"(static __device__ float bf16_to_f32(bf16 a) {
    return __int_as_float(a << 16);
}
)"},
    {"f32_to_f16", false, R"(static __device__ f16 f32_to_f16(float a) {
    f16 r;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(a));
    return r;
}
)"},
    {"f32_to_f16_rtz", false, R"(static __device__ f16 f32_to_f16_rtz(float a) {
    f16 r;
    asm("cvt.rz.f16.f32 %0, %1;" : "=h"(r) : "f"(a));
    return r;
}
)"},
    {"f32_to_bf16", false, R"(static __device__ bf16 f32_to_bf16(float a) {
    const unsigned bits = __float_as_uint(a);
    return isnan(a) ? bits >> 16 | 0x40 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
)"},
    {"f32_to_bf16_rtz", false, R"(static __device__ bf16 f32_to_bf16_rtz(float a) {
    return __float_as_uint(a) >> 16 | (isnan(a) ? 0x40 : 0);
}
)"},
    {"f64_to_f32_odd", false, R"(static __device__ float f64_to_f32_odd(double a) {
    const float r = __double2float_rz(a);
    return (double)r == a ? r : __int_as_float(__float_as_int(r) | 1);
}
)"},
};

// C's name for f64 of each function that is called.
std::string without_f(std::string_view expression) {
    return map_words(expression, [](std::string_view word, bool called) {
        if (called && word.ends_with('f') && word != "isinf") word.remove_suffix(1);
        return std::string(word);
    });
}

std::string without_sign(Scalar scalar) {
    std::string name(info(scalar).name);
    if (!info(scalar).is_unsigned()) name[0] = 'u';
    return std::string(info(*find_scalar(name)).cxx);
}

std::string instance(std::string_view text, Scalar scalar) {
    const ScalarInfo& type = info(scalar);
    std::string out(text);
    out = replace_all(out, "$umulhi", type.bytes == 8 ? "__umul64hi" : "__umulhi");
    out = replace_all(out, "$ll", type.bytes == 8 ? "ll" : "");
    out = replace_all(out, "$bits", std::to_string(type.bits()));
    if (type.is_int()) out = replace_all(out, "$U", without_sign(scalar));
    return replace_all(out, "$T", type.cxx);
}

void define_row_function(std::string_view name, Scalar scalar, DeviceFunctions& functions) {
    bool is_signed = info(scalar).is_int() && !info(scalar).is_unsigned();
    for (bool of_signed : {is_signed, false})
        for (const DeviceFunction& row : kRowFunctions)
            if (row.name == name && row.of_signed == of_signed) {
                functions.insert(replace_all(instance(row.text, scalar), "$name", name));
                return;
            }
}

// The functions of ours that the expression calls.
void define_called(std::string_view expression, Scalar scalar, DeviceFunctions& functions) {
    map_words(expression, [&](std::string_view word, bool called) {
        if (called) define_row_function(word, scalar, functions);
        return "";
    });
}

void define_half(std::string_view name, DeviceFunctions& functions) {
    for (const DeviceFunction& row : kHalfFunctions)
        if (row.name == name) functions.insert(std::string(row.text));
}

// __float2int_rz and its like.
std::string rounding_intrinsic(Scalar from, Scalar to) {
    const ScalarInfo& target = info(to);
    std::string whole = target.bytes == 8 ? "ll" : "int";
    if (target.is_unsigned() && target.bytes >= 4) whole = target.bytes == 8 ? "ull" : "uint";
    return "__" + std::string(info(from).cxx) + "2" + whole + "_rz";
}

std::string float_to_int(Scalar from, Scalar to, const std::string& text,
                         DeviceFunctions& functions) {
    std::string intrinsic = rounding_intrinsic(from, to);
    if (from == Scalar::f32 && info(to).bytes == 4) return intrinsic + "(" + text + ")";
    std::string name = std::string(info(from).name) + "_to_" + std::string(info(to).name);
    std::string out(info(to).bytes < 4 ? kNarrow : kNoNan);
    out = replace_all(out, "$f_to_$t", name);
    out = replace_all(out, "$convert", intrinsic);
    auto number = [&](uint64_t bits) {
        return info(to).is_unsigned() ? std::to_string(bits)
                                      : std::to_string(signed_value(to, bits));
    };
    out = replace_all(out, "$least", number(least_int(to)));
    out = replace_all(out, "$largest", number(largest_int(to)));
    out = replace_all(out, "$F", info(from).cxx);
    functions.insert(replace_all(out, "$T", info(to).cxx));
    return name + "(" + text + ")";
}

std::string to_half(Scalar from, Scalar to, bool towards_zero, const std::string& text,
                    DeviceFunctions& functions) {
    std::string narrow = text;
    if (from == Scalar::f64 && towards_zero) narrow = "__double2float_rz(" + text + ")";
    if (from == Scalar::f64 && !towards_zero) {
        narrow = "f64_to_f32_odd(" + text + ")";
        define_half("f64_to_f32_odd", functions);
    }
    std::string name = "f32_to_" + std::string(info(to).name) + (towards_zero ? "_rtz" : "");
    define_type(to, functions);
    define_half(name, functions);
    return name + "(" + narrow + ")";
}

std::string bit_cast(Scalar from, Scalar to, const std::string& text) {
    bool from_float = info(from).is_float() && info(from).bytes > 2;
    bool to_float = info(to).is_float() && info(to).bytes > 2;
    std::string as_int = info(from).bytes == 8 ? "longlong" : "int";
    std::string as_float = info(from).bytes == 8 ? "double" : "float";
    if (from_float && !to_float) {
        std::string bits = "__" + as_float + "_as_" + as_int + "(" + text + ")";
        return info(to).is_unsigned() ? "(" + std::string(info(to).cxx) + ")" + bits : bits;
    }
    if (to_float && !from_float) {
        std::string bits = info(from).is_unsigned()
                               ? (info(from).bytes == 8 ? "(long long)" : "(int)") + text
                               : text;
        return "__" + as_int + "_as_" + as_float + "(" + bits + ")";
    }
    return "(" + std::string(info(to).cxx) + ")(" + text + ")";
}

}  // namespace

std::string device_expression(Op op, Scalar scalar, bool may_overflow, const std::string (&text)[3],
                              DeviceFunctions& functions) {
    const ScalarInfo& type = info(scalar);
    std::string expression(mytriton::expression(op, scalar));
    if (functions.fast && scalar == Scalar::f32)
        expression = fast_expression(op).value_or(expression);
    if (scalar == Scalar::f64) expression = without_f(expression);
    define_called(expression, scalar, functions);
    // Types below 32 bits are computed as int. That overflows only for products of u16.
    bool narrow_signed = type.bytes < 4 && !type.is_unsigned();
    bool is_wrapping = info(op).has(kWraps) && type.is_int() && type.bytes != 1 && !narrow_signed;
    bool already_unsigned = type.is_unsigned() && type.bytes >= 4;
    if (!is_wrapping || !may_overflow || already_unsigned)
        return substitute(expression, text[0], text[1], text[2]);
    std::string through = type.bytes == 8 ? "(unsigned long long)" : "(unsigned)";
    std::string operands[3];
    for (int i = 0; i < info(op).operands; ++i) operands[i] = through + text[i];
    std::string back = type.is_unsigned() ? "" : "(" + std::string(type.cxx) + ")";
    return back + substitute(expression, operands[0], operands[1]);
}

std::string device_conversion(Op op, Scalar from, Scalar to, const std::string& text,
                              DeviceFunctions& functions) {
    if (op == Op::bitcast) return bit_cast(from, to, text);
    if (info(to).is_half()) return to_half(from, to, op == Op::cast_rtz, text, functions);
    if (op == Op::cast_rtz) return "__double2float_rz(" + text + ")";
    if (info(from).is_half()) {
        std::string name = std::string(info(from).name) + "_to_f32";
        define_type(from, functions);
        define_half(name, functions);
        return name + "(" + text + ")";
    }
    if (to == Scalar::boolean) {
        std::string zero = from == Scalar::f32 ? "0.0f" : from == Scalar::f64 ? "0.0" : "0";
        return "((" + text + ") != " + zero + ")";
    }
    if (info(from).is_float() && info(to).is_int()) return float_to_int(from, to, text, functions);
    return "(" + std::string(info(to).cxx) + ")(" + text + ")";
}

void define_type(Scalar scalar, DeviceFunctions& functions) {
    if (!info(scalar).is_half()) return;
    functions.insert("// The bits of a float.\ntypedef unsigned short " +
                     std::string(info(scalar).name) + ";\n");
}

}  // namespace mytriton
