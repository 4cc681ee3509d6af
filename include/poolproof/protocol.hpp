// SPDX-License-Identifier: Apache-2.0
// The adapter protocol's messages. A message is a JSON object; its tensors travel as hex within a line, or,
// in the binary framing, as raw bytes beside the JSON.
#pragma once

#include <poolproof/backend.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace poolproof::protocol {

enum class Framing : std::uint8_t { lines, binary };
enum class Checksum : std::uint8_t { none, crc32c, crc32 };

/// A JSON object without a newline and, in the binary framing, the bytes that its tensors point into.
struct Message {
    std::string head;
    std::vector<std::uint8_t> body;
};

/// The runner's greeting, and the adapter's.
std::string write_hello(bool offers_binary);
std::string write_hello(const Declaration& declaration, Framing framing);

struct Hello {
    Declaration declaration;
    Framing framing = Framing::lines;
    Checksum checksum = Checksum::crc32c;  ///< that it verifies: what frames to it should carry
};

/// Fields and names that are not known are passed over, so that the protocol can grow; `declaration.unknown`
/// has them. What people will read is printable, here and in a reply.
Checked<Hello> read_hello(std::string_view line);

Message write_run(Index id, const Case& c, Framing framing);
Message write_reply(Index id, const Observation& o, Framing framing);

/// What the adapter's side reads: the runner's greeting (and whether it offers the binary framing), or a run.
/// A run whose case cannot be read holds the reason.
struct Request {
    bool hello = false, offers_binary = false;
    Index id = 0;
    Checked<Case> run = Rejection{};
};
Checked<Request> read_request(const Message& m);

struct Reply {
    Index id = 0;
    Observation observation;
};
Checked<Reply> read_reply(const Message& m, const Case& c);

// The binary framing: a header of 24 bytes, little-endian, then the head, then the body.
//    0  "PPF1"      4  version 1      5  checksum kind      6  0 (two bytes)
//    8  checksum of head and body (4)    12  length of the head (4)    16  length of the body (8)
inline constexpr std::size_t frame_header_bytes = 24;
inline constexpr std::uint64_t max_head_bytes = std::uint64_t{64} << 20;
inline constexpr std::uint64_t max_body_bytes = std::uint64_t{16} << 30;

struct FrameHeader {
    Checksum checksum = Checksum::crc32c;
    std::uint32_t sum = 0;
    std::uint64_t head = 0, body = 0;  ///< lengths in bytes
};

void append_frame(std::string& out, const Message& m, Checksum checksum = Checksum::crc32c);

/// A rejection if it is no header, or names lengths beyond the limits: nothing may be allocated for it then.
Checked<FrameHeader> read_frame_header(std::string_view bytes);

/// Whether the checksum is that of head and body.
bool intact(const FrameHeader& header, std::string_view head, std::string_view body);

}  // namespace poolproof::protocol
