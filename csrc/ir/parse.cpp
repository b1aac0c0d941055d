// A recursive-descent parser, as deep as the grammar and no deeper. Instructions are read first and
// made afterwards, so that a use before its definition reaches the verifier, which names it.
#include "ir/parse.h"

#include <charconv>
#include <map>
#include <optional>

#include "ir/lex.h"
#include "ir/literal.h"

namespace mytriton {

namespace {

constexpr int64_t kMaxNumber = 1'000'000'000;  // of %values: far more than any kernel has

template <class T>
std::optional<T> whole_number(const std::string& text) {
    T number{};
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

struct ParsedInst;
using ParsedInsts = std::vector<ParsedInst>;

struct ParsedRegion {
    RegionId id;
    ParsedInsts insts;
};

struct ParsedInst {
    Inst inst;  // without operands, results and regions
    std::vector<Token> operands = {};
    std::vector<Value> results = {};
    std::vector<ParsedRegion> regions = {};
};

class Parser {
  public:
    Parser(const std::string& text, const std::string& file) : lexer_(text, file) { take(); }

    Kernel run() {
        expect_name("kernel");
        Kernel kernel(take_name("a kernel name").text);
        kernel_ = &kernel;
        parse_params();
        parse_options();
        expect("{");
        ParsedInsts insts = parse_insts();
        if (current_.kind != TokenKind::end) fail("expected the end of the text after the kernel");
        make(insts, 0);
        return kernel;
    }

  private:
    // --- tokens ----------------------------------------------------------------------------------

    [[noreturn]] void fail(const std::string& message) const { fail(message, current_); }

    [[noreturn]] static void fail(const std::string& message, const Token& token) {
        std::string got =
            token.kind == TokenKind::end ? "the end of the text" : "'" + token.text + "'";
        throw CompileError(message + ", got " + got, token.loc);
    }

    Token take() {
        Token taken = std::move(current_);
        current_ = lexer_.next();
        return taken;
    }

    bool at_mark(std::string_view mark) const {
        return current_.kind == TokenKind::mark && current_.text == mark;
    }

    bool at_name(std::string_view name) const {
        return current_.kind == TokenKind::name && !current_.quoted && current_.text == name;
    }

    bool take_if(std::string_view mark) {
        if (!at_mark(mark)) return false;
        take();
        return true;
    }

    void expect(std::string_view mark) {
        if (!take_if(mark)) fail("expected '" + std::string(mark) + "'");
    }

    void expect_name(std::string_view name) {
        if (!at_name(name)) fail("expected '" + std::string(name) + "'");
        take();
    }

    Token take_name(const char* what) {
        if (current_.kind != TokenKind::name) fail(std::string("expected ") + what);
        return take();
    }

    int64_t take_int(const char* what) {
        std::optional<int64_t> number;
        if (current_.kind == TokenKind::number) number = whole_number<int64_t>(current_.text);
        if (!number) fail(std::string("expected ") + what);
        take();
        return *number;
    }

    // --- types -----------------------------------------------------------------------------------

    Type parse_type() {
        Token name = take_name("a type");
        if (name.text == "vector" || name.text == "block") return parse_block(name);
        return parse_element(name);
    }

    Type parse_element(const Token& name) {
        if (name.text == "ptr") {
            expect("<");
            Token pointee = take_name("an element type");
            Type type = Type::pointer(scalar_called(pointee));
            expect(">");
            return type;
        }
        return Type::scalar(scalar_called(name));
    }

    static Scalar scalar_called(const Token& name) {
        if (std::optional<Scalar> scalar = find_scalar(name.text)) return *scalar;
        fail("expected a type", name);
    }

    // 256 x f32, or 16x32 x f32: the sizes of a block stand in one word that begins with a digit.
    Type parse_block(const Token& name) {
        expect("<");
        Token sizes = current_;
        if (sizes.kind != TokenKind::number) fail("expected the sizes of a block");
        take();
        std::vector<int64_t> shape;
        int64_t lanes = 1;
        for (size_t from = 0; from <= sizes.text.size();) {
            size_t to = std::min(sizes.text.find('x', from), sizes.text.size());
            std::optional<int64_t> size = whole_number<int64_t>(sizes.text.substr(from, to - from));
            if (!size || *size < 1 || *size > kMaxLanes)
                fail("expected sizes of at least 1", sizes);
            shape.push_back(*size);
            lanes *= *size;
            if (lanes > kMaxLanes || shape.size() > kMaxRank)
                fail("expected a block of at most " + std::to_string(kMaxLanes) +
                         " lanes and rank " + std::to_string(kMaxRank),
                     sizes);
            from = to + 1;
        }
        if ((shape.size() == 1) != (name.text == "vector"))
            fail("a block of rank 1 is a vector, of a higher rank a block", name);
        expect_name("x");
        Type element = parse_element(take_name("an element type"));
        expect(">");
        return element.with_shape(shape);
    }

    // --- the kernel ------------------------------------------------------------------------------

    void parse_params() {
        expect("(");
        while (!at_mark(")")) {
            Token name = take_name("a parameter");
            expect(":");
            Token type_token = current_;
            Type type = parse_type();
            if (type.is_block()) fail("a parameter is a scalar or a pointer", type_token);
            if (!params_.emplace(name.text, kernel_->add_param(name.text, type)).second)
                fail("every parameter needs its own name", name);
            if (!at_mark(")")) expect(",");
        }
        take();
    }

    void parse_options() {
        KernelOptions options;
        while (!at_mark("{")) {
            Token name = take_name("'{'");
            expect("=");
            Token value = current_;
            if (name.text == "num_warps") {
                int64_t count = take_int("a number of warps");
                if (count < 1 || count > kMaxWarps || (count & (count - 1)) != 0)
                    fail("expected a power of two, 1 to " + std::to_string(kMaxWarps), value);
                options.num_warps = static_cast<int>(count);
            } else if (name.text == "layout") {
                expect_name("lane");
                options.lane_layout = true;
            } else if (name.text == "accuracy") {
                expect_name("fast");
                options.fast = true;
            } else {
                fail("expected num_warps, layout, accuracy or '{'", name);
            }
        }
        kernel_->set_options(options);
    }

    ParsedInsts parse_insts() {
        ParsedInsts insts;
        while (!at_mark("}")) insts.push_back(parse_inst());
        take();
        return insts;
    }

    ParsedInst parse_inst() {
        ParsedInst parsed{};
        std::vector<Token> names;
        Loc loc = current_.loc;
        while (current_.kind == TokenKind::value) {
            names.push_back(take());
            if (!take_if(",")) break;
        }
        if (!names.empty()) expect("=");
        Token op = take_name(names.empty() ? "an instruction" : "an op");
        std::optional<Op> found = find_op(op.text);
        if (!found || op.quoted) fail("expected an op", op);
        parsed.inst.op = *found;
        bool more = true;
        std::vector<Token> args;
        if (*found == Op::for_ || *found == Op::while_) {
            args = parse_loop(parsed);
            more = false;
        }
        if (takes_text(*found)) {
            if (!current_.quoted) fail("expected a text in quotes");
            parsed.inst.text = take().text;
            more = take_if(",");
        }
        while (more && is_operand()) {
            parsed.operands.push_back(take());
            if (!take_if(",")) break;
            if (!is_operand()) fail("expected an operand");
        }
        bool regions = info(*found).has(kRegions);
        if (!regions && take_if("{")) parse_attrs(parsed.inst);
        std::vector<Type> types;
        if (!names.empty()) {
            do {
                if (types.empty()) expect(":");
                types.push_back(parse_type());
            } while (take_if(","));
            if (types.size() != names.size())
                fail("expected a type for each of the " + std::to_string(names.size()) + " results",
                     op);
        }
        loc.end_col = op.loc.end_col;
        parsed.inst.loc = kernel_->add_loc(at_name("loc") ? parse_loc() : loc);
        for (size_t i = 0; i < names.size(); ++i) define(parsed, names[i], types[i]);
        if (regions) parse_regions(parsed, args);
        return parsed;
    }

    // %0 in range(0, n, 1) iter_args(%1 = 0.0, %2 = %7); of a while, from iter_args on.
    std::vector<Token> parse_loop(ParsedInst& parsed) {
        std::vector<Token> args;
        if (parsed.inst.op == Op::for_) {
            args.push_back(take_value("an index such as %0"));
            expect_name("in");
            expect_name("range");
            for (const char* mark : {"(", ",", ","}) {
                expect(mark);
                parsed.operands.push_back(take_operand());
            }
            expect(")");
        }
        if (!at_name("iter_args")) return args;
        take();
        expect("(");
        do {
            args.push_back(take_value("a carried value such as %1"));
            expect("=");
            parsed.operands.push_back(take_operand());
        } while (take_if(","));
        expect(")");
        return args;
    }

    // The types of a region's arguments follow from the op: the bounds' and the results'.
    void parse_regions(ParsedInst& parsed, const std::vector<Token>& args) {
        if (++depth_ > kMaxRegionDepth) fail("regions nest too deep here");
        expect("{");
        parsed.regions.push_back({kernel_->add_region(), {}});
        bool is_for = parsed.inst.op == Op::for_;
        for (size_t i = 0; i < args.size(); ++i) {
            size_t carried = is_for ? i - 1 : i;
            Type type;
            if (is_for && i == 0)
                type = type_of_bounds(parsed);
            else if (carried < parsed.results.size())
                type = kernel_->type(parsed.results[carried]);
            else
                fail("expected a result for each carried value", args[i]);
            values_.emplace(args[i].text,
                            kernel_->add_arg(parsed.regions[0].id, type, number_of(args[i])));
        }
        parsed.regions[0].insts = parse_insts();
        if (parsed.inst.op == Op::if_) {
            parsed.regions.push_back({kernel_->add_region(), {}});
            if (at_name("else")) {
                take();
                expect("{");
                parsed.regions[1].insts = parse_insts();
            }
        }
        for (ParsedRegion& region : parsed.regions)
            if (region.insts.empty() || region.insts.back().inst.op != Op::yield)
                region.insts.push_back({Inst{.op = Op::yield, .loc = parsed.inst.loc}});
        --depth_;
    }

    // Of the first bound that has one by now; the verifier finds those that differ.
    Type type_of_bounds(const ParsedInst& parsed) {
        for (const Token& token : parsed.operands) {
            auto known = values_.find(token.text);
            if (token.kind == TokenKind::value && known == values_.end()) continue;
            return kernel_->type(value_of(token));
        }
        return Type::scalar(Scalar::i32);
    }

    Token take_value(const char* what) {
        if (current_.kind != TokenKind::value) fail(std::string("expected ") + what);
        return take();
    }

    Token take_operand() {
        if (!is_operand()) fail("expected an operand");
        return take();
    }

    // An operand begins like a result or an op does, so what follows tells: `%3 = ` starts the next
    // instruction. A bare op without operands is followed by `{`, `:` or the next instruction's op.
    bool is_operand() {
        if (current_.kind == TokenKind::number || current_.kind == TokenKind::value) return true;
        return current_.kind == TokenKind::name &&
               (current_.quoted || !find_op(current_.text) || params_.contains(current_.text));
    }

    void parse_attrs(Inst& inst) {
        do {
            Token name = take_name("an attribute");
            std::optional<AttrKey> key = find_attr_key(name.text);
            if (!key) fail("expected an attribute, such as axis", name);
            if (inst.find_attr(*key)) fail("an attribute is given once", name);
            expect("=");
            inst.attrs.push_back({*key, parse_attr_value(*key)});
        } while (take_if(","));
        expect("}");
    }

    int64_t parse_attr_value(AttrKey key) {
        if (key == AttrKey::order) return parse_order();
        if (!takes_words(key)) return take_int("a whole number");
        std::optional<int64_t> word = find_attr_word(key, current_.text);
        if (!word) fail("expected a value of " + std::string(attr_name(key)));
        take();
        return *word;
    }

    // 1x0: the axes in one word.
    int64_t parse_order() {
        Token word = current_;
        std::vector<int64_t> order;
        bool fits = word.kind == TokenKind::number && word.text.size() % 2 == 1;
        for (size_t i = 0; fits && i < word.text.size(); ++i) {
            char c = word.text[i];
            fits = i % 2 == 1 ? c == 'x' : c >= '0' && c < '0' + static_cast<char>(kMaxRank);
            if (i % 2 == 0) order.push_back(c - '0');
        }
        if (!fits || order.size() > kMaxRank) fail("expected an order of axes, such as 1x0");
        take();
        return pack_order(order);
    }

    // loc("kernel.py":7:4:7:13), lines from 1 and columns from 0.
    Loc parse_loc() {
        take();
        expect("(");
        Loc loc;
        loc.file = take_name("a file name").text;
        loc.line = parse_position();
        loc.col = parse_position();
        loc.end_line = parse_position();
        loc.end_col = parse_position();
        expect(")");
        return loc;
    }

    int parse_position() {
        expect(":");
        Token token = current_;
        int64_t number = take_int("a line or column");
        if (number < 0 || number > kMaxNumber) fail("expected a line or column", token);
        return static_cast<int>(number);
    }

    // --- values ----------------------------------------------------------------------------------

    static uint32_t number_of(const Token& token) {
        std::optional<int64_t> number = whole_number<int64_t>(token.text);
        if (!number || *number > kMaxNumber) fail("expected a smaller value number", token);
        return static_cast<uint32_t>(*number);
    }

    void define(ParsedInst& parsed, const Token& name, Type type) {
        Value value = kernel_->add_result(type, number_of(name));
        parsed.results.push_back(value);
        values_.emplace(name.text, value);  // of two definitions the first stands
    }

    Value value_of(const Token& token) {
        if (token.kind == TokenKind::value) {
            // A value that nothing defines is made up here, for the verifier to find.
            auto [known, is_new] = values_.try_emplace(token.text);
            if (is_new) known->second = kernel_->add_result(Type(), number_of(token));
            return known->second;
        }
        // none, true, inf and their like are never parameters; those print in quotes.
        if (!token.quoted && token.text == "none") return Value();
        std::optional<Constant> constant;
        if (!token.quoted) constant = parse_constant(token.text);
        auto param = params_.find(token.text);
        if (!constant && param != params_.end()) return param->second;
        if (!constant) fail("expected a value, a parameter, a constant or none", token);
        return kernel_->constant(Type::scalar(constant->scalar), constant->bits);
    }

    void make(ParsedInsts& insts, RegionId region) {
        for (ParsedInst& parsed : insts) {
            for (const Token& token : parsed.operands)
                parsed.inst.operands.push_back(value_of(token));
            parsed.inst.results = parsed.results;
            for (const ParsedRegion& each : parsed.regions) parsed.inst.regions.push_back(each.id);
            kernel_->append(region, std::move(parsed.inst));
            for (ParsedRegion& each : parsed.regions) make(each.insts, each.id);
        }
    }

    Lexer lexer_;
    Token current_;
    Kernel* kernel_ = nullptr;
    int depth_ = 0;
    std::map<std::string, Value> params_;
    std::map<std::string, Value> values_;
};

}  // namespace

Kernel parse_kernel(const std::string& text, const std::string& file) {
    return Parser(text, file).run();
}

}  // namespace mytriton
