// The playground in a browser against the real gateway and a mock upstream: every state of an answer, the side panel,
// pictures, comparison, cost, and the stored state after a reload.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Locator, Page } from 'playwright-core';
import { addChannel } from '#tests/support/channels.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import {
  accessibilityViolations,
  fitsWidth,
  PHONE,
  screenshot,
  stored,
  eventually,
  until,
  visit,
  type VisitOptions,
} from '#tests/support/browser.ts';
import { testLooks } from '#tests/support/looks.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import type { Behaviour } from '#mock/upstream/behaviour.ts';

setDefaultTimeout(120_000);

const WIDE = { width: 1440, height: 900 };

let application: TestApplication;
let mock: MockUpstream;
let actor: Actor;
beforeAll(async () => {
  mock = startMockUpstream();
  application = await startApplication({
    consoleDirectory: 'dist',
    settings: { GroupRatio: '{"default":1,"vip":2}' },
  });
  await addChannel(application.store, {
    base_url: mock.url,
    models: ['gpt-4o', 'gpt-4o-mini', 'text-embedding-3-small'],
    groups: ['default', 'vip'],
  });
  await addChannel(application.store, { base_url: mock.url, models: ['deepseek-chat'], groups: ['vip'] });
  actor = await application.actor({ quota: 50_000_000 });
});
afterAll(async () => {
  await application.close();
  await mock.stop();
});

