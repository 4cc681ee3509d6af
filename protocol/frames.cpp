// SPDX-License-Identifier: Apache-2.0
// The binary framing: lengths are checked before anything is allocated for them, and content by its checksum.
#include <poolproof/protocol.hpp>

#include <cstring>

namespace poolproof::protocol {

namespace {

constexpr std::string_view magic = "PPF1";
constexpr char frame_version = 1;

using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

/// Tables for eight bytes at a time, of a reflected polynomial.
constexpr Tables tables_of(std::uint32_t polynomial) {
    Tables t{};
    for (std::uint32_t i = 0; i < 256; ++i) {
        std::uint32_t c = i;
        for (int k = 0; k < 8; ++k) c = (c >> 1) ^ ((c & 1) != 0 ? polynomial : 0);
        t[0][i] = c;
    }
    for (std::size_t i = 0; i < 256; ++i)
        for (std::size_t k = 1; k < 8; ++k) t[k][i] = (t[k - 1][i] >> 8) ^ t[0][t[k - 1][i] & 255];
    return t;
}

constexpr Tables castagnoli = tables_of(0x82F63B78), ethernet = tables_of(0xEDB88320);

std::uint32_t advanced(const Tables& t, std::uint32_t crc, std::string_view bytes) {
    const auto byte = [](char c) { return static_cast<std::uint8_t>(c); };
    while (bytes.size() >= 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data(), 8);
        word ^= crc;
        crc = 0;
        for (std::size_t k = 0; k < 8; ++k) crc ^= t[7 - k][word >> (8 * k) & 255];
        bytes.remove_prefix(8);
    }
    for (const char c : bytes) crc = (crc >> 8) ^ t[0][(crc ^ byte(c)) & 255];
    return crc;
}

#if defined(__x86_64__) && defined(__GNUC__)
/// CRC-32C by the instruction for it.
__attribute__((target("sse4.2"))) std::uint32_t advanced_by_instruction(std::uint32_t crc,
                                                                        std::string_view bytes) {
    std::uint64_t wide = crc;
    for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data(), 8);
        wide = __builtin_ia32_crc32di(wide, word);
    }
    crc = static_cast<std::uint32_t>(wide);
    for (const char c : bytes) crc = __builtin_ia32_crc32qi(crc, static_cast<std::uint8_t>(c));
    return crc;
}

std::uint32_t crc32c(std::uint32_t crc, std::string_view bytes) {
    static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
    return has_instruction ? advanced_by_instruction(crc, bytes) : advanced(castagnoli, crc, bytes);
}
#else
std::uint32_t crc32c(std::uint32_t crc, std::string_view bytes) { return advanced(castagnoli, crc, bytes); }
#endif

std::uint32_t sum_of(Checksum kind, std::string_view head, std::string_view body) {
    if (kind == Checksum::none) return 0;
    constexpr std::uint32_t begin = ~std::uint32_t{0};
    if (kind == Checksum::crc32c) return ~crc32c(crc32c(begin, head), body);
    return ~advanced(ethernet, advanced(ethernet, begin, head), body);
}

template <class T> T at(std::string_view bytes, std::size_t offset) {
    T value{};
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

std::string_view text_of(const std::vector<std::uint8_t>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

void append_frame(std::string& out, const Message& m, Checksum checksum) {
    std::array<char, frame_header_bytes> header{};
    const auto put = [&](std::size_t offset, auto value) {
        std::memcpy(&header[offset], &value, sizeof value);
    };
    std::memcpy(header.data(), magic.data(), magic.size());
    put(4, frame_version);
    put(5, static_cast<std::uint8_t>(checksum));
    put(8, sum_of(checksum, m.head, text_of(m.body)));
    put(12, static_cast<std::uint32_t>(m.head.size()));
    put(16, static_cast<std::uint64_t>(m.body.size()));
    out.append(header.data(), header.size());
    out += m.head;
    out += text_of(m.body);
}

Checked<FrameHeader> read_frame_header(std::string_view bytes) {
    const auto refused = [](const char* field, const std::string& found, const std::string& expected) {
        return Rejection{field, "found " + found + ", expected " + expected,
                         "see the binary framing in docs/ADAPTERS.md"};
    };
    if (bytes.size() < frame_header_bytes)
        return refused("frame", std::to_string(bytes.size()) + " bytes", "a header of 24 bytes");
    if (bytes.substr(0, 4) != magic) return refused("frame.magic", "other bytes", "PPF1");
    if (bytes[4] != frame_version) return refused("frame.version", std::to_string(bytes[4]), "1");
    const auto kind = at<std::uint8_t>(bytes, 5);
    if (kind > static_cast<std::uint8_t>(Checksum::crc32))
        return refused("frame.checksum", std::to_string(kind), "0, 1 or 2");
    FrameHeader h{static_cast<Checksum>(kind), at<std::uint32_t>(bytes, 8), at<std::uint32_t>(bytes, 12),
                  at<std::uint64_t>(bytes, 16)};
    if (h.head > max_head_bytes)
        return refused("frame.head", std::to_string(h.head) + " bytes", "at most 64 MiB");
    if (h.body > max_body_bytes)
        return refused("frame.body", std::to_string(h.body) + " bytes", "at most 16 GiB");
    return h;
}

bool intact(const FrameHeader& header, std::string_view head, std::string_view body) {
    return header.sum == sum_of(header.checksum, head, body);
}

}  // namespace poolproof::protocol
