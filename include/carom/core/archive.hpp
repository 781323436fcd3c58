#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>

#include <carom/core/error.hpp>

namespace carom {

/// The state of a simulation as bytes. A class lists what changes while it runs in one member
/// `void archive(Archive&)`, which serves both directions, so that writing and reading cannot
/// diverge: into an object made from the same input it brings back every bit. Plain numbers and
/// structs of them, vectors, strings, optionals, pairs and Eigen's matrices need nothing more. The
/// bytes are those of this machine and this version: for checkpoints, not for exchange.
///
/// What is read is not trusted. A container that holds something before it is read keeps its size,
/// which the input decides; one that is empty is a record of what has happened and takes any size
/// that the bytes have. What else the input implies, a class says by require().
class Archive {
 public:
  Archive() = default;  ///< to be written
  /// To be read; the bytes must outlive it.
  explicit Archive(std::string_view bytes) noexcept : rest_(bytes), reading_(true) {}

  bool reading() const noexcept { return reading_; }
  const std::string& bytes() const noexcept { return bytes_; }  ///< what was written
  bool exhausted() const noexcept { return rest_.empty(); }     ///< everything was read

  /// Throws InvalidInput when there is less to read than is asked for.
  template <class... T>
  void operator()(T&... values) {
    (one(values), ...);
  }

  /// Something that must be the same in both runs. Throws InvalidInput with `what` otherwise.
  void expect(std::string_view what, std::string_view value) {
    std::string found(value);
    one(found);
    if (found != value) {
      throw InvalidInput("the checkpoint is of a run with " + std::string(what) + " '" + found +
                         "', this one has '" + std::string(value) + "'");
    }
  }

  /// What must hold after reading: an index within its range, a count that fits another. Throws
  /// InvalidInput otherwise.
  void require(bool holds) const {
    if (reading_ && !holds) {
      throw InvalidInput("the checkpoint does not fit this run: a number in it is impossible");
    }
  }

 private:
  template <class T>
  void one(T& value) {
    if constexpr (requires { value.archive(*this); }) {
      value.archive(*this);
    } else if constexpr (std::is_same_v<T, bool>) {
      std::uint8_t byte = value ? 1 : 0;
      raw(&byte, sizeof byte);
      require(byte <= 1);
      value = byte == 1;
    } else if constexpr (requires { value.rows(), value.cols(), value.resize(1, 1); }) {
      auto rows = static_cast<std::int64_t>(value.rows()),
           columns = static_cast<std::int64_t>(value.cols());
      (*this)(rows, columns);
      if (reading_) {
        const std::uint64_t available = rest_.size() / sizeof(*value.data());
        require(rows >= 0 && columns >= 0 && static_cast<std::uint64_t>(rows) <= available &&
                static_cast<std::uint64_t>(columns) <= available &&
                (rows == 0 || static_cast<std::uint64_t>(columns) <=
                                  available / static_cast<std::uint64_t>(rows)));
        require(value.size() == 0 || (rows == value.rows() && columns == value.cols()));
        // A size that the type fixes is not given up.
        require(T::RowsAtCompileTime < 0 || rows == T::RowsAtCompileTime);
        require(T::ColsAtCompileTime < 0 || columns == T::ColsAtCompileTime);
        value.resize(rows, columns);
      }
      raw(value.data(), sizeof(*value.data()) * static_cast<std::size_t>(value.size()));
    } else if constexpr (requires { value.resize(value.size()), value.data(); }) {
      std::uint64_t count = value.size();
      one(count);
      if (reading_) {
        // An element takes a byte at least.
        require(count <= rest_.size() && (value.empty() || count == value.size()));
        value.resize(count);
      }
      if constexpr (plain<std::remove_reference_t<decltype(*value.data())>>) {
        raw(value.data(), sizeof(*value.data()) * value.size());
      } else {
        for (auto& element : value) one(element);
      }
    } else if constexpr (requires { value.has_value(), value.emplace(); }) {
      bool there = value.has_value();
      one(there);
      if (reading_) {
        value.reset();
        if (there) value.emplace();
      }
      if (there) one(*value);
    } else if constexpr (requires { value.first, value.second; }) {
      (*this)(value.first, value.second);
    } else {
      static_assert(plain<T>, "give the type a member archive(Archive&)");
      raw(&value, sizeof value);
    }
  }

  template <class T>
  static constexpr bool plain =
      std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> &&
      !std::is_convertible_v<const T&, std::string_view> && !requires(T & value, Archive& archive) {
    value.archive(archive);
  };

  void raw(void* data, std::size_t size) {
    if (!reading_) {
      bytes_.append(static_cast<const char*>(data), size);
      return;
    }
    if (size > rest_.size()) {
      throw InvalidInput("the checkpoint does not fit this run: it ends too early");
    }
    if (size > 0) std::memcpy(data, rest_.data(), size);
    rest_.remove_prefix(size);
  }

  std::string bytes_;
  std::string_view rest_;
  bool reading_ = false;
};

/// Writes or reads the whole state of a run that is under way.
using StateOf = std::function<void(Archive&)>;

/// Gets the state of a run before its first step and may use it between steps for as long as the
/// run lasts. True: the state of an earlier run was read into it, and the run goes on from there.
using ResumeRun = std::function<bool(const StateOf&)>;

}  // namespace carom
