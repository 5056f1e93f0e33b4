// The parts of the playground beside the plain chat: files, tools, formats, parameters by model, panes, branches,
// variables and files to save.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { addChannel } from '#tests/support/channels.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import {
  accessibilityViolations,
  fitsWidth,
  PHONE,
  screenshot,
  until,
  visit,
  type VisitOptions,
} from '#tests/support/browser.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import type { Behaviour } from '#mock/upstream/behaviour.ts';

setDefaultTimeout(90_000);

const WIDE = { width: 1440, height: 900 };

let application: TestApplication;
let mock: MockUpstream;
let actor: Actor;
beforeAll(async () => {
  mock = startMockUpstream();
  application = await startApplication({ consoleDirectory: 'dist' });
  await addChannel(application.store, {
    base_url: mock.url,
    models: ['gpt-4o', 'gpt-4o-mini', 'gpt-4.1', 'gpt-4.1-mini', 'o3-mini'],
  });
  actor = await application.actor({ quota: 50_000_000 });
});
afterAll(async () => {
  await application.close();
  await mock.stop();
});

async function open(options: VisitOptions & { path?: string; behaviour?: Behaviour } = {}) {
  mock.reset();
  if (options.behaviour) mock.behave(options.behaviour);
  const opened = await visit(application, { as: actor, viewport: WIDE, language: 'zh', ...options });
  await opened.page.goto(options.path ?? '/playground');
  await box(opened.page).waitFor();
  return opened;
}

const box = (page: Page) => page.getByRole('textbox', { name: /输入消息|同时询问|Type a message|Ask / });

async function ask(page: Page, text: string): Promise<void> {
  await box(page).fill(text);
  await until(page, `!document.querySelector('form button[type=submit]')?.disabled`);
  await box(page).press('Enter');
}

const answers = (page: Page, status: string) => page.locator(`article[data-status="${status}"]`);
const done = (page: Page, count: number) =>
  until(page, `document.querySelectorAll('article[data-status=complete]').length === ${count}`);
const sent = () => mock.requests.map((request) => request.body as Record<string, unknown>);

test('D34 a PDF, a recording and a text file go with the prompt; a file above its bound is refused before it is sent', async () => {
  await using stage = await open();
  const { page } = stage;
  const button = page.getByRole('button', { name: '添加文件' });
  expect(await button.getAttribute('aria-description')).toContain('PDF 不超过 20 MB');
  await page.locator('input[type=file]').setInputFiles([
    { name: 'bill.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4') },
    { name: 'note.mp3', mimeType: 'audio/mpeg', buffer: Buffer.from('ID3') },
    { name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b') },
    { name: 'huge.txt', mimeType: 'text/plain', buffer: Buffer.alloc(1024 * 1024 + 1, 97) },
  ]);
  await page.getByText('huge.txt 超过 1 MB').waitFor();
  await page.getByRole('button', { name: '移除 bill.pdf' }).waitFor();
  expect(await page.getByRole('button', { name: '移除 huge.txt' }).count()).toBe(0);
  await ask(page, 'what is it');
  await done(page, 1);
  const data = (text: string) => Buffer.from(text).toString('base64');
  expect(sent()[0]).toHaveProperty(
    ['messages', 1, 'content'],
    [
      { type: 'text', text: 'what is it' },
      {
        type: 'file',
        file: { filename: 'bill.pdf', file_data: `data:application/pdf;base64,${data('%PDF-1.4')}` },
      },
      { type: 'input_audio', input_audio: { data: data('ID3'), format: 'mp3' } },
      { type: 'text', text: 'list.csv\n\na,b' },
    ],
  );
  // They stand in the thread, and the code of the next call has them in each dialect's form.
  await page.getByText('bill.pdf').waitFor();
  await page.getByRole('button', { name: '获取代码' }).click();
  const dialog = page.getByRole('dialog', { name: '下一次请求的等效代码' });
  await dialog.getByText('Anthropic', { exact: true }).click();
  expect(await dialog.locator('pre').innerText()).toContain('"type": "document"');
  await dialog.getByText('这个格式不支持：音频。').waitFor();
  await dialog.getByText('Gemini', { exact: true }).click();
  expect(await dialog.locator('pre').innerText()).toContain(':streamGenerateContent?alt=sse');
  expect(await accessibilityViolations(page)).toEqual([]);
});

