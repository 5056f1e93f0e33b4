// The first steps of a new installation: each becomes done by doing it, and only by that.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { FIRST_STEPS, type FirstStep, type FirstStepView } from '#contract/admin/first-run.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import { startMailServer, type MailServer } from '#tests/support/mail-server.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';

describe.each(databaseLabels)('%s', (database) => {
  let app: TestApplication;
  let root: Actor;
  let upstream: MockUpstream;
  let mail: MailServer;

  beforeAll(async () => {
    upstream = startMockUpstream();
    mail = await startMailServer();
    app = await startApplication({ database });
    root = await app.actor({ role: ROLE.root, quota: 5_000_000 });
  });
  afterAll(async () => {
    await app.close();
    await upstream.stop();
    await mail.close();
  });

  const read = (origin = '') => app.client(root).firstRun.read({ query: { origin } });
  async function step(name: FirstStep, origin = ''): Promise<FirstStepView> {
    const found = (await read(origin)).steps.find((each) => each.name === name);
    if (found === undefined) throw new Error(`no step ${name}`);
    return found;
  }
  const set = (settings: Record<string, string | undefined>) =>
    Promise.all(Object.entries(settings).map(([key, text]) => app.settings.set(key, text ?? '', 0)));

  test('N6 everything is open on a new installation, and only the super admin can read it', async () => {
    const { is_shown, steps } = await read();
    expect(is_shown).toBe(true);
    expect(steps.map(({ name }) => name)).toEqual([...FIRST_STEPS]);
    expect(steps.map(({ state }) => state)).toEqual(FIRST_STEPS.map(() => 'open'));
    const admin = await app.actor({ role: ROLE.admin });
    expect((await app.request('/api/first_run', { as: admin })).status).toBe(403);
  });

  test('a channel counts when it has passed a test, its models when each has a price, a token when it was used', async () => {
    const client = app.client(root);
    const fields = { type: CHANNEL_TYPE.openAi, base_url: upstream.url, groups: 'default' };
    const [broken] = await client.channels.create({
      body: { ...fields, name: 'broken', key: 'sk-a.mock-401', models: 'gpt-5.4' },
    });
    expect(await step('channel')).toMatchObject({ state: 'open', reason: 'untested', detail: 'broken' });
    await app.request(`/api/channel/test/${broken?.id}`, { as: root });
    expect(await step('channel')).toMatchObject({ state: 'failed', reason: 'untested' });
    const [good] = await client.channels.create({
      body: { ...fields, name: 'good', key: 'sk-b', models: 'gpt-5.4,house-model' },
    });
    await client.channelUpstream.test({ params: { id: good?.id ?? 0 }, query: {} });
    expect(await step('channel')).toMatchObject({ state: 'done' });

    expect(await step('price')).toMatchObject({ state: 'failed', reason: 'unpriced', detail: 'house-model' });
    await set({ ModelRatio: JSON.stringify({ 'house-model': 1 }) });
    expect(await step('price')).toMatchObject({ state: 'done' });
    // Sold at the price of the model without the suffix, as the relay does.
    await client.channels.create({
      body: { ...fields, name: 'thinking', key: 'sk-c', models: 'o3-mini-high' },
    });
    expect(await step('price')).toMatchObject({ state: 'done' });

    const [token] = await client.tokens.create({ body: { name: 'first', unlimited_quota: true } });
    expect(await step('token')).toMatchObject({ state: 'open' });
    const answer = await fetch(`${app.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { Authorization: `Bearer sk-${token?.key}-${good?.id}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-5.4', messages: [{ role: 'user', content: 'hello' }] }),
    });
    expect(answer.status).toBe(200);
    expect(await step('token')).toMatchObject({ state: 'done' });
  });

  test('the address counts when it leads here, not when it is local, silent or of another site', async () => {
    await set({ ServerAddress: 'http://localhost:3000' });
    expect(await step('address')).toMatchObject({ state: 'open', reason: 'local' });
    await set({ ServerAddress: 'https://gate.example' });
    expect(await step('address', 'https://gate.example')).toMatchObject({ state: 'done' });
    // The name has no address.
    expect(await step('address')).toMatchObject({ state: 'failed', reason: 'unreachable' });
  });

  test('mail counts when a letter was taken, payment when users can pay', async () => {
    await set({ ...mail.settings, SMTPServer: '127.0.0.1' });
    expect(await step('mail')).toMatchObject({ state: 'open', reason: 'unsent' });
    // Lately: old ones are cleaned up.
    const now = Math.floor(Date.now() / 1000);
    await app.store.db
      .insertInto('mails')
      .values({ created_at: now, recipient: 'a@b.example', status: 'failed', error: 'connection refused' })
      .execute();
    expect(await step('mail')).toMatchObject({ state: 'failed', detail: 'connection refused' });
    await app.store.db
      .insertInto('mails')
      .values({ created_at: now, recipient: 'a@b.example', status: 'sent', sent_at: now })
      .execute();
    expect(await step('mail')).toMatchObject({ state: 'done' });
    await set({ TopUpLink: 'https://shop.example' });
    expect(await step('payment')).toMatchObject({ state: 'done' });
  });

  test('a backup counts when one is made by time', async () => {
    // Not due again: the scheduler leaves it alone.
    const finished_ms = Date.now() - 7_200_000;
    const run = { owner: 'node', started_ms: finished_ms, finished_ms, next_run_ms: Date.now() + 7_200_000 };
    await app.store.db
      .insertInto('jobs')
      .values({ name: 'backup', node_id: '', ...run })
      .onConflict((conflict) => conflict.columns(['name', 'node_id']).doUpdateSet(run))
      .execute();
    expect(await step('backup')).toMatchObject({ state: 'open', reason: 'none' });
    await set({ BackupEveryHours: '24' });
    expect(await step('backup')).toMatchObject({ state: 'done', at: Math.floor(finished_ms / 1000) });
  });

  test('the list ends when all is done', async () => {
    const { is_shown, steps } = await read('https://gate.example');
    expect(steps.filter(({ state }) => state !== 'done')).toEqual([]);
    expect(is_shown).toBe(false);
  });
});
