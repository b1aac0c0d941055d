// Spelling of constants; floats go through std::to_chars, which finds the shortest digits.
#include "ir/literal.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "ir/conversion.h"

namespace mytriton {

namespace {

// The quiet NaN without a payload.
uint64_t nan_bits(Scalar scalar) {
    switch (scalar) {
        case Scalar::f16:
            return 0x7e00;
        case Scalar::bf16:
            return 0x7fc0;
        case Scalar::f64:
            return 0x7ff8000000000000;
        default:
            return 0x7fc00000;
    }
}

double float_value(Scalar scalar, uint64_t bits) {
    return from_bits<double>(apply_conversion(scalar, Scalar::f64, bits));
}

// Python's layout of the shortest digits: plain between 1e-4 and 1e16, else with an exponent of at
// least two digits. Never bare digits, so it is a float in Python, in the IR and (with f) in C++.
template <class Float>
std::string spell_finite(Float value) {
    char buffer[32];
    char* end =
        std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific).ptr;
    std::string text(buffer, end);
    size_t e = text.find('e');
    int exponent = std::atoi(text.c_str() + e + 1);
    if (exponent < -4 || exponent >= 16) return text;
    // Not chars_format::fixed, which gives whole numbers all their digits: 99999997952 for 1e11.
    std::string sign = std::signbit(value) ? "-" : "";
    std::string digits = text.substr(sign.size(), e - sign.size());
    std::erase(digits, '.');
    if (exponent < 0) return sign + "0." + std::string(-exponent - 1, '0') + digits;
    size_t whole = static_cast<size_t>(exponent) + 1;
    if (digits.size() <= whole) digits.resize(whole + 1, '0');
    return sign + digits.insert(whole, ".");
}

std::string spell_finite(Scalar scalar, uint64_t bits) {
    double value = float_value(scalar, bits);
    return scalar == Scalar::f64 ? spell_finite(value) : spell_finite(static_cast<float>(value));
}

std::string hex(uint64_t bits, int digits) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%0*llx", digits, static_cast<unsigned long long>(bits));
    return text;
}

std::string spell_float(Scalar scalar, uint64_t bits) {
    double value = float_value(scalar, bits);
    if (std::isnan(value))
        return bits == nan_bits(scalar) ? "nan" : "nan_" + hex(bits, 2 * info(scalar).bytes);
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return spell_finite(scalar, bits);
}

std::string spell_int(Scalar scalar, uint64_t bits) {
    return info(scalar).is_unsigned() ? std::to_string(bits)
                                      : std::to_string(signed_value(scalar, bits));
}

template <class Number>
std::optional<Number> parse_whole(std::string_view text, int base = 10) {
    Number number{};
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    bool all = error == std::errc() && end == text.data() + text.size();
    return all ? std::optional(number) : std::nullopt;
}

std::optional<uint64_t> parse_int(Scalar scalar, std::string_view text) {
    if (info(scalar).is_unsigned()) {
        std::optional<uint64_t> number = parse_whole<uint64_t>(text);
        return number && *number <= largest_int(scalar) ? number : std::nullopt;
    }
    std::optional<int64_t> number = parse_whole<int64_t>(text);
    if (!number) return std::nullopt;
    uint64_t bits = static_cast<uint64_t>(*number) & (~uint64_t{0} >> (64 - info(scalar).bits()));
    return signed_value(scalar, bits) == *number ? std::optional(bits) : std::nullopt;
}

template <class Float>
std::optional<Float> parse_number(std::string_view text) {
    Float number = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    bool all = error == std::errc() && end == text.data() + text.size() && !std::isnan(number);
    return all ? std::optional(number) : std::nullopt;
}

std::optional<uint64_t> parse_float(Scalar scalar, std::string_view text) {
    if (text == "nan") return nan_bits(scalar);
    if (text.starts_with("nan_0x")) {
        std::optional<uint64_t> bits = parse_whole<uint64_t>(text.substr(6), 16);
        bool is_nan = bits && (*bits >> (info(scalar).bits() - 1)) <= 1 &&
                      std::isnan(float_value(scalar, *bits));
        return is_nan ? bits : std::nullopt;
    }
    // Bare digits are an int, also where they do not fit one.
    if (text != "inf" && text != "-inf" && text.find_first_of(".e") == std::string::npos)
        return std::nullopt;
    // f16 and bf16 are spelled as the f32 of that value.
    if (scalar == Scalar::f64) {
        std::optional<double> number = parse_number<double>(text);
        return number ? std::optional(bits_of(*number)) : std::nullopt;
    }
    std::optional<float> number = parse_number<float>(text);
    if (!number) return std::nullopt;
    uint64_t bits = apply_conversion(Scalar::f32, scalar, bits_of(*number));
    bool overflows = std::isfinite(*number) && std::isinf(float_value(scalar, bits));
    return overflows ? std::nullopt : std::optional(bits);
}

}  // namespace

