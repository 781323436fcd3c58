#pragma once

#include <string>

#include <carom/scenario/film.hpp>

namespace carom {

/// The film as a part of a page that stands alone: a drawing with its first frame, a button, a
/// slider, and the few lines of script that move it. It starts by itself unless the reader's system
/// asks for reduced motion; without scripts it is a still. Text is escaped.
std::string film_html(const Film& film);
std::string body_film_html(const BodyFilm& film);

}  // namespace carom
