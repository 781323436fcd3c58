#pragma once

#include <cmath>

/// Numbers that count what is done to them, to count the operations of an algorithm by running it.
namespace carom {

struct Tally {
  int write = 0, read = 0, add = 0, multiply = 0, divide = 0, shift = 0, exp = 0, log = 0,
      compare = 0;

  int arithmetic() const { return add + multiply + divide + shift + exp + log + compare; }
  int total() const { return arithmetic() + write + read; }
};

/// A value in a register: the result of an operation or of a read.
struct Term {
  Tally* tally;
  double value;
};

inline Term operator+(Term a, Term b) { return ++a.tally->add, Term{a.tally, a.value + b.value}; }
inline Term operator-(Term a, Term b) { return ++a.tally->add, Term{a.tally, a.value - b.value}; }
inline Term operator-(Term a) { return ++a.tally->add, Term{a.tally, -a.value}; }
inline Term operator*(Term a, Term b) {
  return ++a.tally->multiply, Term{a.tally, a.value * b.value};
}
inline Term operator/(Term a, Term b) {
  return ++a.tally->divide, Term{a.tally, a.value / b.value};
}
/// Division and multiplication by two: a shift of the exponent.
inline Term half(Term a) { return ++a.tally->shift, Term{a.tally, a.value / 2}; }
inline Term twice(Term a) { return ++a.tally->shift, Term{a.tally, a.value * 2}; }
/// Powers and the exponential are one kind, as in papetti2011 Table IV.
inline Term power(Term a, Term b) {
  return ++a.tally->exp, Term{a.tally, std::pow(a.value, b.value)};
}
inline Term exponential(Term a) { return ++a.tally->exp, Term{a.tally, std::exp(a.value)}; }
inline Term logarithm(Term a) { return ++a.tally->log, Term{a.tally, std::log(a.value)}; }
inline void count_comparison(Tally& tally) { ++tally.compare; }
/// The sign decides: one comparison.
inline Term magnitude(Term a) { return ++a.tally->compare, Term{a.tally, std::abs(a.value)}; }
inline bool is_positive(Term a) { return ++a.tally->compare, a.value > 0; }
inline bool is_below(Term a, Term b) { return ++a.tally->compare, a.value < b.value; }

/// A value in memory: using it reads, assigning to it writes.
class Variable {
 public:
  /// What is there before counting starts.
  Variable(Tally& tally, double value) : tally_(&tally), value_(value) {}
  Variable(Term term) : tally_(term.tally), value_(term.value) { ++tally_->write; }  // NOLINT
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  Variable& operator=(Term term) {
    ++tally_->write;
    value_ = term.value;
    return *this;
  }
  operator Term() const {  // NOLINT: reading is what a variable is for
    ++tally_->read;
    return {tally_, value_};
  }
  double value() const { return value_; }

 private:
  Tally* tally_;
  double value_;
};

}  // namespace carom
