// What errors say, for tests of any part.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace mytriton {

// What `call` throws as an Error, or what it did instead.
template <class Error, class Call>
std::string message_of(Call call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    } catch (const std::exception& error) {
        return std::string("another type of error: ") + error.what();
    }
    return "no error";
}

inline void expect_parts(const std::string& message, const std::vector<std::string>& parts) {
    for (const std::string& part : parts)
        EXPECT_NE(message.find(part), message.npos) << "'" << part << "' is not in: " << message;
}

}  // namespace mytriton
