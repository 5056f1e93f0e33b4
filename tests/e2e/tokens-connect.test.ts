// From a new key to a first answer: the copied code runs through the gateway to an upstream.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { encode } from 'uqr';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { accessibilityViolations, eventually, fitsWidth, PHONE, visit } from '#tests/support/browser.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import { clipboard, field, row, sees, WIDE } from './tokens-support.ts';

// Real pages and accessibility checks take longer than the default timeout.
setDefaultTimeout(120_000);

const MODEL = 'gpt-4o-mini';
const BROKEN_MODEL = 'o3-mini';
const CLIENTS = [
  'Claude Code',
  'Codex',
  'Gemini CLI',
  'Cursor',
  'Cline',
  'Cherry Studio',
  'NextChat',
  'LobeChat',
  'curl',
  'Python',
  'Node.js',
];
const NODE_MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));

let application: TestApplication;
let upstream: MockUpstream;
let workplace: string;
const broken = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: () => Response.json({ error: { message: 'out of order' } }, { status: 500 }),
});
beforeAll(async () => {
  upstream = startMockUpstream();
  application = await startApplication();
  await addChannel(application.store, { base_url: upstream.url, models: [MODEL] });
  await addChannel(application.store, {
    base_url: `http://127.0.0.1:${broken.port}`,
    models: [BROKEN_MODEL],
  });
  workplace = mkdtempSync(path.join(tmpdir(), 'tollgate-connect-'));
  symlinkSync(NODE_MODULES, path.join(workplace, 'node_modules'));
});
afterAll(async () => {
  await application.close();
  await upstream.stop();
  await broken.stop(true);
  rmSync(workplace, { recursive: true, force: true });
});

async function chooseClient(page: Page, name: string): Promise<void> {
  await page.getByRole('radio', { name, exact: true }).click();
}

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

  await chooseClient(page, 'Node.js');
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
  // The line shows the log row of that call and links to it.
  const [call] = (await application.client(actor).logs.listSelf({ query: {} })).items;
  const line = page.getByRole('status').filter({ hasText: '已收到请求' }).locator('xpath=..');
  await line.getByText(MODEL).waitFor();
  expect(await line.getByRole('link', { name: '查看日志' }).getAttribute('href')).toContain(
    `open=${call?.id}`,
  );
  // Beside the panel the list leaves out the column of the last days.
  await page.goto('/token');
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

test('N20: every client gets its configuration with the whole key in the copy; on the screen only when revealed', async () => {
  const actor = await application.actor({ quota: 50_000_000 });
  const [token] = await application.client(actor).tokens.create({ body: { name: 'all' } });
  await using opened = await visit(application, {
    as: actor,
    language: 'en',
    locale: 'en-US',
    viewport: WIDE,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const { page, problems } = opened;
  await page.goto(`/token?connect=${token?.id}`);
  await page.getByRole('heading', { name: 'Connect all' }).waitFor();
  for (const name of CLIENTS) {
    await chooseClient(page, name);
    const isForm = name === 'Cursor' || name === 'Cline' || name === 'Cherry Studio';
    const copy = page.getByRole('button', { name: isForm ? 'Copy API key' : 'Copy code' });
    // The last block of Codex is the one with the key.
    await copy.last().click();
    await eventually(
      async () => (await clipboard(page)).includes(`sk-${token?.key}`),
      `${name}: the key is copied`,
    );
    await page.evaluate(`navigator.clipboard.writeText('')`);
    expect(await page.locator('body').innerText()).not.toContain(token?.key ?? '-');
  }
  await chooseClient(page, 'Codex');
  await page.getByText('[model_providers.tollgate]').waitFor();
  await page.locator('label').filter({ hasText: 'Windows' }).click();
  await page.getByText('$env:TOLLGATE_API_KEY').waitFor();
  await page.getByRole('button', { name: 'Open in CC Switch' }).waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Reveal', exact: true }).click();
  await page.getByText(`$env:TOLLGATE_API_KEY = 'sk-${token?.key}'`).waitFor();
  await page.getByRole('button', { name: 'Hide', exact: true }).click();
  expect(await page.locator('body').innerText()).not.toContain(token?.key ?? '-');
  expect(problems).toEqual([]);
  // The last choice is the default next time.
  await page.reload();
  await page.getByText('[model_providers.tollgate]').waitFor();
});

test('a failed first call is shown, with its cause one click away', async () => {
  const actor = await application.actor({ quota: 50_000_000 });
  const [token] = await application.client(actor).tokens.create({ body: { name: 'wrong' } });
  await using opened = await visit(application, { as: actor, language: 'zh', viewport: PHONE });
  const { page } = opened;
  await page.goto(`/token?connect=${token?.id}`);
  await sees(page, '等待首次请求…');
  const reply = await fetch(`${application.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { Authorization: `Bearer sk-${token?.key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ model: BROKEN_MODEL, messages: [{ role: 'user', content: 'Hello!' }] }),
  });
  expect(reply.status).toBe(500);
  await sees(page, /请求已到达，但失败了/);
  expect(await fitsWidth(page)).toBe(true);
});

