// SPDX-License-Identifier: Apache-2.0
// The parser: recursive descent, which the depth limit keeps shallow.
#include "text/json.hpp"

#include <poolproof/text.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

namespace poolproof::text {

struct Json::Children {
    std::vector<Json> items;
    std::vector<std::string_view> names;
};

void Json::Release::operator()(Children* c) const { delete c; }

const std::vector<Json>& Json::items() const {
    static const std::vector<Json> none;
    return children_ ? children_->items : none;
}

const std::vector<std::string_view>& Json::names() const {
    static const std::vector<std::string_view> none;
    return children_ ? children_->names : none;
}

const Json* Json::find(std::string_view name) const {
    if (!children_ || name.empty()) return nullptr;
    // Most names differ in their lengths or first letters.
    const auto& names = children_->names;
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i].size() == name.size() && names[i].front() == name.front() && names[i] == name)
            return &children_->items[i];
    return nullptr;
}

namespace {

std::size_t digits_length(std::string_view s) {
    std::size_t n = 0;
    while (n < s.size() && s[n] >= '0' && s[n] <= '9') ++n;
    return n;
}

void append_utf8(std::string& out, unsigned code) {
    const auto put = [&out](unsigned byte) { out += static_cast<char>(byte); };
    if (code < 0x80) return put(code);
    if (code < 0x800) {
        put(0xC0 | code >> 6);
    } else {
        if (code < 0x10000) {
            put(0xE0 | code >> 12);
        } else {
            put(0xF0 | code >> 18);
            put(0x80 | (code >> 12 & 0x3F));
        }
        put(0x80 | (code >> 6 & 0x3F));
    }
    put(0x80 | (code & 0x3F));
}

}  // namespace

std::size_t number_length(std::string_view s) {
    std::size_t n = !s.empty() && s[0] == '-' ? 1 : 0;
    const std::size_t whole = digits_length(s.substr(n));
    if (whole == 0) return 0;
    n += s[n] == '0' ? 1 : whole;
    if (n < s.size() && s[n] == '.') {
        const std::size_t fraction = digits_length(s.substr(n + 1));
        if (fraction == 0) return 0;
        n += 1 + fraction;
    }
    if (n < s.size() && (s[n] == 'e' || s[n] == 'E')) {
        const std::size_t sign = n + 1 < s.size() && (s[n + 1] == '+' || s[n + 1] == '-') ? 1 : 0;
        const std::size_t exponent = digits_length(s.substr(n + 1 + sign));
        if (exponent == 0) return 0;
        n += 1 + sign + exponent;
    }
    return n;
}

