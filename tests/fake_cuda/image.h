// What the fake NVRTC makes of a text and the fake driver loads: the text itself, behind a header.
// A cubin begins with ELF's magic number; then come lines of words, an empty line, and the text.
#pragma once

#include <cstring>
#include <optional>
#include <sstream>
#include <string>

namespace fake {

struct Image {
    std::string arch;  // sm_90a, or compute_90 of PTX
    std::string text;
};

constexpr const char* kCubinMagic = "\177ELF fake";
constexpr const char* kPtxMagic = ".version 9.0";

inline std::string write_image(const Image& image) {
    std::ostringstream out;
    out << (image.arch.starts_with("sm_") ? kCubinMagic : kPtxMagic) << "\n.target " << image.arch
        << "\n.bytes " << image.text.size() << "\n\n"
        << image.text;
    return out.str();
}

inline bool begins_with(const char* data, const char* magic) {
    return std::strncmp(data, magic, std::strlen(magic)) == 0;
}

// Nothing where the data is no image of ours, or is not whole. It ends with a zero, at the latest.
inline std::optional<Image> read_image(const char* data) {
    if (!begins_with(data, kCubinMagic) && !begins_with(data, kPtxMagic)) return std::nullopt;
    std::istringstream in(data);
    Image image;
    std::string line, word;
    size_t bytes = 0;
    std::getline(in, line);
    if (!(in >> word >> image.arch >> word >> bytes) || word != ".bytes") return std::nullopt;
    const char* text = std::strstr(data, "\n\n");
    if (text == nullptr || std::strlen(text + 2) != bytes) return std::nullopt;
    image.text = text + 2;
    return image;
}

}  // namespace fake
