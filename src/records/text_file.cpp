#include "text_file.hpp"

#include <fstream>
#include <iconv.h>
#include <memory>

#include <fmt/format.h>

#include <carom/core/error.hpp>

namespace carom {
namespace {

constexpr std::uintmax_t largest_text = 256u << 20;

/// The text in UTF-8; false where it is not of this encoding.
bool converted(const std::string& bytes, const char* encoding, std::string& text) {
  const iconv_t conversion = iconv_open("UTF-8", encoding);
  const auto close = [](void* open) { iconv_close(open); };
  const std::unique_ptr<void, decltype(close)> closed(conversion, close);
  text.resize(bytes.size() * 3 + 16);
  char *in = const_cast<char*>(bytes.data()), *out = text.data();
  std::size_t in_left = bytes.size(), out_left = text.size();
  const bool whole = iconv(conversion, &in, &in_left, &out, &out_left) != std::size_t(-1);
  text.resize(text.size() - out_left);
  return whole;
}

}  // namespace

void refuse_file(const std::filesystem::path& file, const std::string& reason) {
  throw InvalidInput(fmt::format("file '{}': {}", file.string(), reason));
}

TextFile read_text(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) refuse_file(file, "cannot be read");
  if (std::filesystem::file_size(file, error) > largest_text) {
    refuse_file(file, "larger than 256 MB");
  }
  std::ifstream stream(file, std::ios::binary);
  std::string bytes(std::filesystem::file_size(file, error), '\0');
  if (!stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
    refuse_file(file, "cannot be read");
  return text_of(file, bytes);
}

TextFile text_of(const std::filesystem::path& file, const std::string& bytes) {
  TextFile out;
  std::string text;
  if (bytes.starts_with("PK\x03\x04"))
    refuse_file(file, "is an archive (ZIP, or a workbook): unpack it and give one of its tables");
  if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff")) {
    out.encoding = "UTF-16";
    if (!converted(bytes, "UTF-16", text)) refuse_file(file, "is not text");
  } else if (bytes.find('\0') != std::string::npos) {
    refuse_file(file, "is not text");
  } else if (converted(bytes, "UTF-8", text)) {
    out.encoding = "UTF-8";
  } else {
    out.encoding = "Latin-1";
    converted(bytes, "ISO-8859-1", text);
  }
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_of("\r\n", begin), text.size());
    out.lines.push_back(text.substr(begin, end - begin));
    begin = end + (text.compare(end, 2, "\r\n") == 0 ? 2 : 1);
  }
  return out;
}

}  // namespace carom