test('a tool is called, the user types its answer, and the reply goes on', async () => {
  const calls = [{ name: 'get_weather', arguments: '{"city":"Oslo"}' }];
  await using stage = await open({
    behaviour: { text: 'It is lovely.', search: { pattern: 'sunny and 21', calls } },
  });
  const { page } = stage;
  await page.getByRole('button', { name: '编辑工具' }).click();
  const dialog = page.getByRole('dialog', { name: '模型可以调用的工具' });
  await dialog.getByRole('button', { name: '添加工具' }).click();
  await dialog.getByRole('textbox', { name: '名称' }).fill('not a name');
  await dialog.getByText('1 到 64 个字母、数字、_ 或 -').waitFor();
  expect(await dialog.getByRole('button', { name: '保存' }).isDisabled()).toBe(true);
  await dialog.getByRole('textbox', { name: '名称' }).fill('get_weather');
  expect(await accessibilityViolations(page)).toEqual([]);
  await dialog.getByRole('button', { name: '保存' }).click();
  await ask(page, 'weather in Oslo?');
  const field = page.getByRole('textbox', { name: 'get_weather 的返回内容' });
  // The preset of the tool stands in the field.
  expect(await field.inputValue()).toContain('"temperature": 21');
  await field.fill('sunny and 21');
  expect(await accessibilityViolations(page)).toEqual([]);
  await page.getByRole('button', { name: '发送返回内容' }).click();
  await answers(page, 'complete').getByText('It is lovely.').waitFor();
  expect(sent()).toHaveLength(2);
  expect(sent()[0]).toHaveProperty(['tools', 0, 'function', 'name'], 'get_weather');
  const messages = sent()[1]?.['messages'] as Record<string, unknown>[];
  expect(messages.at(-2)).toMatchObject({ role: 'assistant', tool_calls: [{ function: calls[0] }] });
  expect(messages.at(-1)).toMatchObject({ role: 'tool', content: 'sunny and 21' });
});

test('an answer in JSON is asked for by its schema and shown as code', async () => {
  await using stage = await open({ behaviour: { text: '{"answer":"yes"}' } });
  const { page } = stage;
  await page.getByRole('radiogroup', { name: '回答格式' }).getByText('Schema').click();
  await page.getByRole('textbox', { name: 'JSON Schema' }).fill('{');
  await page.getByText('不是 JSON 对象，将按文本请求回答').waitFor();
  await page.getByRole('textbox', { name: 'JSON Schema' }).fill('{"type":"object"}');
  await ask(page, 'yes?');
  await done(page, 1);
  expect(sent()[0]?.['response_format']).toMatchObject({
    type: 'json_schema',
    json_schema: { schema: { type: 'object' } },
  });
  await answers(page, 'complete').locator('pre', { hasText: '"answer": "yes"' }).waitFor();
});

test('a model that reasons shows its effort and no temperature, and is sent neither temperature nor max_tokens', async () => {
  await using stage = await open({ path: '/playground?model=o3-mini' });
  const { page } = stage;
  await page.getByRole('switch', { name: '发送 reasoning_effort' }).click({ force: true });
  expect(await page.getByRole('slider', { name: '温度' }).count()).toBe(0);
  expect(await page.getByRole('switch', { name: '发送 top_p' }).count()).toBe(0);
  await page.locator('#playground-max-tokens').fill('77');
  await ask(page, 'think');
  await done(page, 1);
  expect(sent()[0]).toMatchObject({ reasoning_effort: 'medium', max_completion_tokens: 77 });
  expect(sent()[0]).not.toHaveProperty('temperature');
  expect(sent()[0]).not.toHaveProperty('max_tokens');
});

