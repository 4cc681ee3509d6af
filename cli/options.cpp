// SPDX-License-Identifier: Apache-2.0
#include "cli/options.hpp"

#include <poolproof/text.hpp>

#include <algorithm>
#include <charconv>

namespace poolproof::cli {

std::optional<std::string> Arguments::value(std::string_view name) const {
    const auto at = options.find(name);
    if (at == options.end()) return std::nullopt;
    return at->second.back();
}

std::vector<std::string> Arguments::values(std::string_view name) const {
    const auto at = options.find(name);
    return at == options.end() ? std::vector<std::string>{} : at->second;
}

Checked<Arguments> parse_options(const std::vector<Option>& table, const std::vector<std::string>& words) {
    Arguments r;
    bool options_ended = false;
    for (std::size_t k = 0; k < words.size(); ++k) {
        const std::string& word = words[k];
        if (options_ended || word.size() < 2 || word[0] != '-') {
            r.positional.push_back(word);
            continue;
        }
        if (word == "--") {
            options_ended = true;
            continue;
        }
        const auto equals = word.find('=');
        const std::string name = word.substr(0, equals);
        const auto option =
            std::find_if(table.begin(), table.end(), [&](const Option& o) { return o.name == name; });
        if (option == table.end())
            return Rejection{name, "is not an option of this command",
                             remedy(name, names_of(table), "--help lists those there are")};
        auto& values = r.options[name];
        if (!values.empty() && !option->repeatable) return Rejection{name, "is given twice", "give it once"};
        if (option->value.empty()) {
            if (equals != std::string::npos)
                return Rejection{name, "takes no value", "leave out what follows the ="};
            values.emplace_back();
        } else if (equals != std::string::npos) {
            values.push_back(word.substr(equals + 1));
        } else if (k + 1 < words.size()) {
            values.push_back(words[++k]);
        } else {
            return Rejection{name, "has no value", "write " + name + " " + std::string(option->value)};
        }
    }
    return r;
}

Checked<std::int64_t> whole_number(std::string_view option, const std::string& value, std::int64_t low,
                                   std::int64_t high) {
    std::int64_t n = 0;
    const char* end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data(), end, n);
    if (error != std::errc{} || stop != end || n < low || n > high)
        return Rejection{std::string(option), "is '" + value + "'",
                         "use a whole number from " + std::to_string(low) + " to " + std::to_string(high)};
    return n;
}

}  // namespace poolproof::cli