/** The dark squares of the QR code on the page, and those expected for this text. */
async function squares(page: Page, text: string): Promise<{ drawn: string; meant: string }> {
  const drawn = await page.getByRole('img', { name: '接入二维码' }).locator('path').getAttribute('d');
  const { data } = encode(text, { ecc: 'M', border: 2 });
  const meant = data.flatMap((line, y) => line.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return { drawn: drawn ?? '', meant: meant.join('') };
}

test('a code brings address and key onto a phone: by a click, and hidden again', async () => {
  const actor = await application.actor({ quota: 50_000_000 });
  const [token] = await application.client(actor).tokens.create({ body: { name: 'pocket' } });
  await using opened = await visit(application, { as: actor, language: 'zh', viewport: WIDE });
  const { page, problems } = opened;
  await page.goto(`/token?connect=${token?.id}`);
  await page.getByRole('heading', { name: '接入 pocket' }).waitFor();
  expect(await page.getByRole('img', { name: '接入二维码' }).count()).toBe(0);
  await page.getByRole('button', { name: '显示二维码' }).click();
  const plain = await squares(page, `${application.url}/v1\nsk-${token?.key}`);
  expect(plain.drawn).toBe(plain.meant);
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.getByRole('button', { name: '隐藏二维码' }).click();
  await page.getByRole('img', { name: '接入二维码' }).waitFor({ state: 'detached' });

  await chooseClient(page, 'Cherry Studio');
  await page.getByRole('button', { name: '显示二维码' }).click();
  await sees(page, '用手机扫描，会打开 Cherry Studio 并填好地址与密钥。');
  const filled = {
    id: 'new-api',
    baseUrl: application.url,
    apiKey: `sk-${token?.key}`,
    name: 'Tollgate',
    type: 'new-api',
  };
  const data = encodeURIComponent(btoa(JSON.stringify(filled)));
  const deep = await squares(page, `cherrystudio://providers/api-keys?v=1&data=${data}`);
  expect(deep.drawn).toBe(deep.meant);
  // Another client has another QR code: the old one is hidden.
  await chooseClient(page, 'curl');
  await page.getByRole('img', { name: '接入二维码' }).waitFor({ state: 'detached' });
  expect(problems).toEqual([]);
});

test('D15 a chat client gets the newest chat model preselected, and no drawing, song or embeddings model is offered (O52)', async () => {
  const others = ['dall-e-3', 'mj_imagine', 'mj_blend', 'suno_music', 'text-embedding-3-small'];
  // The first chat model by name is an old one.
  const chat = ['claude-sonnet-4-5', 'gpt-3.5-turbo', 'gpt-5'];
  await addChannel(application.store, { base_url: upstream.url, models: [...others, ...chat] });
  const actor = await application.actor({ quota: 50_000_000 });
  const { tokens, pricing } = application.client(actor);
  const listed = (await pricing.list()).data.map(({ model_name }) => model_name);
  // The site sells them all: the wizard leaves some out.
  expect(listed).toEqual(expect.arrayContaining([...others, ...chat]));
  const [token] = await tokens.create({ body: { name: 'chatty' } });
  await using opened = await visit(application, { as: actor, language: 'en', viewport: WIDE });
  const { page, problems } = opened;
  await page.goto(`/token?connect=${token?.id}`);
  await page.getByRole('heading', { name: 'Connect chatty' }).waitFor();
  const model = page.locator('#connect-model');
  for (const [client, preselected] of [
    ['Cherry Studio', 'gpt-5'],
    ['Claude Code', 'claude-sonnet-4-5'],
  ] as const) {
    await chooseClient(page, client);
    await eventually(async () => (await model.inputValue()) === preselected, `${client}: ${preselected}`);
    await model.click();
    await page.getByRole('option', { name: preselected, exact: true }).waitFor();
    expect((await page.getByRole('option').allInnerTexts()).toSorted()).toEqual(
      [...chat, MODEL, BROKEN_MODEL].toSorted(),
    );
    await page.keyboard.press('Escape');
  }
  expect(problems).toEqual([]);
});