std::size_t utf8_length(std::string_view s) {
    if (s.empty()) return 0;
    const auto byte = [s](std::size_t i) { return static_cast<unsigned char>(s[i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) return 1;
    const std::size_t n = lead >= 0xC2 && lead < 0xE0   ? 2
                          : lead >= 0xE0 && lead < 0xF0 ? 3
                          : lead >= 0xF0 && lead < 0xF5 ? 4
                                                        : 0;
    if (n == 0 || s.size() < n) return 0;
    for (std::size_t i = 1; i < n; ++i)
        if ((byte(i) & 0xC0) != 0x80) return 0;
    const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
    const bool surrogate = lead == 0xED && byte(1) >= 0xA0;
    const bool beyond = lead == 0xF4 && byte(1) >= 0x90;
    return overlong || surrogate || beyond ? 0 : n;
}

constexpr std::size_t usual_axes = 4, usual_fields = 8;

class Parser {
public:
    Parser(std::string_view line, Document& document) : line_(line), document_(document) {}

    /// Reads the whole line; false with `rejection` set if it is not one value.
    bool whole() {
        if (!value(document_.root, 1)) return false;
        skip_space();
        if (at_ == line_.size()) return true;
        return reject("expected the end of the line, found " + found(), "write one value per line");
    }

    std::optional<Rejection> rejection;

private:
    bool value(Json& out, int depth) {
        skip_space();
        if (at_ == line_.size()) return expected("a value");
        switch (line_[at_]) {
            case '{': return object(out, depth);
            case '[': return array(out, depth);
            case '"': out.kind_ = Json::Kind::string; return string(out.text_);
            case 't': return word("true", Json::Kind::boolean, true, out);
            case 'f': return word("false", Json::Kind::boolean, false, out);
            case 'n': return word("null", Json::Kind::null, false, out);
            default: return number(out);
        }
    }

    bool word(std::string_view w, Json::Kind kind, bool truth, Json& out) {
        if (line_.substr(at_, w.size()) != w) return expected("a value");
        at_ += w.size();
        out.kind_ = kind;
        out.truth_ = truth;
        return true;
    }

    bool number(Json& out) {
        const std::size_t n = number_length(line_.substr(at_));
        if (n == 0) return expected("a value");
        out.kind_ = Json::Kind::number;
        out.text_ = line_.substr(at_, n);
        at_ += n;
        return true;
    }

    bool open(Json& out, Json::Kind kind, int depth) {
        if (depth > max_depth) {
            return reject("nested deeper than " + std::to_string(max_depth) + " levels", "flatten it");
        }
        ++at_;
        out.kind_ = kind;
        out.children_.reset(new Json::Children);
        skip_space();
        return true;
    }

    bool array(Json& out, int depth) {
        if (!open(out, Json::Kind::array, depth)) return false;
        if (accept(']')) return true;
        out.children_->items.reserve(usual_axes);
        do {
            if (!value(out.children_->items.emplace_back(), depth + 1)) return false;
            skip_space();
        } while (accept(','));
        return accept(']') || expected("',' or ']'");
    }

    bool object(Json& out, int depth) {
        if (!open(out, Json::Kind::object, depth)) return false;
        if (accept('}')) return true;
        constexpr std::size_t few = 32;  // names that are compared one by one
        std::set<std::string_view> seen;
        auto& names = out.children_->names;
        names.reserve(usual_fields);
        out.children_->items.reserve(usual_fields);
        do {
            skip_space();
            const std::size_t start = at_;
            std::string_view name;
            if (at_ == line_.size() || line_[at_] != '"') return expected("a field's name in quotes");
            if (!string(name)) return false;
            if (names.size() == few) seen.insert(names.begin(), names.end());
            if (names.size() < few ? std::find(names.begin(), names.end(), name) != names.end()
                                   : !seen.insert(name).second) {
                at_ = start;
                return reject("the field " + json_string(name.substr(0, 40)) + " occurs twice", "keep one");
            }
            skip_space();
            if (!accept(':')) return expected("':'");
            names.push_back(name);
            if (!value(out.children_->items.emplace_back(), depth + 1)) return false;
            skip_space();
        } while (accept(','));
        return accept('}') || expected("',' or '}'");
    }

    bool string(std::string_view& out) {
        const std::size_t start = ++at_;
        if (!plain()) return false;
        if (line_[at_] == '"') {
            out = line_.substr(start, at_++ - start);
            return true;
        }
        std::string& decoded = document_.decoded.emplace_back(line_.substr(start, at_ - start));
        while (line_[at_] != '"') {
            if (!escape(decoded)) return false;
            const std::size_t run = at_;
            if (!plain()) return false;
            decoded += line_.substr(run, at_ - run);
        }
        ++at_;
        out = decoded;
        return true;
    }

    /// Moves to the next quote or backslash.
    bool plain() {
        for (; at_ < line_.size(); ++at_) {
            const auto c = static_cast<unsigned char>(line_[at_]);
            if (c >= 'a' && c <= 'z') continue;
            if (c == '"' || c == '\\') return true;
            if (c < 0x20) return reject("a control character inside a string", "write an escape such as \\n");
            if (c < 0x80) continue;
            const std::size_t n = utf8_length(line_.substr(at_, 4));
            if (n == 0) return reject("the text is not UTF-8", "encode the line as UTF-8");
            at_ += n - 1;
        }
        return reject("the string has no closing quote", "complete the line");
    }

    bool escape(std::string& out) {
        const std::size_t start = at_++;
        const char c = at_ < line_.size() ? line_[at_++] : '\0';
        constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
        if (const std::size_t i = letters.find(c); i != letters.npos) {
            out += meanings[i];
            return true;
        }
        unsigned code = 0;
        if (c != 'u' || !code_unit(code)) return bad_escape(start);
        if (code >= 0xDC00 && code < 0xE000) return lone_surrogate(start);
        if (code >= 0xD800 && code < 0xDC00) {
            unsigned low = 0;
            if (line_.substr(at_, 2) != "\\u") return lone_surrogate(start);
            at_ += 2;
            if (!code_unit(low)) return bad_escape(start);
            if (low < 0xDC00 || low >= 0xE000) return lone_surrogate(start);
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        }
        append_utf8(out, code);
        return true;
    }

    bool code_unit(unsigned& code) {
        if (line_.size() - at_ < 4) return false;
        for (int i = 0; i < 4; ++i) {
            const int digit = hex_digit(line_[at_++]);
            if (digit < 0) return false;
            code = code * 16 + static_cast<unsigned>(digit);
        }
        return true;
    }

    bool bad_escape(std::size_t start) {
        at_ = start;
        return reject("an escape that JSON does not have", "write \\\\ for a backslash");
    }

    bool lone_surrogate(std::size_t start) {
        at_ = start;
        return reject("half of a surrogate pair", "write both halves, or the character itself");
    }

    void skip_space() {
        while (at_ < line_.size() &&
               (line_[at_] == ' ' || line_[at_] == '\t' || line_[at_] == '\n' || line_[at_] == '\r'))
            ++at_;
    }

    bool accept(char c) {
        if (at_ == line_.size() || line_[at_] != c) return false;
        ++at_;
        return true;
    }

    std::string found() const {
        return at_ == line_.size() ? "the end of the line" : json_string(line_.substr(at_, 1));
    }

    bool expected(const std::string& what) {
        return reject("expected " + what + ", found " + found(), "write valid JSON (RFC 8259)");
    }

    bool reject(const std::string& reason, std::string remedy) {
        rejection = Rejection{"json", "byte " + std::to_string(at_) + ": " + reason, std::move(remedy)};
        return false;
    }

    std::string_view line_;
    Document& document_;
    std::size_t at_ = 0;
};

Checked<Document> parse(std::string_view line) {
    Document document;
    Parser parser(line, document);
    if (!parser.whole()) return *parser.rejection;
    return document;
}

}  // namespace poolproof::text
