#pragma once

#include <string>
#include <string_view>

namespace carom {

/// What films of curves and of bodies share.
inline constexpr double film_width = 960, film_left = 92, film_right = 14, film_top = 12,
                        film_bottom = 64;  // [pixel]; room for the letters of a phone

/// From a value to the page, in pixels.
struct FilmAxis {
  double low, high, from, to;
  double operator()(double value) const {
    return from + (value - low) / (high - low) * (to - from);
  }
};

/// Grid, numbers and labels; `vertical` false leaves out the y axis.
std::string film_axes(const FilmAxis& x, const FilmAxis& y, double height,
                      const std::string& x_label, const std::string& y_label, bool vertical = true);

/// Button, slider and clock below a film of frames 0..last.
std::string film_controls(std::size_t last, double first_time);
/// The script that plays a film: uses show(k), times, button and slider of the script around it.
std::string film_player();
/// "Slowed down 80 times." for a film of so many seconds.
std::string film_speed(double shown);

void replace_once(std::string& text, std::string_view what, const std::string& by);

}  // namespace carom
