// From a new key to a first answer: the code the panel gives is run as it is copied, through the gateway to an upstream.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { visit } from '#tests/support/browser.ts';
import { startMockUpstream, type MockUpstream } from '#tests/support/mock-upstream/index.ts';
import { clipboard, eventually, field, row, sees, WIDE } from './tokens-support.ts';

// Pages are loaded, drawn and judged for real.
setDefaultTimeout(60_000);

const MODEL = 'gpt-4o-mini';
const NODE_MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));

let application: TestApplication;
let upstream: MockUpstream;
let workplace: string;
beforeAll(async () => {
  upstream = startMockUpstream();
  application = await startApplication();
  await addChannel(application.store, { base_url: upstream.url, models: [MODEL] });
  workplace = mkdtempSync(path.join(tmpdir(), 'tollgate-connect-'));
  symlinkSync(NODE_MODULES, path.join(workplace, 'node_modules'));
});
afterAll(async () => {
  await application.close();
  await upstream.stop();
  rmSync(workplace, { recursive: true, force: true });
});

test('a new key, the copied program, an answer: the panel turns green and the list shows what it cost', async () => {
  const actor = await application.actor({ quota: 50_000_000 });
  await using opened = await visit(application, {
    as: actor,
    language: 'zh',
    viewport: WIDE,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const { page } = opened;
  await page.goto('/token?new=1');
  await field(page, '名称').fill('first-call');
  await page.getByRole('button', { name: '创建', exact: true }).click();
  await page.getByRole('heading', { name: '接入 first-call' }).waitFor();
  await sees(page, '等待首次请求…');

  await page.getByText('Node.js', { exact: true }).click();
  await page.getByRole('button', { name: '复制代码' }).click();
  await eventually(async () => (await clipboard(page)).includes('new OpenAI('), 'the program is copied');
  const program = path.join(workplace, 'call.mjs');
  writeFileSync(program, await clipboard(page));
  const run = Bun.spawn([process.execPath, program], { cwd: workplace, stdout: 'pipe', stderr: 'pipe' });
  const [answer, complaints] = await Promise.all([
    new Response(run.stdout).text(),
    new Response(run.stderr).text(),
  ]);
  expect(complaints).toBe('');
  expect(answer.trim().length).toBeGreaterThan(0);
  expect(await run.exited).toBe(0);

  await sees(page, /已收到请求/);
  await page.getByRole('button', { name: '刷新' }).click();
  const [token] = await application
    .client(actor)
    .tokens.list({ query: {} })
    .then(({ data }) => data);
  expect(token?.used_quota).toBeGreaterThan(0);
  expect(token?.recent_quota.at(-1)).toBe(token?.used_quota ?? 0);
  expect(token?.day_used).toBe(token?.used_quota ?? 0);
  await row(page, 'first-call')
    .getByRole('img', { name: /近 14 天用量，今日 \$0\.0/ })
    .waitFor();
});
