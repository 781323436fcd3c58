import { defineConfig, type Plugin } from 'vite';

/** sw.js with the list of everything that was built: the page works offline once loaded. */
function offline(): Plugin {
  return {
    name: 'carom-offline',
    apply: 'build',
    generateBundle(_, bundle) {
      const files = ['./', 'icon.svg', 'manifest.webmanifest', 'papers/list.json', ...Object.keys(bundle)];
      const names = JSON.stringify(files.filter((name) => name !== 'index.html'));
      // The names have hashes in them, so the list tells one build from another.
      let hash = 0;
      for (const letter of names) hash = (hash * 31 + letter.charCodeAt(0)) >>> 0;
      this.emitFile({
        type: 'asset',
        fileName: 'sw.js',
        source: `const store = 'carom-${hash.toString(16)}', files = ${names};
self.addEventListener('install', (event) => {
  event.waitUntil(caches.open(store).then((cache) => cache.addAll(files)).then(() => self.skipWaiting()));
});
self.addEventListener('activate', (event) => {
  event.waitUntil(caches.keys()
    .then((names) => Promise.all(names.filter((name) => name.startsWith('carom-') && name !== store)
      .map((name) => caches.delete(name))))
    .then(() => self.clients.claim()));
});
self.addEventListener('fetch', (event) => {
  if (event.request.method !== 'GET') return;
  const kept = () => caches.match(event.request, { ignoreSearch: true });
  // The reproduction pages are made apart from the rest: the newest, and without a server the last seen.
  if (event.request.url.includes('/papers/')) {
    event.respondWith(fetch(event.request)
      .then((fresh) => {
        if (!fresh.ok) return fresh;
        const copy = fresh.clone();
        return caches.open(store).then((cache) => cache.put(event.request, copy)).then(() => fresh);
      }).catch(kept));
  } else {
    event.respondWith(kept().then((found) => found ?? fetch(event.request)));
  }
});
`,
      });
    },
  };
}

export default defineConfig({
  base: './',
  build: { outDir: '../build/web', emptyOutDir: true, target: 'es2022', assetsInlineLimit: 0, chunkSizeWarningLimit: 1000 },
  worker: { format: 'es' },
  server: { fs: { allow: ['..'] } },
  plugins: [offline()],
});