test('four models answer side by side; one answer is written anew by another model; a branch leaves the first conversation', async () => {
  await using stage = await open({ behaviour: { usage: { inputTokens: 1000, outputTokens: 1000 } } });
  const { page, problems } = stage;
  await page.getByRole('radiogroup', { name: '视图' }).getByText('4', { exact: true }).click();
  await page.getByRole('textbox', { name: '同时询问所有模型…' }).waitFor();
  await ask(page, 'first question');
  await done(page, 4);
  expect(new Set(sent().map((body) => body['model'])).size).toBe(4);
  await page.getByText(/最便宜/).waitFor();
  expect(await accessibilityViolations(page)).toEqual([]);
  await screenshot(page, 'playground-four-zh-light');
  const first = answers(page, 'complete').first();
  await first.getByRole('button', { name: '更多' }).click();
  await page.getByRole('menuitem', { name: 'o3-mini' }).click();
  await until(page, `document.querySelector('article')?.getAttribute('aria-label')?.startsWith('o3-mini')`);
  await done(page, 4);
  await ask(page, 'second question');
  await done(page, 8);
  await first.getByRole('button', { name: '更多' }).click();
  await page.getByRole('menuitem', { name: '从这里创建分支' }).click();
  await done(page, 4);
  await page.getByRole('button', { name: '查看对话' }).click();
  await page.getByRole('dialog').getByText('first question').nth(1).click();
  await done(page, 8);
  expect(problems).toEqual([]);
});

test('the fields of a prompt are filled in before it is sent', async () => {
  await using stage = await open();
  const { page } = stage;
  await page.locator('#playground-system').fill('You speak {{language}}.');
  await box(page).fill('Greet {{name}}');
  const send = page.getByRole('button', { name: '发送', exact: true });
  expect(await send.isDisabled()).toBe(true);
  await page.getByRole('textbox', { name: 'language 的值' }).fill('Norwegian');
  await page.getByRole('textbox', { name: 'name 的值' }).fill('Ola');
  await send.click();
  await done(page, 1);
  expect(sent()[0]?.['messages']).toEqual([
    { role: 'system', content: 'You speak Norwegian.' },
    { role: 'user', content: 'Greet Ola' },
  ]);
});

test('a conversation is saved as Markdown and as JSON', async () => {
  await using stage = await open({ behaviour: { text: 'An **answer**.' } });
  const { page } = stage;
  await ask(page, 'keep this');
  await done(page, 1);
  const save = async (name: string) => {
    await page.getByRole('button', { name: '对话的更多操作' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name }).click(),
    ]);
    return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') };
  };
  const markdown = await save('导出 Markdown');
  expect(markdown.name).toBe('keep-this.md');
  expect(markdown.text).toContain('## gpt-4o-mini\n\nAn **answer**.');
  const json = await save('导出 JSON');
  expect(JSON.parse(json.text)).toMatchObject({
    turns: [{ text: 'keep this', answers: [{ content: 'An **answer**.' }] }],
  });
});

test('on the phone four panes stand two by two and nothing sticks out', async () => {
  await using stage = await open({ viewport: PHONE, language: 'en', locale: 'en-US', theme: 'dark' });
  const { page } = stage;
  await page.getByRole('radiogroup', { name: 'View' }).getByText('4', { exact: true }).click();
  await ask(page, 'hi');
  await done(page, 4);
  expect(await fitsWidth(page)).toBe(true);
  expect(await accessibilityViolations(page)).toEqual([]);
  await screenshot(page, 'playground-four-phone-en-dark');
  await page.getByRole('button', { name: 'Open parameters' }).click();
  await page.getByRole('button', { name: 'Edit tools' }).waitFor();
  expect(await fitsWidth(page)).toBe(true);
  await screenshot(page, 'playground-parameters-phone-en-dark');
});
