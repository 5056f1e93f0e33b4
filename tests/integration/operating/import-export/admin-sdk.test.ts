// The admin SDK: its example runs against an installation, and the built package works in Node without this repository's code.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startApplication, type TestApplication } from '#tests/support/application.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-sdk-'));
const TOKEN = 'access-token-for-the-example-1234';
let app: TestApplication;

beforeAll(async () => {
  app = await startApplication();
  await app.store.db
    .updateTable('users')
    .set({ access_token_digest: app.store.vault.digest('access_token', TOKEN) })
    .where('id', '=', 1)
    .execute();
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

const variables = () => ({
  ...process.env,
  TOLLGATE_URL: app.url,
  TOLLGATE_ACCESS_TOKEN: TOKEN,
  TOLLGATE_USER_ID: '1',
  PROVIDER_URL: 'http://127.0.0.1:9',
  PROVIDER_KEY: 'sk-example',
});

async function run(command: string[]): Promise<{ code: number; output: string }> {
  const child = Bun.spawn(command, { env: variables(), stdio: ['ignore', 'pipe', 'pipe'] });
  const output = (await new Response(child.stdout).text()) + (await new Response(child.stderr).text());
  return { code: await child.exited, output };
}

test('the example connects a provider', async () => {
  const { code, output } = await run([
    process.execPath,
    path.join(root, 'packages/admin-sdk/examples/connect-provider.ts'),
  ]);
  expect([code, output]).toEqual([0, expect.stringMatching(/^\d+ example: example-model$/m)]);
  expect(app.settings.current.ModelRatio).toEqual({ 'example-model': 1 });
});

test('the built package runs in Node; a refusal has its code and field', async () => {
  const built = await run([process.execPath, path.join(root, 'packages/admin-sdk/build.ts'), folder]);
  expect(built.code).toBe(0);
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  const script = path.join(folder, 'use.mjs');
  await Bun.write(
    script,
    `import { createAdminClient, TollgateError } from './index.js';
     const tollgate = createAdminClient({ address: process.env.TOLLGATE_URL, accessToken: process.env.TOLLGATE_ACCESS_TOKEN, userId: 1 });
     const failure = await tollgate.channels.create({ body: { name: '', type: ${CHANNEL_TYPE.openAi}, key: 'k', models: ['m'], groups: ['default'] } }).catch((error) => error);
     console.log(failure instanceof TollgateError, failure.status, failure.code, failure.fields[0].field);`,
  );
  expect(await run(['node', script])).toEqual({ code: 0, output: 'true 200 channel_name_required name\n' });
});
