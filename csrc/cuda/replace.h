// Filling in the open places of a text.
#pragma once

#include <string>
#include <string_view>

namespace mytriton {

inline std::string replace_all(std::string text, std::string_view what, std::string_view with) {
    for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
        text.replace(at, what.size(), with);
    return text;
}

}  // namespace mytriton
