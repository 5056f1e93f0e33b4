// Comparisons as administrators edit them, who may read what was kept, and what users say about copies of their calls.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { z } from 'zod';
import { ROLE } from '#contract/access.ts';
import type { shadowFields } from '#contract/relay/shadow-calls.ts';
import {
  ApiRefusal,
  startApplication,
  type Actor,
  type TestApplication,
} from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';

setDefaultTimeout(120_000);

type Fields = z.input<typeof shadowFields>;

describe.each(databaseLabels)('%s', (database) => {
  let app: TestApplication;
  let root: Actor;
  let admin: Actor;
  let mock: MockUpstream;

  beforeAll(async () => {
    mock = startMockUpstream();
    app = await startApplication({ database });
    root = await app.actor({ role: ROLE.root });
    admin = await app.actor({ role: ROLE.admin });
    await addChannel(app.store, { base_url: mock.url, models: ['gpt-4o', 'gpt-4o-mini'] });
    await app.store.changes.announce('channels');
  });
  afterAll(async () => {
    await app.close();
    await mock.stop();
  });

  const api = (actor: Actor = admin) => app.client(actor).shadowCalls;
  const create = (body: Fields) => api().create({ body });
  const refusal = async (promise: Promise<unknown>) => {
    const error: unknown = await promise.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    return error instanceof ApiRefusal ? [error.body.code, error.body['field']] : error;
  };
  const audited = async (id: number) => {
    const rows = await app.store.db
      .selectFrom('audit')
      .select('action')
      .where('target', '=', `shadow:${id}`)
      .orderBy('id')
      .execute();
    return rows.map(({ action }) => action);
  };
  async function keyOf(user: Actor): Promise<string> {
    const reply = await app.request('/api/token/', {
      as: user,
      body: { name: 'key', unlimited_quota: true },
    });
    return (reply.body.data as { key: string }[])[0]?.key ?? '';
  }
  async function callOnce(key: string, content = 'a secret question'): Promise<void> {
    const response = await fetch(`${app.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { Authorization: `Bearer sk-${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content }] }),
    });
    expect(response.status).toBe(200);
    await response.text();
  }
  async function samplesOf(id: number, count: number) {
    for (let turn = 0; turn < 600; turn += 1) {
      const found = await api().samples({ params: { id }, query: {} });
      if (found.samples.length >= count) return found.samples;
      await Bun.sleep(20);
    }
    throw new Error('the samples did not come');
  }

  test('a comparison is made, changed and deleted, and the audit trail names each change', async () => {
    const made = await create({ name: 'edited', model: 'gpt-4o', target_model: 'gpt-4o-mini' });
    expect(made).toMatchObject({
      name: 'edited',
      enabled: true,
      share_percent: 1,
      dollars_per_day: 1,
      kept: 0,
      spent_today: 0,
      is_unserved: false,
    });
    const params = { id: made.id };
    const body = { name: 'edited', model: 'gpt-4o', target_model: 'nobody-has-it', groups: ['vip'] };
    expect(await api().change({ params, body })).toMatchObject({ is_unserved: true, groups: ['vip'] });
    expect(await refusal(create({ ...body }))).toEqual(['invalid_parameter', 'name']);
    expect(
      await refusal(api().change({ params, body: { ...body, based_on: { groups: ['other'] }, groups: [] } })),
    ).toEqual(['changed_meanwhile', 'groups']);
    await app
      .client(admin)
      .virtualModels.create({ body: { name: 'of-many', targets: [{ model: 'gpt-4o' }] } });
    expect(await refusal(create({ name: 'virtual', model: 'gpt-4o', target_model: 'of-many' }))).toEqual([
      'invalid_parameter',
      'target_model',
    ]);
    await api().remove({ params });
    expect(await audited(made.id)).toEqual(['shadow.create', 'shadow.change', 'shadow.delete']);
    expect(await refusal(api().page({ params }))).toEqual(['not_found', undefined]);
  });

  test('only who allowed it is copied; figures are for administrators, texts for the super admin alone', async () => {
    const user = await app.actor({ quota: 5_000_000 });
    const outsider = await app.actor({ quota: 5_000_000 });
    const keys = { user: await keyOf(user), outsider: await keyOf(outsider) };
    const made = await create({
      name: 'read',
      model: 'gpt-4o',
      target_model: 'gpt-4o-mini',
      share_percent: 100,
      dollars_per_day: 100,
    });
    const params = { id: made.id };
    expect(await api(user).consent()).toEqual({ consent: 'unsaid', is_for_everyone: false });
    expect(await api(user).saveConsent({ body: { consent: 'allowed' } })).toMatchObject({
      consent: 'allowed',
    });
    await callOnce(keys.outsider, 'nobody may keep this');
    await callOnce(keys.user);
    const [sample] = await samplesOf(made.id, 1);
    expect(sample).toMatchObject({
      user_id: user.id,
      answered: { model: 'gpt-4o' },
      copied: { model: 'gpt-4o-mini' },
    });
    expect(JSON.stringify(sample)).not.toContain('secret question');
    expect(await api().page({ params })).toMatchObject({ summary: { samples: 1, copied: { failed: 0 } } });

    for (const actor of [user, outsider, admin])
      expect(await refusal(api(actor).texts({ params, body: {} }))).toEqual(['no_permission', undefined]);
    const { samples } = await api(root).texts({ params, body: {} });
    expect(samples.map(({ prompt }) => prompt)).toEqual(['a secret question']);
    expect(samples[0]?.answer).not.toBe('');
    expect(await audited(made.id)).toEqual(['shadow.create', 'shadow.read_texts']);

    // A refusal deletes what was kept.
    await api(user).saveConsent({ body: { consent: 'refused' } });
    expect((await api().page({ params })).summary.samples).toBe(0);
    expect((await api().list()).find(({ id }) => id === made.id)?.kept).toBe(0);
  });

  test('samples end with their user and by hand', async () => {
    const [staying, leaving] = [await app.actor({ quota: 5_000_000 }), await app.actor({ quota: 5_000_000 })];
    const made = await create({
      name: 'ends',
      model: 'gpt-4o',
      target_model: 'gpt-4o-mini',
      share_percent: 100,
    });
    await app.store.db.updateTable('shadows').set({ enabled: 0 }).where('id', '!=', made.id).execute();
    await app.store.changes.announce('shadows');
    for (const user of [staying, leaving]) {
      await api(user).saveConsent({ body: { consent: 'allowed' } });
      await callOnce(await keyOf(user));
    }
    const samples = await samplesOf(made.id, 2);
    await app.client(leaving).self.remove();
    const left = await api().samples({ params: { id: made.id }, query: {} });
    expect(left.samples.map(({ user_id }) => user_id)).toEqual([staying.id]);
    const own = samples.find(({ user_id }) => user_id === staying.id);
    const removed = await api().removeSamples({
      params: { id: made.id },
      query: { sample: String(own?.id) },
    });
    expect(removed).toBe(1);
    expect((await api().page({ params: { id: made.id } })).shadow.kept).toBe(0);
  });
});
