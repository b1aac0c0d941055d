#ifndef STUB
#define STUB
namespace mytriton::rows {
#define S(name)                                 \
    template <class F>                          \
    [[gnu::always_inline]] inline F name(F a) { \
        return a;                               \
    }
S(lgammaf)
}  // namespace mytriton::rows
#endif
