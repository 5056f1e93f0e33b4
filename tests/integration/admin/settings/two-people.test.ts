// Two people at once: a save that says what it was based on does not overwrite what another person changed meanwhile, on both
// databases. A save without a base overwrites, as existing API clients expect.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import type { Conflict } from '#contract/based-on.ts';
import {
  applyComparison,
  compareFile,
  type ConfigurationParts,
} from '#server/operating/configuration/index.ts';
import { channelTypes } from '#server/admin/channels/index.ts';
import { writeAudit } from '#server/admin/http/audit.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { databaseLabels } from '#tests/support/databases.ts';

describe.each(databaseLabels)('%s', (database) => {
  let app: TestApplication;
  let anna: Actor;
  let ben: Actor;
  beforeAll(async () => {
    app = await startApplication({ database });
    anna = await app.actor({ role: ROLE.root, username: 'anna' });
    ben = await app.actor({ role: ROLE.root, username: 'ben' });
  }, 60_000);
  afterAll(() => app.close());

  const send = (as: Actor, path: string, body: object, method: 'PUT' | 'POST' = 'PUT') =>
    app.request(path, { method, as, body, language: 'en' });
  const save = (as: Actor, key: string, value: string, based_on?: string) =>
    send(as, '/api/option/', { key, value, ...(based_on === undefined ? {} : { based_on }) });
  const conflictOf = ({ body }: Awaited<ReturnType<typeof send>>) => body.conflict as Conflict;
  const valueOf = async (key: string) =>
    (await app.client(anna).options.list()).data.find((entry) => entry.key === key)?.value ?? '';

  test('a setting that another person changed is not overwritten, and the answer names who, when and the value (O42)', async () => {
    const base = await valueOf('GroupRatio');
    const bens = '{"default":1,"vip":0.5,"svip":1}';
    expect((await save(ben, 'GroupRatio', bens, base)).body.success).toBe(true);
    const reply = await save(anna, 'GroupRatio', '{"default":1,"vip":1,"svip":2}', base);
    expect([reply.status, reply.body.code, reply.body.field]).toEqual([
      409,
      'changed_meanwhile',
      'GroupRatio',
    ]);
    expect(reply.body.message).toBe('Group ratios: changed by ben while you were editing');
    const { fields, changed_by, changed_at } = conflictOf(reply);
    expect(fields.map(({ field, theirs }) => [field, JSON.parse(String(theirs))])).toEqual([
      ['GroupRatio', JSON.parse(bens)],
    ]);
    expect(changed_by).toBe('ben');
    expect(changed_at).toBeGreaterThan(1_700_000_000);
    expect(app.settings.current.GroupRatio['vip']).toBe(0.5);
    // With the value of the answer as its base the save is accepted.
    const now = String(fields[0]?.theirs);
    const merged = await save(anna, 'GroupRatio', '{"default":1,"vip":0.5,"svip":2}', now);
    expect(merged.body.success).toBe(true);
    expect(app.settings.current.GroupRatio).toEqual({ default: 1, vip: 0.5, svip: 2 });
  });

  test('a save without a base overwrites, and the same value twice is no conflict (O42)', async () => {
    const base = await valueOf('SystemName');
    await save(ben, 'SystemName', 'Gate of Ben', base);
    expect((await save(anna, 'SystemName', 'Gate of Ben', base)).body.success).toBe(true);
    expect((await save(anna, 'SystemName', 'Gate of Anna')).body.success).toBe(true);
    expect(app.settings.current.SystemName).toBe('Gate of Anna');
  });

  test('of two saves at the same moment on one base exactly one succeeds (O42)', async () => {
    for (let round = 0; round < 5; round += 1) {
      const base = await valueOf('About');
      const replies = await Promise.all(
        [anna, ben, anna, ben].map((as, index) => save(as, 'About', `round ${round} by ${index}`, base)),
      );
      expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
    }
  });

  test('the default and other spellings of one value are the same base (O42)', async () => {
    const first = await save(anna, 'TopupGroupRatio', '{"a":1}', '');
    expect([first.body.success, first.body.message]).toEqual([true, '']);
    const second = await save(anna, 'TopupGroupRatio', '{"a":2}', '  {"a":1}  ');
    expect(second.body.success).toBe(true);
    expect((await save(anna, 'DataExportInterval', '6', ' 5 ')).body.success).toBe(true);
    // An option that was never saved is compared with the default of this process, as the list shows it.
    const address = await valueOf('ServerAddress');
    expect((await save(anna, 'ServerAddress', 'https://gate.example', address)).body.success).toBe(true);
    expect((await save(ben, 'ServerAddress', 'https://other.example', address)).status).toBe(409);
  });

  test('the base of a secret is the number of its last change and reveals nothing (O42)', async () => {
    const version = async () => (await app.client(anna).options.list()).secret_versions['SMTPToken'] ?? '';
    const base = await version();
    expect(base).toBe('0');
    expect((await save(ben, 'SMTPToken', 'first-secret-of-ben', base)).body.success).toBe(true);
    const reply = await save(anna, 'SMTPToken', 'second-secret-of-anna', base);
    expect(reply.status).toBe(409);
    expect(conflictOf(reply).fields).toEqual([{ field: 'SMTPToken' }]);
    expect(JSON.stringify(reply.body)).not.toContain('secret-of');
    expect(app.settings.current.SMTPToken).toBe('first-secret-of-ben');
    // A guessed secret as the base is no oracle: it is refused like any other wrong base.
    expect((await save(anna, 'SMTPToken', 'third-secret', 'first-secret-of-ben')).status).toBe(409);
    expect((await save(anna, 'SMTPToken', 'third-secret', await version())).body.success).toBe(true);
  });

  test('a configuration file that is applied between counts as another person (O42)', async () => {
    const parts: ConfigurationParts = {
      store: app.store,
      settings: app.settings,
      channels: { types: channelTypes, checkAddress: async () => {} },
      variables: {},
      audit: (transaction, change) =>
        writeAudit(app.store, transaction, {
          actorId: 0,
          actorName: 'file',
          address: '',
          requestId: '',
          ...change,
        }),
    };
    const base = await valueOf('Footer');
    const text = 'version: 1\nsettings:\n  Footer: of the file\n';
    const comparison = await compareFile(parts, text);
    await applyComparison(parts, comparison, { file: 'tollgate.yaml', text, prune: false });
    const reply = await save(anna, 'Footer', 'of anna', base);
    expect(reply.status).toBe(409);
    expect(reply.body.message).toContain('somebody else');
    expect(conflictOf(reply)).toMatchObject({ fields: [{ theirs: 'of the file' }], changed_by: '' });
  });

  const wayBody = {
    kind: 'bark' as const,
    name: 'first',
    events: ['job_failed' as const],
    config: { device_key: 'bark-key-0' },
  };

  /** Objects that a form edits: how it is made, its path, its id in the body, and two fields. */
  const OBJECTS: readonly [
    name: string,
    make: () => Promise<{ id: number }>,
    path: (id: number) => string,
    field: readonly [name: string, base: unknown, bens: unknown, annas: unknown],
    other: readonly [name: string, base: unknown, annas: unknown],
    needed?: object | ((id: number) => object),
  ][] = [
    [
      'channel',
      async () => {
        const body = {
          name: 'two',
          type: CHANNEL_TYPE.openAi,
          key: 'sk-two-people',
          models: 'a,b',
          groups: 'default',
        };
        const [made] = await app.client(anna).channels.create({ body });
        return made ?? { id: 0 };
      },
      () => '/api/channel/',
      ['models', 'a,b', 'a,b,c', 'a'],
      ['priority', 0, 7],
    ],
    [
      'user',
      async () => {
        const body = { username: 'shared', display_name: 'first', password: 'a-good-password' };
        return await app.client(anna).userManagement.create({ body });
      },
      () => '/api/user/',
      ['group', 'default', 'vip', 'svip'],
      ['display_name', 'first', 'second'],
    ],
    [
      'token',
      async () => {
        const [made] = await app.client(anna).tokens.create({ body: { name: 'first' } });
        return made ?? { id: 0 };
      },
      () => '/api/token/',
      ['allow_ips', '', '192.0.2.1', '192.0.2.2'],
      ['name', 'first', 'second'],
    ],
    [
      'plan',
      async () =>
        await app.client(anna).plans.create({
          body: { name: 'first', duration_unit: 'month', duration_count: 1, quota: 100, reset: 'never' },
        }),
      (id) => `/api/plan/manage/${id}`,
      ['quota', 100, 200, 300],
      ['description', '', 'new'],
      { name: 'first', duration_unit: 'month', duration_count: 1, reset: 'never', quota: 100 },
    ],
    [
      'redemption code',
      async () => {
        await app.client(anna).redemptions.create({ body: { name: 'first', quota: 100, count: 1 } });
        const { items } = await app.client(anna).redemptions.list({ query: {} });
        return items[0] ?? { id: 0 };
      },
      () => '/api/redemption/',
      ['quota', 100, 200, 300],
      ['name', 'first', 'second'],
    ],
    [
      'supplier',
      async () => await app.client(anna).channelCosts.createSupplier({ body: { name: 'first' } }),
      (id) => `/api/channel-costs/suppliers/${id}`,
      ['name', 'first', 'second', 'third'],
      ['buy_price', '', '{"kind":"list","multiplier":0.5}'],
      { name: 'first' },
    ],
    [
      'announcement',
      async () => await app.client(anna).announcements.create({ body: { content: 'first' } }),
      (id) => `/api/announcements/${id}`,
      ['content', 'first', 'second', 'third'],
      ['title', '', 'new'],
      { content: 'first' },
    ],
    [
      'question',
      async () => await app.client(anna).faq.create({ body: { question: 'first?', answer: 'yes' } }),
      (id) => `/api/faq/${id}`,
      ['answer', 'yes', 'no', 'perhaps'],
      ['question', 'first?', 'second?'],
      { question: 'first?', answer: 'yes' },
    ],
    [
      'reseller',
      async () => {
        const body = { username: 'reselling', password: 'a-good-password' };
        const { id } = await app.client(anna).userManagement.create({ body });
        await app.client(anna).agents.set({ body: { user_id: id, active: true, rate_percent: 5 } });
        return { id };
      },
      () => '/api/agent/',
      ['rate_percent', 5, 10.5, 20],
      ['active', true, false],
      (id) => ({ user_id: id, active: true, rate_percent: 5 }),
    ],
    [
      "operators' way of notices",
      async () => await app.client(anna).operatorNotices.createWay({ body: wayBody }),
      (id) => `/api/notices/ways/${id}`,
      ['events', ['job_failed'], ['job_failed', 'channel_disabled'], []],
      ['name', 'first', 'second'],
      { kind: 'bark', name: 'first', events: ['job_failed'] },
    ],
    [
      "user's way of notices",
      async () =>
        await app.client(anna).notices.createWay({ body: { ...wayBody, events: ['low_balance' as const] } }),
      (id) => `/api/user/notices/ways/${id}`,
      ['events', ['low_balance'], ['low_balance', 'token_leaked'], []],
      ['name', 'first', 'second'],
      { kind: 'bark', name: 'first', events: ['low_balance'] },
    ],
  ];

  for (const [name, make, path, values, others, rest = {}] of OBJECTS)
    test(`a ${name} keeps what another person changed, and a field that both changed is refused (O42)`, async () => {
      const [field, base, bens, annas] = values;
      const [other, otherBase, otherAnnas] = others;
      const { id } = await make();
      const needed = typeof rest === 'function' ? rest(id) : rest;
      // Tokens and ways of a user belong to one user, who has two tabs open.
      const second = ['token', "user's way of notices"].includes(name) ? anna : ben;
      const put = (as: Actor, body: object) => send(as, path(id), { id, ...needed, ...body });
      expect((await put(second, { [field]: bens })).body).toMatchObject({ success: true });

      // The whole object with one changed field, as a form sends it: the field of the other person is left alone.
      const based_on = { ...needed, [field]: base, [other]: otherBase };
      const whole = await put(anna, { [field]: base, [other]: otherAnnas, based_on });
      expect(whole.body).toMatchObject({
        success: true,
        data: { [field]: bens, [other]: otherAnnas },
      });

      const refused = await put(anna, { [field]: annas, based_on: { [field]: base } });
      expect([refused.status, refused.body.code, refused.body.field]).toEqual([
        409,
        'changed_meanwhile',
        field,
      ]);
      const { fields, changed_by, changed_at } = conflictOf(refused);
      expect(fields).toEqual([{ field, theirs: bens }]);
      expect(changed_by).toBe(second.username);
      expect(changed_at).toBeGreaterThan(1_700_000_000);

      // With a base of now, and without one, the save is accepted.
      const accepted = await put(anna, { [field]: annas, based_on: { [field]: bens } });
      expect(accepted.body).toMatchObject({ success: true, data: { [field]: annas } });
      expect((await put(second, { [field]: bens })).body).toMatchObject({ success: true });
    });

  test('a channel key that another person replaced is not replaced again, and no answer shows it (O42)', async () => {
    const body = {
      name: 'keyed',
      type: CHANNEL_TYPE.openAi,
      key: 'sk-the-first-key-1111',
      models: 'a',
      groups: 'default',
    };
    const [made] = await app.client(anna).channels.create({ body });
    const { id, key_hint } = made ?? { id: 0, key_hint: '' };
    const put = (as: Actor, key: string) =>
      send(as, '/api/channel/', { id, key, based_on: { key: key_hint } });
    expect((await put(ben, 'sk-the-second-key-2222')).body.success).toBe(true);
    const refused = await put(anna, 'sk-the-third-key-3333');
    expect(refused.status).toBe(409);
    expect(JSON.stringify(refused.body)).not.toContain('-key-');
    expect(conflictOf(refused)).toMatchObject({ fields: [{ field: 'key' }], changed_by: 'ben' });
  });

  test('of two saves of a channel at the same moment on one base exactly one succeeds (O42)', async () => {
    const body = {
      name: 'raced',
      type: CHANNEL_TYPE.openAi,
      key: 'sk-raced',
      models: 'a',
      groups: 'default',
    };
    const [made] = await app.client(anna).channels.create({ body });
    const replies = await Promise.all(
      [anna, ben, anna, ben].map((as, index) =>
        send(as, '/api/channel/', { id: made?.id, name: `by ${index}`, based_on: { name: 'raced' } }),
      ),
    );
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
  });
});
