// Tabs, theme, and the parts of the page, each made when it is first looked at.
import { quick } from './engine';
import { Instrument, render, tablesOf } from './instrument';

const parts: Record<string, () => Promise<{ open: (panel: HTMLElement) => void | Promise<void>; shown?: (is: boolean) => void }>> = {
  play: () => import('./play'),
  experiment: () => import('./experiment'),
  identify: () => import('./identify'),
  papers: () => import('./papers'),
};
const opened = new Map<string, Awaited<ReturnType<(typeof parts)[string]>>>();
const tabs = [...document.querySelectorAll<HTMLButtonElement>('[role=tab]')];

async function show(name: string) {
  for (const tab of tabs) {
    const is = tab.id === `tab-${name}`;
    tab.setAttribute('aria-selected', String(is));
    tab.tabIndex = is ? 0 : -1;
    document.getElementById(tab.getAttribute('aria-controls')!)!.hidden = !is;
  }
  for (const [other, part] of opened) part.shown?.(other === name);
  document.title = `carom: ${name}`;
  if (opened.has(name)) return;
  const part = await parts[name]();
  opened.set(name, part);
  await part.open(document.getElementById(name)!);
}

/** #play, #experiment=..., as the address has it. */
function named(): string {
  const name = location.hash.slice(1).split('=')[0];
  return name in parts ? name : 'play';
}

for (const tab of tabs) {
  tab.addEventListener('click', () => {
    history.replaceState(null, '', `#${tab.id.slice(4)}`);
    void show(named());
  });
  tab.addEventListener('keydown', (event) => {
    const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!way) return;
    const next = tabs[(tabs.indexOf(tab) + way + tabs.length) % tabs.length];
    next.focus();
    next.click();
  });
}
addEventListener('hashchange', () => void show(named()));

const root = document.documentElement;
function setTheme(theme: string | null) {
  if (theme) root.dataset.theme = theme;
  dispatchEvent(new Event('themechange'));
}
setTheme(localStorage.getItem('carom-theme'));
document.getElementById('theme')!.addEventListener('click', () => {
  const dark = root.dataset.theme
    ? root.dataset.theme === 'dark'
    : matchMedia('(prefers-color-scheme: dark)').matches;
  localStorage.setItem('carom-theme', dark ? 'light' : 'dark');
  setTheme(dark ? 'light' : 'dark');
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => setTheme(null));

void show(named());
// For scripts and tests: carom.render(toml, events, seconds) gives samples.
Object.assign(globalThis, { carom: { Instrument, render, tablesOf } });
void quick.ask({ do: 'version' }).then(({ said }) => {
  document.getElementById('version')!.textContent = `${said.version} (${said.commit})`;
});
if (import.meta.env.PROD && 'serviceWorker' in navigator) void navigator.serviceWorker.register('./sw.js');
