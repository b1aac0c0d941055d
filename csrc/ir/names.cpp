// The list of words that emitted text cannot use as names.
#include "ir/names.h"

#include <cctype>
#include <cstdio>
#include <initializer_list>
#include <set>
#include <sstream>

#include "ir/type.h"

namespace mytriton {

namespace {

// C++ keywords that Python allows as names.
constexpr const char* kKeywords = R"(
    alignas alignof and_eq asm auto bitand bitor bool case catch char char16_t char32_t
    char8_t co_await co_return co_yield compl concept const const_cast consteval constexpr
    constinit decltype default delete do double dynamic_cast enum explicit export extern
    false float friend goto inline int long mutable namespace new noexcept not_eq nullptr
    operator or_eq private protected public register reinterpret_cast requires short signed
    sizeof static static_assert static_cast struct switch template this thread_local throw
    true typedef typeid typename union unsigned using virtual void volatile wchar_t xor
    xor_eq
)";

// Types that an op's schema would take for the start of another argument, and torch's `self`.
constexpr const char* kSchemaWords = R"(
    Tensor Scalar SymInt str self
)";

// What emitted text itself calls, and what headers that come before it declare.
constexpr const char* kLibraryNames = R"(
    main min max sum abs threadIdx blockIdx blockDim gridDim warpSize signbit printf assert
    malloc free memcpy memset clock NULL f16 bf16
    isnan isinf isfinite fma fmaf sqrt sqrtf rsqrt rsqrtf fabs fabsf copysign copysignf floor
    floorf ceil ceilf round roundf rint rintf trunc truncf fmod fmodf fmin fminf fmax fmaxf
    exp expf exp2 exp2f expm1 expm1f log logf log2 log2f log10 log10f log1p log1pf pow powf
    sin sinf cos cosf tan tanf asin asinf acos acosf atan atanf atan2 atan2f sinh sinhf cosh
    coshf tanh tanhf erf erff erfc erfcf lgamma lgammaf digamma digammaf sigmoid
    sigmoidf to_doubles
    idiv irem iabs shl shr umulhi popc clz convert to_bool from_bool to_mask mask_of bounded
    splat splat_bool iota resize load load_bool store store_bool gather gather_bool scatter
    scatter_bool halve lanes_below addresses fill fill_ints bits_of float_of to_ints to_floats
    f32v f64v i8v i16v i32v i64v u8v u16v u32v u64v kLanes kPartials Element Mask Vector Ints
    each Index pick all is_row load_row load_some load_first prefix move_some store_row reduce_row
    reduce_columns reduce_axis trip_count MT_INLINE
)";

// The start of the names of conversions (f64_to_f32_odd), of which there is one a pair of types.
bool is_conversion(const std::string& name) {
    return name.find("_to_") != std::string::npos && find_scalar(name.substr(0, name.find('_')));
}

// Functions that CUDA's headers declare for double, and with an f behind their name for float.
// Parameters may hide them; a kernel of that name is refused as another overload of theirs.
constexpr const char* kCudaMath = R"(
    acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh cospi cyl_bessel_i0
    cyl_bessel_i1 erf erfc erfcinv erfcx erfinv exp exp10 exp2 expm1 fabs fdim fdivide floor
    fma fmax fmin fmod frexp hypot ilogb j0 j1 jn ldexp lgamma llrint llround log log10 log1p
    log2 logb lrint lround modf nan nearbyint nextafter norm norm3d norm4d normcdf normcdfinv
    pow rcbrt remainder remquo rhypot rint rnorm rnorm3d rnorm4d round rsqrt scalbln scalbn
    sin sincos sincospi sinh sinpi sqrt tan tanh tgamma trunc y0 y1 yn
)";

// Other names that stand at file scope there.
constexpr const char* kCudaNames = R"(
    labs llabs umin umax llmin llmax ullmin ullmax clock64 clock_t dim3 size_t ptrdiff_t
    va_list cudaStream_t cudaError_t
)";

using Words = std::set<std::string, std::less<>>;

Words words_of(std::initializer_list<const char*> lists, const char* suffix = "") {
    Words words;
    for (const char* list : lists) {
        std::istringstream in(list);
        for (std::string word; in >> word;) words.insert(word + suffix);
    }
    return words;
}

const Words& reserved() {
    static const auto* words = new Words(words_of({kKeywords, kSchemaWords, kLibraryNames}));
    return *words;
}

const Words& declared_by_cuda() {
    static const auto* words = [] {
        auto* out = new Words(words_of({kCudaMath, kCudaNames}));
        out->merge(words_of({kCudaMath}, "f"));
        return out;
    }();
    return *words;
}

// v0, v17, v3_0: how emitters name values.
bool looks_like_a_value(const std::string& name) {
    return name.size() > 1 && name[0] == 'v' && std::isdigit(static_cast<unsigned char>(name[1]));
}

}  // namespace

std::string cxx_name(const std::string& name) {
    std::string out;
    for (unsigned char c : name) {
        if (std::isalnum(c) && c < 0x80) {
            out += static_cast<char>(c);
        } else if (c == '_') {
            out += '_';
        } else {
            char code[8];
            std::snprintf(code, sizeof code, "_%02x", c);
            out += code;
        }
    }
    if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0]))) out = "k" + out;
    bool ours = out.starts_with("mt_") || out.starts_with("__") || looks_like_a_value(out) ||
                is_conversion(out);
    return ours || reserved().contains(out) ? "p_" + out : out;
}

std::string cuda_function_name(const std::string& name) {
    std::string out = cxx_name(name);
    return declared_by_cuda().contains(out) ? "p_" + out : out;
}

std::vector<std::string> cxx_names(const std::vector<std::string>& names) {
    std::vector<std::string> out;
    std::set<std::string> taken(names.begin(), names.end());
    for (const std::string& name : names) {
        std::string unique = cxx_name(name);
        while (unique != name && taken.contains(unique)) unique += "_";
        taken.insert(unique);
        out.push_back(unique);
    }
    return out;
}

}  // namespace mytriton
