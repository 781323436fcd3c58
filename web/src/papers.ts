// The tab Papers: the reproduction pages, where the build has them (./run web says how).
import { make } from './dom';

export async function open(panel: HTMLElement) {
  const about = make('p', {}, 'The tables and figures of five papers on impacts and contacts, each number next to the published one, computed by carom.');
  const { page } = (await (await fetch('./papers/list.json')).json()) as { page: string | null };
  if (page === null) {
    panel.replaceChildren(make('div.card', {}, about, make('p.note', {}, 'This build has no reproduction pages. ', make('code', {}, './run web --papers'), ' computes them, in about a minute, with the program that ', make('code', {}, './run build'), ' makes.')));
    return;
  }
  const address = `./papers/${page}`;
  const frame = make('iframe', { title: 'Reproduction of the papers', src: address, style: 'width: 100%; height: 80vh; border: 1px solid var(--line); border-radius: .5rem' });
  // By themselves the pages are dark where the system is; here, where the page around them is.
  let dark: CSSMediaRule[] = [];
  const follow = () => {
    const told = document.documentElement.dataset.theme;
    const is = told ? told === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    for (const rule of dark) rule.media.mediaText = is ? 'all' : 'not all';
  };
  frame.addEventListener('load', () => {
    // What the browser shows in place of a page it could not load is no document of ours.
    dark = [...(frame.contentDocument?.styleSheets ?? [])].flatMap((sheet) => [...sheet.cssRules]).filter((rule): rule is CSSMediaRule =>
      'media' in rule && (rule as CSSMediaRule).media.mediaText.includes('prefers-color-scheme: dark'));
    follow();
  });
  addEventListener('themechange', follow);
  panel.replaceChildren(make('div.card', {}, about,
    make('p', {}, make('a.button', { href: address, target: '_blank', rel: 'noopener' }, 'Open in a tab of its own')), frame));
}
