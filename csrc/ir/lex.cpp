// The scanner behind parse.cpp. Bytes above ASCII are letters: parameter names may be any of
// Python's.
#include "ir/lex.h"

#include <cstdio>

namespace mytriton {

namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80) != 0;
}

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

// A number reaches as far as its characters go; parse.cpp judges whether it is one.
bool continues_number(char c, char before) {
    bool after_exponent = before == 'e' || before == 'E';
    return is_digit(c) || c == '.' || is_letter(c) || ((c == '+' || c == '-') && after_exponent);
}

std::string shown(char c) {
    if (c > ' ' && c <= '~') return std::string("'") + c + "'";
    char code[16];
    std::snprintf(code, sizeof code, "byte 0x%02x", static_cast<unsigned char>(c));
    return code;
}

}  // namespace

char Lexer::peek(size_t ahead) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
}

void Lexer::advance(size_t count) {
    for (; count > 0; --count, ++at_) {
        if (text_[at_] != '\n') continue;
        ++line_;
        line_start_ = at_ + 1;
    }
}

void Lexer::skip_blanks() {
    while (at_ < text_.size()) {
        if (is_blank(peek())) {
            advance(1);
        } else if (peek() == ';') {
            size_t end = text_.find('\n', at_);
            advance((end == std::string_view::npos ? text_.size() : end) - at_);
        } else {
            return;
        }
    }
}

Token Lexer::quoted_name(Token token) {
    // A backslash stands before a quote and itself, and in \\n for the end of a line.
    size_t end = at_ + 1;
    for (; end < text_.size() && text_[end] != '"' && text_[end] != '\n'; ++end) {
        bool escape = text_[end] == '\\' && end + 1 < text_.size() && text_[end + 1] != '\n';
        if (escape) ++end;
        token.text += escape && text_[end] == 'n' ? '\n' : text_[end];
    }
    if (end >= text_.size() || text_[end] == '\n')
        throw CompileError("a quoted name must end on its line", token.loc);
    token.kind = TokenKind::name;
    token.quoted = true;
    advance(end + 1 - at_);
    token.loc.end_col = static_cast<int>(at_ - line_start_);
    return token;
}

Token Lexer::next() {
    skip_blanks();
    int column = static_cast<int>(at_ - line_start_);
    Token token;
    token.loc = {file_, line_, line_, column, column + 1};
    if (at_ >= text_.size()) return token;
    char c = peek();
    if (c == '"') return quoted_name(token);
    bool negative = c == '-' && (is_digit(peek(1)) || is_letter(peek(1)));
    size_t length = 1;
    if (is_letter(c)) {
        while (is_letter(peek(length)) || is_digit(peek(length))) ++length;
        token.kind = TokenKind::name;
    } else if (is_digit(c) || negative) {
        while (continues_number(peek(length), peek(length - 1))) ++length;
        token.kind = TokenKind::number;
    } else if (c == '%' && is_digit(peek(1))) {
        while (is_digit(peek(length))) ++length;
        token.kind = TokenKind::value;
    } else if (std::string_view("(){}<>,:=").find(c) != std::string_view::npos) {
        token.kind = TokenKind::mark;
    } else {
        throw CompileError("unexpected " + shown(c), token.loc);
    }
    token.text = text_.substr(at_, length);
    if (token.kind == TokenKind::value) token.text.erase(0, 1);
    advance(length);
    token.loc.end_col = column + static_cast<int>(length);
    return token;
}

}  // namespace mytriton