async function open(options: VisitOptions & { path?: string; behaviour?: Behaviour } = {}) {
  mock.reset();
  if (options.behaviour) mock.behave(options.behaviour);
  const opened = await visit(application, {
    as: actor,
    viewport: WIDE,
    language: 'zh',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  await opened.page.goto(options.path ?? '/playground');
  await opened.page.getByRole('textbox', { name: /输入消息|Type a message/ }).waitFor();
  return opened;
}

async function ask(page: Page, text: string): Promise<void> {
  const box = page.getByRole('textbox', { name: /输入消息|同时询问|Type a message|Ask both/ });
  await box.fill(text);
  await until(page, `!document.querySelector('form button[type=submit]')?.disabled`);
  await box.press('Enter');
}

const answer = (page: Page, status: string) => page.locator(`article[data-status="${status}"]`);
const sent = () => mock.requests.map((request) => request.body as Record<string, unknown>);

describe('a chat', () => {
  test('code is coloured by its language, and stays what it was', async () => {
    const code = 'def f(x):\n    return "<b>" + str(x)  # note';
    await using stage = await open({ behaviour: { text: `Here:\n\n\`\`\`python\n${code}\n\`\`\`` } });
    const { page, problems } = stage;
    await ask(page, 'code');
    await answer(page, 'complete').waitFor();
    await page.locator('.hljs-keyword', { hasText: 'def' }).waitFor();
    await page.locator('.hljs-comment', { hasText: '# note' }).waitFor();
    expect((await page.locator('pre code').first().innerText()).trimEnd()).toBe(code);
    expect(await accessibilityViolations(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  test('settings are kept under a name and come back as they were', async () => {
    await using stage = await open();
    const { page } = stage;
    await page.getByRole('textbox', { name: '系统提示词' }).fill('Answer in one word.');
    await page.getByRole('button', { name: '预设' }).click();
    await page.getByRole('textbox', { name: '为当前参数命名' }).fill('terse');
    await page.getByRole('button', { name: '保存' }).click();
    await page.getByRole('button', { name: '恢复默认' }).click();
    expect(await page.getByRole('textbox', { name: '系统提示词' }).inputValue()).not.toContain('one word');
    await page.reload();
    await page.getByRole('button', { name: '预设' }).click();
    await page.getByRole('button', { name: 'terse', exact: true }).click();
    expect(await page.getByRole('textbox', { name: '系统提示词' }).inputValue()).toBe('Answer in one word.');
  });

  test('REL-2.06 REL-2.122 REL-2.138 REL-1.09 REL-4.74 REL-4.75 REL-4.76 REL-4.78 REL-7.74 REL-7.76 REL-7.77 REL-7.78 an answer is loading, then incomplete, then complete', async () => {
    await using stage = await open({
      behaviour: {
        text: 'Hello **there**, reader of this answer.',
        firstTokenDelayMilliseconds: 900,
        chunkDelayMilliseconds: 400,
      },
    });
    const { page, problems } = stage;
    const side = page.getByRole('navigation', { name: '侧边菜单' });
    expect(await side.getByRole('link', { name: '操练场' }).getAttribute('aria-current')).toBe('page');
    // The side menu is collapsed.
    expect(await side.getAttribute('data-collapsed')).toBe('true');
    const header = page.waitForRequest('**/pg/chat/completions');
    await ask(page, 'hi');
    expect((await header).headers()['new-api-user']).toBe(String(actor.id));
    await answer(page, 'loading').waitFor();
    await answer(page, 'incomplete').waitFor();
    await answer(page, 'complete').waitFor();
    await answer(page, 'complete').getByText('there', { exact: true }).waitFor();
    expect(await answer(page, 'complete').locator('strong').innerText()).toBe('there');
    // The figures are under the answer.
    const words = await answer(page, 'complete').innerText();
    for (const label of ['首字', 'tok/s', '输入', '输出', '费用']) expect(words).toContain(label);
    expect(problems).toEqual([]);
  });

  test('REL-7.75 REL-9.38 REL-9.40 REL-9.41 the defaults: gpt-4o-mini, no limit of tokens, a system prompt', async () => {
    await using stage = await open();
    const { page } = stage;
    await ask(page, 'hi');
    await answer(page, 'complete').waitFor();
    const [body] = sent();
    expect(body).toMatchObject({ model: 'gpt-4o-mini', stream: true, temperature: 0.5 });
    expect(body).not.toHaveProperty('group');
    expect(body?.['messages']).toEqual([
      { role: 'system', content: '你是一位乐于助人的助手，请准确、简洁地回答。' },
      { role: 'user', content: 'hi' },
    ]);
    expect([undefined, null]).toContain(body?.['max_tokens'] as undefined);
  });

  test('REL-2.123 REL-2.124 REL-2.125 REL-2.126 REL-2.127 REL-9.39 the side panel sets group, model, temperature, max tokens and system prompt', async () => {
    await using stage = await open();
    const { page } = stage;
    const slider = page.getByRole('slider', { name: '温度' });
    expect(await slider.getAttribute('aria-valuemin')).toBe('0.1');
    expect(await slider.getAttribute('aria-valuemax')).toBe('1');
    await slider.focus();
    await slider.press('ArrowRight');
    expect(await slider.getAttribute('aria-valuenow')).toBe('0.6');
    await page.getByRole('combobox', { name: '分组' }).or(page.locator('#playground-group')).first().click();
    await page.getByRole('option', { name: 'vip' }).click();
    await page
      .getByRole('combobox', { name: '模型 A' })
      .or(page.getByRole('textbox', { name: '模型 A' }))
      .first()
      .click();
    expect(await page.getByRole('option', { name: 'text-embedding-3-small' }).count()).toBe(0);
    await page.getByRole('option', { name: 'deepseek-chat' }).click();
    await page.locator('#playground-max-tokens').fill('77');
    await page.locator('#playground-system').fill('be brief');
    await page.getByRole('switch', { name: '发送 top_p' }).click({ force: true });
    await ask(page, 'hi');
    await answer(page, 'complete').waitFor();
    expect(sent()[0]).toMatchObject({ model: 'deepseek-chat', temperature: 0.6, max_tokens: 77, top_p: 1 });
    expect(sent()[0]).toHaveProperty(['messages', 0], { role: 'system', content: 'be brief' });
    const logged = await application.store.db
      .selectFrom('logs')
      .select(['group', 'token_name'])
      .orderBy('id', 'desc')
      .executeTakeFirst();
    expect(logged).toEqual({ group: 'vip', token_name: 'playground-vip' });
    // The choice survives a reload.
    expect(await stored(page, 'playground-settings')).toContain('deepseek-chat');
  });

  test('the cost under the answer is what was charged', async () => {
    await using stage = await open({
      behaviour: { text: 'x', usage: { inputTokens: 100_000, outputTokens: 1000 } },
    });
    const { page } = stage;
    const before = await application.client(actor).users.self();
    await ask(page, 'hi');
    await answer(page, 'complete').waitFor();
    // 0.075 × (100,000 + 1,000 × 4) / 500,000
    await until(page, `document.querySelector('article')?.innerText.includes('$0.0156')`);
    const after = await application.client(actor).users.self();
    expect(before.quota - after.quota).toBe(7800);
  });

  test('REL-4.77 REL-8.25 REL-8.26 a failing stream writes its message into the reply and marks it as an error', async () => {
    await using stage = await open({
      behaviour: {
        text: 'one two three four five six',
        errorAfterEvents: 4,
        errorMessage: 'the upstream fell over',
      },
    });
    const { page } = stage;
    await ask(page, 'hi');
    await answer(page, 'error').waitFor();
    const words = await answer(page, 'error').innerText();
    expect(words).toContain('one');
    expect(words.length).toBeGreaterThan(20);
    expect(await accessibilityViolations(page)).toEqual([]);
    // The retry succeeds.
    mock.reset();
    await page.getByRole('button', { name: '重新生成' }).click();
    await answer(page, 'complete').waitFor();
  });

  test('REL-4.77 a refusal of the gateway is in the reply', async () => {
    const poor = await application.actor();
    await using stage = await open({ as: poor });
    const { page } = stage;
    await ask(page, 'hi');
    await answer(page, 'error').waitFor();
    expect(await answer(page, 'error').innerText()).toContain('余额不足');
  });

  test('an answer that breaks off before [DONE] is an error', async () => {
    await using stage = await open({
      behaviour: { text: 'one two three four five six seven', resetAfterEvents: 4 },
    });
    const { page } = stage;
    await ask(page, 'hi');
    await answer(page, 'error').waitFor();
  });

  test('O30 stop ends the call at the upstream too, keeps what has come and shows its charge', async () => {
    await using stage = await open({ behaviour: { endless: true, chunkDelayMilliseconds: 30 } });
    const { page } = stage;
    await ask(page, 'hi');
    await answer(page, 'incomplete').waitFor();
    await page.getByRole('button', { name: '停止' }).click();
    await answer(page, 'complete').getByText('已停止').waitFor();
    expect((await answer(page, 'complete').innerText()).length).toBeGreaterThan(5);
    await page.getByRole('button', { name: '发送', exact: true }).waitFor();
    await answer(page, 'complete')
      .getByText(/\$0\.0*[1-9]/)
      .waitFor();
  });
});

describe('around the chat', () => {
  test('markdown is rendered safely: code with a copy button, no scripts, no pictures that call out (plan S12)', async () => {
    const text =
      'Look:\n\n```sql\nselect 1;\n```\n\n<script>window.broken=1</script><img src="https://evil.example/x.png" alt="pic" onerror="window.broken=1">';
    await using stage = await open({ behaviour: { text } });
    const { page } = stage;
    const called: string[] = [];
    page.on('request', (request) => called.push(request.url()));
    await ask(page, 'hi');
    await answer(page, 'complete').locator('pre').waitFor();
    await answer(page, 'complete').getByRole('button', { name: '复制', exact: true }).click();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toContain('select 1;');
    expect(await answer(page, 'complete').locator('img, script').count()).toBe(0);
    expect(await page.evaluate<unknown>('window.broken')).toBeUndefined();
    expect(called.filter((url) => url.includes('evil'))).toEqual([]);
    faultSeen('S12', 'a script and a picture in the answer of a model: not run, not loaded');
  });

  test('a picture goes with the prompt', async () => {
    await using stage = await open();
    const { page } = stage;
    const pixel =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'pixel.png', mimeType: 'image/png', buffer: Buffer.from(pixel, 'base64') });
    await page.getByRole('img', { name: '第 1 张图片' }).waitFor();
    await ask(page, 'what is it');
    await answer(page, 'complete').waitFor();
    expect(sent()[0]).toHaveProperty(
      ['messages', 1, 'content'],
      [
        { type: 'text', text: 'what is it' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
      ],
    );
  });

  test('two models answer one prompt side by side, and a line names the cheaper one', async () => {
    await using stage = await open({
      behaviour: { text: 'same\n\n'.repeat(80), usage: { inputTokens: 1000, outputTokens: 1000 } },
    });
    const { page } = stage;
    await page.getByRole('radiogroup', { name: '视图' }).getByText('对比 2 个').click();
    await page.getByRole('textbox', { name: '同时询问两个模型…' }).waitFor();
    await ask(page, 'hi');
    await until(page, `document.querySelectorAll('article[data-status=complete]').length === 2`);
    expect(
      sent()
        .map((body) => body['model'])
        .toSorted(),
    ).toEqual(['gpt-4o', 'gpt-4o-mini']);
    // gpt-4o costs 2.50 / 10.00, gpt-4o-mini 0.15 / 0.60.
    const verdict = page.getByText('B 的价格是 A 的 16.7 倍');
    await verdict.waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await screenshot(page, 'playground-compare-zh-light');
    // D33 a second long answer is followed to its end: its cost and the verdict stay above the composer.
    await ask(page, 'again');
    await until(page, `document.querySelectorAll('article[data-status=complete]').length === 4`);
    const bottomOf = async (part: Locator) => {
      const box = await part.last().boundingBox();
      return (box?.y ?? Infinity) + (box?.height ?? 0);
    };
    const composer = await page.getByRole('textbox', { name: '同时询问两个模型…' }).boundingBox();
    for (const part of [page.locator('article'), verdict])
      await eventually(
        async () => (await bottomOf(part)) <= (composer?.y ?? 0),
        'the end is above the composer',
      );
  });

  test('the code is the request', async () => {
    await using stage = await open();
    const { page } = stage;
    await page.getByRole('textbox', { name: '输入消息…' }).fill("it's this");
    await page.getByRole('button', { name: '获取代码' }).click();
    const dialog = page.getByRole('dialog', { name: '下一次请求的等效代码' });
    const code = await dialog.locator('pre').innerText();
    expect(code).toContain('/v1/chat/completions');
    expect(code).toContain(`it'\\''s this`);
    expect(code).not.toContain('"group"');
    await dialog.getByText('Python', { exact: true }).click();
    expect(await dialog.locator('pre').innerText()).toContain('stream=True');
    expect(await accessibilityViolations(page)).toEqual([]);
  });

  test('conversations are kept in the browser, by user, and can be removed', async () => {
    await using stage = await open();
    const { page } = stage;
    await ask(page, 'remember me');
    await answer(page, 'complete').waitFor();
    await page.reload();
    const list = page.getByRole('complementary', { name: '对话' });
    await list.getByText('remember me').click();
    await answer(page, 'complete').waitFor();
    await list.getByText('remember me').hover();
    await list.getByRole('button', { name: '删除对话 remember me' }).click();
    await list.getByText('remember me').waitFor({ state: 'detached' });
    expect(await answer(page, 'complete').count()).toBe(0);
  });

  test('a prompt is edited and sent again', async () => {
    await using stage = await open();
    const { page } = stage;
    await ask(page, 'first try');
    await answer(page, 'complete').waitFor();
    await page.getByRole('button', { name: '编辑并重新发送' }).click();
    expect(await page.getByRole('textbox', { name: '输入消息…' }).inputValue()).toBe('first try');
    await ask(page, 'second try');
    await answer(page, 'complete').waitFor();
    expect(await page.locator('article').count()).toBe(1);
    expect(JSON.stringify(sent().at(-1))).not.toContain('first try');
  });

  test('a link can name the model', async () => {
    await using stage = await open({ path: '/playground?model=gpt-4o' });
    await ask(stage.page, 'hi');
    await answer(stage.page, 'complete').waitFor();
    expect(sent()[0]?.['model']).toBe('gpt-4o');
  });
});

describe('its look', () => {
  testLooks.each(['light', 'dark'] as const)(
    '%s in English: nothing Chinese, nothing axe objects to',
    async (theme) => {
      await using stage = await open({ theme, language: 'en', locale: 'en-US' });
      const { page, problems } = stage;
      expect(await accessibilityViolations(page)).toEqual([]);
      await ask(page, 'hi');
      await answer(page, 'complete').waitFor();
      expect(await accessibilityViolations(page)).toEqual([]);
      const words = await page.locator('body').innerText();
      expect(words.replace('中', '')).not.toMatch(/[\u4e00-\u9fff]/);
      await screenshot(page, `playground-en-${theme}`);
      expect(problems).toEqual([]);
    },
  );

  testLooks('on the phone the panel is a sheet and nothing sticks out', async () => {
    await using stage = await open({ viewport: PHONE });
    const { page } = stage;
    expect(await fitsWidth(page)).toBe(true);
    expect(await accessibilityViolations(page)).toEqual([]);
    await screenshot(page, 'playground-phone-zh-light');
    await page.getByRole('button', { name: '打开参数' }).click();
    await page.locator('#playground-max-tokens').fill('5');
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: '关闭' }).click();
    await ask(page, 'hi');
    await answer(page, 'complete').waitFor();
    expect(sent()[0]?.['max_tokens']).toBe(5);
    expect(await fitsWidth(page)).toBe(true);
  });
});
