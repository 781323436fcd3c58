// Search, menu and theme. The index is a script and not JSON, so that it also loads from file://.
"use strict";
const root = document.body.dataset.root;
const query = document.getElementById("query");
const hits = document.getElementById("hits");

const words = (text) => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) || [];

// Every word must occur, as the beginning of a word; titles count more than text.
function score(section, wanted) {
  let sum = 0;
  for (const word of wanted) {
    const begins = (text) => (" " + text.toLowerCase().replace(/[^\p{L}\p{N}_]+/gu, " ")).split(" " + word).length - 1;
    const here = 20 * Math.min(begins(section.heading), 1) + 8 * Math.min(begins(section.page), 1) + Math.min(begins(section.text), 5);
    if (here === 0) return 0;
    sum += here;
  }
  return sum;
}

function excerpt(text, word) {
  const at = Math.max(0, text.toLowerCase().indexOf(word) - 40);
  return (at > 0 ? "…" : "") + text.slice(at, at + 120) + (at + 120 < text.length ? "…" : "");
}

function search() {
  const wanted = words(query.value);
  hits.replaceChildren();
  hits.hidden = wanted.length === 0;
  if (hits.hidden) return;
  const found = window.caromSections
    .map((section) => ({ section, score: score(section, wanted) }))
    .filter((hit) => hit.score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, 12);
  for (const { section } of found) {
    const link = document.createElement("a");
    link.href = root + section.address;
    const title = document.createElement("b");
    title.textContent = section.heading === section.page ? section.page : `${section.page} › ${section.heading}`;
    const text = document.createElement("span");
    text.textContent = excerpt(section.text, wanted[0]);
    link.append(title, text);
    const item = document.createElement("li");
    item.append(link);
    hits.append(item);
  }
  if (found.length === 0) {
    const item = document.createElement("li");
    item.className = "none";
    item.textContent = "Nothing found: every word must occur in one section.";
    hits.append(item);
  }
}

query.addEventListener("input", search);
query.addEventListener("focus", search);
document.addEventListener("click", (event) => {
  if (!event.target.closest(".find")) hits.hidden = true;
});
document.addEventListener("keydown", (event) => {
  const typing = /^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName);
  if (event.key === "/" && !typing) {
    event.preventDefault();
    query.focus();
  } else if (event.key === "Escape") {
    hits.hidden = true;
    query.blur();
  } else if (event.key === "Enter" && document.activeElement === query && hits.querySelector("a")) {
    location.href = hits.querySelector("a").href;
  } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    const links = [...hits.querySelectorAll("a")];
    if (hits.hidden || links.length === 0 || !document.activeElement.closest(".find")) return;
    event.preventDefault();
    const next = links.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
    (links[next] || query).focus();
  }
});

const menu = document.getElementById("menu");
menu.addEventListener("click", () => {
  const open = document.body.classList.toggle("menu-open");
  menu.setAttribute("aria-expanded", open);
});
const current = document.querySelector("#pages [aria-current]");
if (current) current.closest("nav").scrollTop = current.offsetTop - 200;

document.getElementById("theme").addEventListener("click", () => {
  const dark = getComputedStyle(document.documentElement).colorScheme.trim() === "dark";
  document.documentElement.dataset.theme = dark ? "light" : "dark";
  try { localStorage.theme = document.documentElement.dataset.theme; } catch (refused) {}
});
