// Tokens of the text form of typed SSA.
#pragma once

#include <string>
#include <string_view>

#include "ir/error.h"

namespace mytriton {

enum class TokenKind {
    end,
    name,    // kernel, add, x; also "any text", quoted
    value,   // %12
    number,  // 12, -1.5, 1e-05, inf, -inf
    mark,    // one of ( ) { } < > , : =
};

struct Token {
    TokenKind kind = TokenKind::end;
    std::string text;  // without % or quotes
    bool quoted = false;
    Loc loc;
};

// Splits text into tokens, one at a time. `;` starts a comment that ends with the line.
class Lexer {
  public:
    Lexer(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

    // CompileError at a character that starts no token, and at a string without an end.
    Token next();

  private:
    void skip_blanks();
    char peek(size_t ahead = 0) const;
    void advance(size_t count);
    Token quoted_name(Token token);

    std::string_view text_;
    std::string file_;
    size_t at_ = 0;
    int line_ = 1;
    size_t line_start_ = 0;
};

}  // namespace mytriton
