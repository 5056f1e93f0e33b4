// `npm run dev` from the launcher on: the addresses it prints are the ones that work.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'bun:test';

const script = fileURLToPath(new URL('../../../scripts/dev.mjs', import.meta.url));

test('N2: the printed address serves the modules of the console and passes calls to a server on any port', async () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'tollgate-dev-'));
  const { PATH = '', HOME = '' } = process.env;
  const child = Bun.spawn(['node', script], {
    env: { PATH, HOME, PORT: '0', HOST: '127.0.0.1', DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    let text = '';
    const printed = Promise.withResolvers<string | undefined>();
    // Read to the end: a closed pipe would end the launcher.
    void (async () => {
      const decoder = new TextDecoder();
      for await (const chunk of child.stdout) {
        text += decoder.decode(chunk, { stream: true });
        const address = /the console is at (http\S+)/.exec(text)?.[1];
        if (address !== undefined) printed.resolve(address);
      }
      printed.resolve(undefined);
    })();
    const url = await printed.promise;
    if (url === undefined) throw new Error(`no address was printed:\n${text}`);
    // The first page is the server's; the others are the console's.
    const page = await fetch(new URL('/login', url));
    expect(await page.text()).toContain('/main.tsx');
    for (const module of ['main.tsx', 'api.ts', 'api/session.ts']) {
      const answer = await fetch(new URL(module, url));
      expect([module, answer.status, answer.headers.get('content-type')]).toEqual([
        module,
        200,
        expect.stringContaining('text/javascript'),
      ]);
    }
    const status = await fetch(new URL('api/status', url));
    expect(await status.json()).toMatchObject({ success: true });
  } finally {
    child.kill('SIGTERM');
    await child.exited;
    rmSync(dataDir, { recursive: true, force: true });
  }
}, 60_000);