uint64_t largest_int(Scalar scalar) {
    uint64_t ones = ~uint64_t{0} >> (64 - info(scalar).bits());
    return info(scalar).is_unsigned() ? ones : ones >> 1;
}

uint64_t least_int(Scalar scalar) {
    return info(scalar).is_unsigned() ? 0 : largest_int(scalar) + 1;
}

uint64_t identity_bits(Identity identity, Scalar scalar) {
    bool is_float = info(scalar).is_float();
    auto as_float = [&](float value) {
        return apply_conversion(Scalar::f32, scalar, bits_of(value));
    };
    switch (identity) {
        case Identity::zero:
            return is_float ? as_float(-0.0f) : 0;
        case Identity::one:
            return is_float ? as_float(1) : 1;
        case Identity::lowest:
            return is_float ? as_float(-INFINITY) : least_int(scalar);
        case Identity::highest:
            return is_float ? as_float(INFINITY) : largest_int(scalar);
    }
    return 0;
}

uint64_t canonical(Scalar scalar, uint64_t bits) {
    bool nan = info(scalar).is_float() && std::isnan(float_value(scalar, bits));
    return nan ? nan_bits(scalar) : bits;
}

std::string spell(Scalar scalar, uint64_t bits) {
    if (scalar == Scalar::boolean) return bits ? "true" : "false";
    bool bare = scalar == Scalar::i32 || scalar == Scalar::f32;
    std::string number =
        info(scalar).is_float() ? spell_float(scalar, bits) : spell_int(scalar, bits);
    return bare ? number : number + "_" + std::string(info(scalar).name);
}

std::optional<Constant> parse_constant(const std::string& text) {
    if (text == "true" || text == "false") return Constant{Scalar::boolean, text == "true"};
    std::string_view number = text;
    std::optional<Scalar> typed;
    if (size_t at = text.rfind('_'); at != std::string::npos) {
        typed = find_scalar(text.substr(at + 1));
        if (typed) number = number.substr(0, at);
    }
    auto read = [&](Scalar scalar) -> std::optional<Constant> {
        std::optional<uint64_t> bits;
        if (info(scalar).is_float()) bits = parse_float(scalar, number);
        if (info(scalar).is_int()) bits = parse_int(scalar, number);
        return bits ? std::optional(Constant{scalar, *bits}) : std::nullopt;
    };
    if (typed) return read(*typed);
    if (std::optional<Constant> whole = read(Scalar::i32)) return whole;
    return read(Scalar::f32);
}

std::string spell_cxx(Scalar scalar, uint64_t bits) {
    switch (scalar) {
        case Scalar::f16:
        case Scalar::bf16:
            return hex(bits, 4);
        case Scalar::f32:
        case Scalar::f64: {
            bool wide = scalar == Scalar::f64;
            double value = float_value(scalar, bits);
            if (std::isfinite(value)) return spell_finite(scalar, bits) + (wide ? "" : "f");
            std::string make = wide ? "__longlong_as_double(" : "__int_as_float(";
            std::string ll = wide ? "ll" : "";
            if (std::isinf(value) && value < 0)
                return "(-" + make + hex(identity_bits(Identity::highest, scalar), 8) + ll + "))";
            // Bits with the sign set do not fit an int literal; the conversion keeps them.
            bool sign = std::signbit(value);
            std::string literal = hex(bits, wide ? 16 : 8);
            return make +
                   (sign ? (wide ? "(long long)" + literal + "ull" : "(int)" + literal + "u")
                         : literal + ll) +
                   ")";
        }
        // -2147483648 would be the negation of a long.
        case Scalar::i32:
            return bits == least_int(scalar) ? "(-2147483647 - 1)" : spell(scalar, bits);
        case Scalar::i64:
            return bits == least_int(scalar) ? "(-9223372036854775807ll - 1)"
                                             : spell_int(scalar, bits) + "ll";
        case Scalar::u32:
            return spell_int(scalar, bits) + "u";
        case Scalar::u64:
            return spell_int(scalar, bits) + "ull";
        case Scalar::i8:
        case Scalar::i16:
        case Scalar::u8:
        case Scalar::u16:
            return "(" + std::string(info(scalar).cxx) + ")" + spell_int(scalar, bits);
        case Scalar::boolean:
            return spell(scalar, bits);
    }
    return "";
}

}  // namespace mytriton
