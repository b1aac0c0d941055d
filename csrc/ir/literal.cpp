// Spelling of constants; floats go through std::to_chars, which finds the shortest digits.
#include "ir/literal.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace mytriton {

namespace {

constexpr uint64_t kNan = 0x7fc00000;

// Python's layout of the shortest digits: plain between 1e-4 and 1e16, else with an exponent of at
// least two digits. Never bare digits, so it is a float in Python, in the IR and (with f) in C++.
std::string spell_float(float value) {
    if (std::isnan(value)) {
        char text[16];
        std::snprintf(text, sizeof text, "nan_0x%08x", static_cast<unsigned>(bits_of(value)));
        return bits_of(value) == kNan ? "nan" : text;
    }
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
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

}  // namespace

uint64_t canonical(Scalar scalar, uint64_t bits) {
    bool nan = scalar == Scalar::f32 && std::isnan(from_bits<float>(bits));
    return nan ? kNan : bits;
}

std::string spell(Scalar scalar, uint64_t bits) {
    switch (scalar) {
        case Scalar::boolean:
            return bits ? "true" : "false";
        case Scalar::i32:
            return std::to_string(from_bits<int32_t>(bits));
        case Scalar::f32:
            return spell_float(from_bits<float>(bits));
    }
    return "";
}

std::optional<Constant> parse_constant(const std::string& text) {
    if (text == "true" || text == "false") return Constant{Scalar::boolean, text == "true"};
    if (text == "nan") return Constant{Scalar::f32, kNan};
    const char* first = text.data();
    const char* last = first + text.size();
    if (text.starts_with("nan_0x")) {
        uint32_t bits = 0;
        auto [end, error] = std::from_chars(first + 6, last, bits, 16);
        bool is_nan = error == std::errc() && end == last && std::isnan(from_bits<float>(bits));
        return is_nan ? std::optional(Constant{Scalar::f32, bits}) : std::nullopt;
    }
    int32_t whole = 0;
    if (auto [end, error] = std::from_chars(first, last, whole);
        error == std::errc() && end == last)
        return Constant{Scalar::i32, bits_of(whole)};
    // Bare digits that do not fit an i32 are no f32 either.
    if (text != "inf" && text != "-inf" && text.find_first_of(".e") == std::string::npos)
        return std::nullopt;
    float number = 0;
    auto [end, error] = std::from_chars(first, last, number);
    if (error != std::errc() || end != last || std::isnan(number)) return std::nullopt;
    return Constant{Scalar::f32, bits_of(number)};
}

std::string spell_cxx(Scalar scalar, uint64_t bits) {
    if (scalar == Scalar::f32) {
        float value = from_bits<float>(bits);
        if (std::isfinite(value)) return spell_float(value) + "f";
        char text[40];
        if (std::isinf(value) && value < 0) return "(-__int_as_float(0x7f800000))";
        // Bits above 0x7fffffff do not fit an int literal; the conversion keeps them.
        const char* format =
            bits > 0x7fffffff ? "__int_as_float((int)0x%08xu)" : "__int_as_float(0x%08x)";
        std::snprintf(text, sizeof text, format, static_cast<unsigned>(bits));
        return text;
    }
    // -2147483648 would be the negation of a long.
    if (scalar == Scalar::i32 && from_bits<int32_t>(bits) == INT32_MIN) return "(-2147483647 - 1)";
    return spell(scalar, bits);
}

}  // namespace mytriton
