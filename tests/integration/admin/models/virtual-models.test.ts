// Virtual models as administrators edit them: what is refused, what is recorded, and that calls follow at once.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { z } from 'zod';
import { ROLE } from '#contract/access.ts';
import type { virtualModelFields } from '#contract/relay/virtual-models.ts';
import {
  ApiRefusal,
  startApplication,
  type Actor,
  type TestApplication,
} from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import { blankTry, callOf, TRAITS } from '#web/features/virtual-models/try-out/request.ts';

setDefaultTimeout(120_000);

type Fields = z.input<typeof virtualModelFields>;

describe.each(databaseLabels)('%s', (database) => {
  let app: TestApplication;
  let admin: Actor;
  let mock: MockUpstream;
  let key: string;

  beforeAll(async () => {
    mock = startMockUpstream();
    app = await startApplication({ database });
    admin = await app.actor({ role: ROLE.admin });
    await addChannel(app.store, { base_url: mock.url, models: ['gpt-4o', 'gpt-4o-mini'] });
    await app.store.changes.announce('channels');
    const user = await app.actor({ quota: 5_000_000 });
    const reply = await app.request('/api/token/', {
      as: user,
      body: { name: 'key', unlimited_quota: true },
    });
    key = (reply.body.data as { key: string }[])[0]?.key ?? '';
  });
  afterAll(async () => {
    await app.close();
    await mock.stop();
  });

  const api = () => app.client(admin).virtualModels;
  const create = (body: Fields) => api().create({ body });
  const refused = async (promise: Promise<unknown>) => {
    const error: unknown = await promise.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    return error instanceof ApiRefusal ? [error.body.code, error.body['field']] : error;
  };
  const answeredBy = async (model: string) => {
    const response = await fetch(`${app.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { Authorization: `Bearer sk-${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] }),
    });
    return [response.status, response.headers.get('x-tollgate-model')];
  };
  const audited = async (id: number) => {
    const rows = await app.store.db
      .selectFrom('audit')
      .select('action')
      .where('target', '=', `virtual_model:${id}`)
      .orderBy('id')
      .execute();
    return rows.map(({ action }) => action);
  };

  test('it is made, changed and deleted; calls follow at once, and the audit trail names each change', async () => {
    const made = await create({ name: 'fast', targets: [{ model: 'gpt-4o-mini' }] });
    expect(made).toMatchObject({
      name: 'fast',
      enabled: true,
      price: 'answered',
      body_model: 'asked',
      unserved: [],
      is_shadowing: false,
    });
    expect(made.targets[0]?.fall_back_on).not.toContain('content_filter');
    expect(await answeredBy('fast')).toEqual([200, 'gpt-4o-mini']);
    const params = { id: made.id };
    const changed = await api().change({
      params,
      body: { ...made, targets: [{ model: 'nobody-has-it' }, { model: 'gpt-4o' }] },
    });
    expect(changed.unserved).toEqual(['nobody-has-it']);
    expect(await answeredBy('fast')).toEqual([200, 'gpt-4o']);
    await api().change({ params, body: { ...changed, enabled: false } });
    expect(await answeredBy('fast')).toEqual([404, null]);
    await api().remove({ params });
    expect(await api().list()).toEqual([]);
    expect(await refused(api().remove({ params }))).toEqual(['not_found', undefined]);
    expect(await audited(made.id)).toEqual([
      'virtual_model.create',
      'virtual_model.change',
      'virtual_model.change',
      'virtual_model.delete',
    ]);
  });

  test('a name that is taken, hides a model or leads to itself is refused by its field', async () => {
    const first = await create({ name: 'taken', targets: [{ model: 'gpt-4o' }] });
    expect(await refused(create({ name: 'taken', targets: [{ model: 'gpt-4o' }] }))).toEqual([
      'virtual_model_name_taken',
      'name',
    ]);
    expect(await refused(create({ name: 'gpt-4o', targets: [{ model: 'gpt-4o' }] }))).toEqual([
      'virtual_model_shadows',
      'name',
    ]);
    expect(await refused(create({ name: 'loop', targets: [{ model: 'loop' }] }))).toEqual([
      'virtual_model_target_virtual',
      'targets',
    ]);
    expect(
      await refused(create({ name: 'nested', targets: [{ model: 'gpt-4o' }, { model: 'taken' }] })),
    ).toEqual(['virtual_model_target_virtual', 'targets']);
    // Of the same name as a model of channels, which can be a target itself.
    const shadow = await create({
      name: 'gpt-4o',
      replaces_model: true,
      targets: [{ model: 'gpt-4o-mini', when: { tools: true } }, { model: 'gpt-4o' }],
    });
    expect(shadow.is_shadowing).toBe(true);
    expect(await answeredBy('gpt-4o')).toEqual([200, 'gpt-4o']);
    // Another one goes on to the model itself: targets are never virtual.
    expect(await answeredBy('taken')).toEqual([200, 'gpt-4o']);
    for (const { id } of [first, shadow]) await api().remove({ params: { id } });
  });

  test('input that cannot be meant is refused with the name of its field', async () => {
    const targets: Fields['targets'] = [{ model: 'gpt-4o' }];
    const wrong: [Partial<Fields>, string][] = [
      [{ name: '' }, 'name'],
      [{ name: 'two words' }, 'name'],
      [{ name: 'a,b' }, 'name'],
      [{ targets: [] }, 'targets'],
      [{ targets: [{ model: '' }] }, 'targets.0.model'],
      [
        {
          targets: [
            { model: 'a', when: { share_percent: 60 } },
            { model: 'b', when: { share_percent: 41 } },
          ],
        },
        'targets',
      ],
      [{ targets: [{ model: 'a', when: { prompt_at_least: 9, prompt_at_most: 8 } }] }, 'targets'],
      [
        { targets: [{ model: 'a', when: { header: { name: 'Authorization' } } }] },
        'targets.0.when.header.name',
      ],
      [{ targets: [{ model: 'a', when: { max_cost: 0 } }] }, 'targets.0.when.max_cost'],
      [{ targets: [{ model: 'a', first_token_seconds: 0 }] }, 'targets.0.first_token_seconds'],
      [{ targets: Array.from({ length: 21 }, () => ({ model: 'a' })) }, 'targets'],
    ];
    for (const [fields, field] of wrong) {
      const error = await refused(create({ name: 'fine', targets, ...fields }));
      expect([fields, error]).toEqual([fields, ['invalid_parameter', field]]);
    }
    const shares = await create({
      name: 'shares',
      targets: [
        { model: 'gpt-4o', when: { share_percent: 33.3 } },
        { model: 'gpt-4o-mini', when: { share_percent: 66.7 } },
      ],
    });
    await api().remove({ params: { id: shares.id } });
  });

  test('the simulator says of every target why it gets the call or not, also of one that is not saved', async () => {
    await addChannel(app.store, { base_url: mock.url, models: ['vip-model'], groups: ['vip'] });
    await app.store.changes.announce('channels');
    const targets: Fields['targets'] = [
      { model: 'gpt-4o', when: { tools: true } },
      { model: 'gpt-4o', when: { header: { name: 'X-Tier', values: ['gold'] } } },
      { model: 'gpt-4o', when: { budget_below: 5 } },
      { model: 'vip-model' },
      { model: 'gpt-4o-mini', fall_back_on: ['rate_limit'] },
      { model: 'gpt-4o', fall_back_on: [] },
      { model: 'gpt-4o-mini' },
    ];
    const draft = { name: 'tried', targets };
    const request = { messages: [{ role: 'user', content: 'hello' }], max_tokens: 10 };
    const simulated = async (more: object = {}) => {
      const { targets: found } = await api().simulate({ body: { name: 'tried', draft, request, ...more } });
      return found.map(({ model, outcome, reason }) => `${model} ${outcome} ${reason ?? ''}`.trim());
    };
    expect(await simulated()).toEqual([
      'gpt-4o skipped tools',
      'gpt-4o skipped header',
      'gpt-4o skipped budget_below',
      'vip-model skipped no_channel',
      'gpt-4o-mini first',
      'gpt-4o next',
      'gpt-4o-mini skipped not_next',
    ]);
    expect((await simulated({ spendable: 1 })).slice(0, 3)).toEqual([
      'gpt-4o skipped tools',
      'gpt-4o skipped header',
      'gpt-4o first',
    ]);
    expect((await simulated({ headers: { 'x-tier': 'gold' } }))[1]).toBe('gpt-4o first');
    expect((await simulated({ group: 'vip' }))[0]).toBe('gpt-4o skipped no_channel');
    const [, , , , first] = (await api().simulate({ body: { name: 'tried', draft, request } })).targets;
    // A prompt of nine tokens at 0.15 dollars and ten tokens of answer at 0.6 dollars for a million.
    const prompt = first?.prompt_tokens ?? 0;
    expect(first).toMatchObject({ channels: 1, fall_back_on: ['rate_limit'] });
    expect(first?.most_cost).toBeCloseTo(Math.round((prompt * 0.15 + 10 * 0.6) / 2) / 500_000, 6);
    expect(await api().simulate({ body: { name: 'gpt-4o', request } })).toEqual({
      is_virtual: false,
      hedging: null,
      targets: [],
    });
    // Whether a late first token starts a second attempt, and when, as far as it is measured.
    const hedging = async (more: object = {}, asked: Record<string, unknown> = request) =>
      (await api().simulate({ body: { name: 'tried', draft: { ...draft, ...more }, request: asked } }))
        .hedging;
    expect(await hedging()).toEqual({ state: 'off', waits: [] });
    expect(await hedging({ hedge: true })).toEqual({ state: 'not_repeatable', waits: [] });
    expect(await hedging({ hedge: true }, { ...request, stream: true })).toMatchObject({
      state: 'on',
      waits: [{ channel_id: expect.any(Number), milliseconds: null }],
    });
    const body = { name: 'tried', draft, request: { ...request, max_tokens: 'many' } };
    expect(await refused(api().simulate({ body }))).toEqual(['invalid_parameter', 'request']);
    const gemini = { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] };
    expect((await simulated({ format: 'gemini-generate', request: gemini }))[4]).toBe('gpt-4o-mini first');
  });

  test.each([...TRAITS])('the request of the console has %s alone when they are chosen', async (trait) => {
    const targets = TRAITS.map((each) => ({ model: 'gpt-4o', when: { [each]: true } }));
    const values = { ...blankTry('default'), prompt: 'hello', traits: [trait], effort: 'high' };
    const body = { name: 'tried', draft: { name: 'tried', targets }, ...callOf(values) };
    const { targets: found } = await api().simulate({ body });
    expect(found.map(({ outcome }) => outcome === 'first')).toEqual(TRAITS.map((each) => each === trait));
    const effort = { model: 'gpt-4o', when: { reasoning_efforts: ['high'] } };
    const other = await api().simulate({ body: { ...body, draft: { name: 'tried', targets: [effort] } } });
    expect(other.targets[0]?.outcome).toBe('first');
  });

  test('the page says who can call it, which channels its targets have, its prices and what happened', async () => {
    const off = { models: ['stopped-model'], fields: { status: 3 } };
    await addChannel(app.store, { base_url: mock.url, ...off });
    await addChannel(app.store, { base_url: mock.url, models: ['gpt-4o-mini'], groups: ['vip'] });
    await app.store.changes.announce('channels');
    const made = await create({
      name: 'maker/paged.1',
      targets: [
        { model: 'gpt-4o', when: { groups: ['nobody'] } },
        { model: 'gpt-4o-mini', when: { groups: ['vip'] } },
        { model: 'stopped-model' },
        { model: 'unheard-of' },
      ],
    });
    expect(made).toMatchObject({ groups: ['vip'], unserved: ['unheard-of'] });
    const read = () => api().page({ query: { name: 'maker/paged.1' } });
    const page = await read();
    expect(page.model).toEqual((await api().list())[0] ?? made);
    expect(page.targets.map(({ model, channels, all_channels }) => [model, channels, all_channels])).toEqual([
      ['gpt-4o', 1, 1],
      ['gpt-4o-mini', 2, 2],
      ['stopped-model', 0, 1],
      ['unheard-of', 0, 0],
    ]);
    const mini = { unit: 'tokens' as const, input: 0.15, output: 0.6 };
    expect(page.targets[1]).toMatchObject({
      groups: ['default', 'vip'],
      prices: [
        { group: 'default', price: mini },
        { group: 'vip', price: mini },
      ],
    });
    expect(page.own_prices).toEqual([{ group: 'vip', price: null }]);
    expect(page.events.items.map(({ action }) => action)).toEqual(['virtual_model.create']);
    // Priced as its own name, which has no price: nobody can call it.
    await api().change({ params: { id: made.id }, body: { ...made, price: 'own' } });
    expect((await read()).model.groups).toEqual([]);
    await api().remove({ params: { id: made.id } });
    expect(await refused(read())).toEqual(['not_found', undefined]);
  });

  test('somebody else changed a field meanwhile: the save is refused', async () => {
    const { id, ...fields } = await create({ name: 'ours', targets: [{ model: 'gpt-4o' }] });
    const params = { id };
    await api().change({ params, body: { ...fields, description: 'theirs' } });
    const save = api().change({
      params,
      body: { ...fields, description: 'mine', based_on: { description: '' } },
    });
    expect(await refused(save)).toEqual(['changed_meanwhile', 'description']);
    await api().remove({ params });
  });
});
