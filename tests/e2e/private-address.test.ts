// A channel in the operator's own network: the refusal and the button that allows the address, in the three places where it
// shows. An administrator who is not root sees the sentence without the button.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { ROLE } from '#contract/access.ts';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { startApplication, type TestApplication } from '#tests/support/application.ts';
import { visit } from '#tests/support/browser.ts';
import { eachLook } from '#tests/support/looks.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';

setDefaultTimeout(120_000);
let application: TestApplication;
let upstream: MockUpstream;
let entry: string;
beforeAll(async () => {
  upstream = startMockUpstream();
  entry = new URL(upstream.url).host;
  application = await startApplication({ environment: { ALLOWED_PRIVATE_ADDRESSES: '' } });
});
afterAll(async () => {
  await application.close();
  await upstream.stop();
});

const open = async (language: 'zh' | 'en', role: number, path: string) => {
  const opened = await visit(application, {
    as: await application.actor({ role }),
    viewport: { width: 1440, height: 900 },
    language,
  });
  await opened.page.goto(path);
  await opened.page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' });
  return opened;
};
const close = () => application.settings.reset('AllowedPrivateAddresses', 0);
const picture = (name: string) => {
  mkdirSync('test-results/screens', { recursive: true });
  return { path: `test-results/screens/private-address-${name}.png` };
};

const WORDS = {
  zh: { key: '2. 粘贴密钥', address: '地址', check: '列出并测试模型', allow: '允许访问' },
  en: { key: '2. Paste the key', address: 'Address', check: 'List and test its models', allow: 'Allow' },
} as const;

for (const language of eachLook(['zh', 'en'] as const))
  test(`root connects a local upstream with one click more, in ${language} (N28)`, async () => {
    await close();
    const words = WORDS[language];
    await using opened = await open(language, ROLE.root, '/channel?quick=true');
    const { page } = opened;
    await page.getByLabel(words.key).fill('sk-local-0123456789');
    await page.getByLabel(words.address, { exact: true }).fill(upstream.url);
    await page.getByRole('button', { name: words.check }).click();
    const allow = page.getByRole('button', { name: `${words.allow} ${entry}` });
    await allow.waitFor();
    await page.screenshot(picture(`quick-${language}`));
    await allow.click();
    // After the click the form repeats the check and finds the models.
    await page
      .getByText(language === 'zh' ? /个模型/ : /will be offered/)
      .first()
      .waitFor();
    expect(application.settings.current.AllowedPrivateAddresses).toEqual([entry]);
  });

test('an administrator sees the sentence, not the button (N28)', async () => {
  await close();
  await using opened = await open('en', ROLE.admin, '/channel?quick=true');
  const { page } = opened;
  await page.getByLabel('2. Paste the key').fill('sk-local-0123456789');
  await page.getByLabel('Address', { exact: true }).fill(upstream.url);
  await page.getByRole('button', { name: 'List and test its models' }).click();
  await page.getByText(`${entry} is in a private network`).waitFor();
  expect(await page.getByRole('button', { name: `Allow ${entry}` }).count()).toBe(0);
});

test('the form marks the address and offers the click; a second test then passes (N28)', async () => {
  await close();
  await application.settings.set('AllowedPrivateAddresses', entry, 0);
  const root = await application.actor({ role: ROLE.root });
  const [channel] = await application.client(root).channels.create({
    body: {
      name: 'ollama',
      type: CHANNEL_TYPE.openAi,
      key: 'sk-local-0123456789',
      base_url: upstream.url,
      models: 'gpt-4o-mini',
      groups: 'default',
    },
  });
  await close();
  await using opened = await open('en', ROLE.root, `/channel/edit/${channel?.id}`);
  const { page } = opened;
  await page.getByRole('button', { name: 'Test before saving' }).click();
  const allow = page.getByRole('button', { name: `Allow ${entry}` });
  await allow.waitFor();
  await page.screenshot(picture('form-en'));
  await allow.click();
  await allow.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Test before saving' }).click();
  await page
    .getByText(/answered|works|responded|passed|took/i)
    .first()
    .waitFor();
  expect(await allow.count()).toBe(0);
});

test('the test of a stored channel offers the click and runs again (N28)', async () => {
  await close();
  await using opened = await open('zh', ROLE.root, '/channel');
  const { page } = opened;
  await page.getByRole('button', { name: 'ollama 的操作', exact: true }).first().click();
  await page.getByRole('menuitem', { name: '测试模型' }).hover();
  await page.getByRole('menuitem', { name: '测试全部模型…' }).click();
  await page.getByRole('button', { name: '开始测试' }).click();
  const allow = page.getByRole('button', { name: `允许访问 ${entry}` });
  await allow.waitFor();
  await page.screenshot(picture('test-zh'));
  await allow.click();
  await page.getByRole('dialog').getByText('成功', { exact: true }).first().waitFor();
});

test('the plain test in the row menu asks root whether to allow the address, then runs again (N28)', async () => {
  await close();
  await using opened = await open('en', ROLE.root, '/channel');
  const { page } = opened;
  const testRow = async () => {
    await page.getByRole('button', { name: 'Actions of ollama', exact: true }).first().click();
    await page.getByRole('menuitem', { name: 'Test', exact: true }).click();
  };
  await testRow();
  const question = page.getByRole('alertdialog').or(page.getByRole('dialog')).last();
  await question.getByText(`${entry} is in a private network`).waitFor();
  // The question has the sentence; a toast would say it again, without the button.
  expect(await page.getByRole('alert').count()).toBe(0);
  await page.screenshot(picture('row-en'));
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect(application.settings.current.AllowedPrivateAddresses).toEqual([]);
  await testRow();
  await question.getByRole('button', { name: `Allow ${entry}` }).click();
  await page.getByText(/^ollama passed in/).waitFor();
  expect(application.settings.current.AllowedPrivateAddresses).toEqual([entry]);
});

test('an administrator who tests a row gets the sentence as a toast (N28)', async () => {
  await close();
  await using opened = await open('en', ROLE.admin, '/channel');
  const { page } = opened;
  await page.getByRole('button', { name: 'Actions of ollama', exact: true }).first().click();
  await page.getByRole('menuitem', { name: 'Test', exact: true }).click();
  await page.getByRole('alert').getByText(`${entry} is in a private network`).waitFor();
  expect(await page.getByRole('button', { name: `Allow ${entry}` }).count()).toBe(0);
});

test('the list of models of a stored channel asks too, and is then fetched (N28)', async () => {
  await close();
  await using opened = await open('en', ROLE.root, '/channel');
  const { page } = opened;
  await page.getByRole('button', { name: 'Actions of ollama', exact: true }).first().click();
  await page.getByRole('menuitem', { name: 'Edit', exact: true }).click();
  await page.getByRole('button', { name: 'Fetch from upstream' }).click();
  const question = page.getByRole('alertdialog').or(page.getByRole('dialog')).last();
  await question.getByText(`${entry} is in a private network`).waitFor();
  await question.getByRole('button', { name: `Allow ${entry}` }).click();
  await page
    .getByText(/^The upstream has/)
    .first()
    .waitFor();
});
