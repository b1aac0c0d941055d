// SHA-256 (FIPS 180-4): names what a binary was made from, and shows damage to a file.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace mytriton {

class Sha256 {
  public:
    void add(std::string_view bytes);
    // 64 hexadecimal digits, for all bytes that were added. Ends the computation.
    std::string hex();

  private:
    void mix(const unsigned char* block);

    std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<unsigned char, 64> pending_{};
    uint64_t length_ = 0;
};

std::string sha256_hex(std::string_view bytes);

}  // namespace mytriton
