// What a public page weighs on a first visit: bytes, requests, and what the first paint waits for. Nothing here depends on the speed
// of a machine.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { brotliDecompressSync } from 'node:zlib';
import { addChannel } from '#tests/support/channels.ts';
import { startApplication, type TestApplication } from '#tests/support/application.ts';

const KILOBYTE = 1024;
const PAGE_KB = 24;
const ASSETS_KB = 20;
const BOOT_BYTES = 1024;

let app: TestApplication;
beforeAll(async () => {
  app = await startApplication();
  const models = [...Array(40).keys()].map((index) => `house-model-${index}`);
  const ratios = Object.fromEntries(models.map((model, index) => [model, 1 + index / 10]));
  await app.settings.set('ModelRatio', JSON.stringify(ratios), 0);
  await addChannel(app.store, { base_url: 'http://127.0.0.1:9', models });
});
afterAll(() => app.close());

/** As a browser asks; the body as it is sent. */
async function sent(path: string) {
  const response = await fetch(`${app.url}${path}`, {
    headers: { Accept: 'text/html,*/*;q=0.8', 'Accept-Encoding': 'gzip, deflate, br' },
    decompress: false,
  } as RequestInit);
  const body = new Uint8Array(await response.arrayBuffer());
  return { headers: response.headers, body, text: () => brotliDecompressSync(body).toString() };
}

const attribute = (tag: string, name: string): string => new RegExp(`${name}="([^"]*)"`).exec(tag)?.[1] ?? '';

describe.each(['/', '/models', '/models/house-model-1', '/plans', '/status'])('%s', (path) => {
  test('is small, and its first paint waits for one stylesheet and one short script', async () => {
    const page = await sent(`${path}?lang=en`);
    expect(page.headers.get('content-encoding')).toBe('br');
    expect(page.body.length / KILOBYTE).toBeLessThanOrEqual(PAGE_KB);
    const html = page.text();
    const scripts = [...html.matchAll(/<script\b[^>]*src=[^>]*>/g)].map(([tag]) => tag);
    const blocking = scripts.filter((tag) => !/\b(defer|async)\b|type="module"/.test(tag));
    expect(blocking.map((tag) => attribute(tag, 'src').split('?')[0])).toEqual(['/site/boot.js']);
    const styles = [...html.matchAll(/<link\b[^>]*rel="stylesheet"[^>]*>/g)].map(([tag]) => tag);
    expect(styles).toHaveLength(1);
    // No code of the console, no fonts, nothing from elsewhere.
    const loaded = [
      ...scripts.map((tag) => attribute(tag, 'src')),
      ...styles.map((tag) => attribute(tag, 'href')),
    ];
    expect(loaded).toHaveLength(3);
    for (const address of loaded) expect(address).toMatch(/^\/site\/[\w.]+\?v=/);
    let bytes = 0;
    for (const address of loaded) {
      const asset = await sent(address);
      expect(asset.headers.get('content-encoding')).toBe('br');
      expect(asset.headers.get('cache-control')).toContain('immutable');
      expect(asset.text()).not.toMatch(/@font-face|@import/);
      if (address.startsWith('/site/boot.js')) expect(asset.body.length).toBeLessThanOrEqual(BOOT_BYTES);
      bytes += asset.body.length;
    }
    expect(bytes / KILOBYTE).toBeLessThanOrEqual(ASSETS_KB);
    // Near zero would mean that something else was measured.
    expect(bytes / KILOBYTE).toBeGreaterThan(4);
  });

  test('keeps the place of every picture', async () => {
    const pictures = (await sent(`${path}?lang=en`)).text().match(/<(?:img|iframe)\b[^>]*>/g) ?? [];
    for (const tag of pictures) expect(tag).toMatch(/height=|class="frame"/);
  });
});
