// Debian's Chromium, driven by playwright-core; every message that a page complains with is kept.
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { serve } from './serve.mjs';

const program = process.env.CAROM_CHROMIUM ?? ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

export async function openBrowser(options = {}) {
  const { server, address } = await serve(options);
  const browser = await chromium.launch({
    executablePath: program,
    args: ['--no-sandbox', '--autoplay-policy=no-user-gesture-required', '--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream', '--disable-gpu'],
  });
  return {
    browser, address,
    async page(viewport = { width: 1280, height: 900 }, more = {}) {
      const context = await browser.newContext({ viewport, serviceWorkers: 'allow', acceptDownloads: true, ...more });
      const page = await context.newPage();
      page.setDefaultTimeout(120000); // a busy machine is not a fault of the page
      const complaints = [];
      page.on('console', (message) => ['error', 'warning'].includes(message.type()) && complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(String(error)));
      return { page, complaints, context };
    },
    async close() {
      await browser.close();
      server.close();
    },
  };
}
