// Two people at once, where one save changes several channels or carries secrets: what another person changed meanwhile is not
// overwritten, on both databases.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import type { Conflict } from '#contract/based-on.ts';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
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
  const conflictOf = ({ body }: Awaited<ReturnType<typeof send>>) => body.conflict as Conflict;

  const channel = async (tag: string, fields: { models?: string; priority?: number } = {}) => {
    const body = {
      name: tag,
      type: CHANNEL_TYPE.openAi,
      key: 'sk-of-a-tag',
      groups: 'default',
      models: 'a',
      tag,
      ...fields,
    };
    const [made] = await app.client(anna).channels.create({ body });
    return made?.id ?? 0;
  };
  const read = async (id: number) => await app.client(anna).channels.read({ params: { id } });
  const changeTag = (as: Actor, body: object) => send(as, '/api/channel/tag', body);

  test('a save of a tag does not overwrite a channel that another person changed meanwhile (O42)', async () => {
    const [one, two] = [await channel('shared'), await channel('shared', { models: 'b' })];
    const based_on = { models: { [one]: 'a', [two]: 'b' } };
    await send(ben, '/api/channel/', { id: two, models: 'b,c' });
    const refused = await changeTag(anna, { tag: 'shared', models: 'x', based_on });
    expect([refused.status, refused.body.code, refused.body.field]).toEqual([
      409,
      'changed_meanwhile',
      'models',
    ]);
    expect(conflictOf(refused)).toMatchObject({
      fields: [{ field: 'models', theirs: { [one]: 'a', [two]: 'b,c' } }],
      changed_by: 'ben',
    });
    expect([(await read(one)).models, (await read(two)).models]).toEqual(['a', 'b,c']);
    const now = { models: { [one]: 'a', [two]: 'b,c' } };
    expect((await changeTag(anna, { tag: 'shared', models: 'x', based_on: now })).body.data).toBe(2);
    expect((await changeTag(ben, { tag: 'shared', models: 'y' })).body.data).toBe(2);
  });

  test('a save of a tag is refused for a field that another save of the tag changed, and for no other field (O42)', async () => {
    const id = await channel('twice');
    await changeTag(ben, { tag: 'twice', priority: 5 });
    const refused = await changeTag(anna, { tag: 'twice', priority: 7, based_on: { priority: { [id]: 0 } } });
    expect(refused.status).toBe(409);
    expect(conflictOf(refused)).toMatchObject({ fields: [{ theirs: { [id]: 5 } }], changed_by: 'ben' });
    const weight = { tag: 'twice', weight: 3, based_on: { weight: { [id]: 0 } } };
    expect((await changeTag(anna, weight)).body.success).toBe(true);
    // The same value is no conflict.
    const same = await changeTag(anna, { tag: 'twice', priority: 5, based_on: { priority: { [id]: 0 } } });
    expect(same.body.success).toBe(true);
  });

  test('a channel that joined the tag unseen is not renamed or overwritten with it (O42)', async () => {
    const seen = await channel('joined');
    const unseen = await channel('joined', { models: 'z' });
    const rename = { tag: 'joined', new_tag: 'other', based_on: { new_tag: { [seen]: 'joined' } } };
    const refused = await changeTag(anna, rename);
    expect([refused.status, refused.body.field]).toEqual([409, 'new_tag']);
    expect((await read(unseen)).tag).toBe('joined');
    // A channel that left the tag is not changed, so it is no conflict.
    await send(ben, '/api/channel/', { id: unseen, tag: '' });
    const both = { new_tag: { [seen]: 'joined', [unseen]: 'joined' } };
    expect((await changeTag(anna, { ...rename, based_on: both })).body.data).toBe(1);
  });

  test('a tag for chosen channels does not replace one that another person set meanwhile (O42)', async () => {
    const [one, two] = [await channel('chosen'), await channel('chosen')];
    await send(ben, '/api/channel/', { id: one, tag: 'of ben' });
    const based_on = { tag: { [one]: 'chosen', [two]: 'chosen' } };
    const body = { ids: [one, two], tag: 'of anna' };
    const refused = await send(anna, '/api/channel/batch/tag', { ...body, based_on }, 'POST');
    expect(refused.status).toBe(409);
    expect([(await read(one)).tag, (await read(two)).tag]).toEqual(['of ben', 'chosen']);
    expect((await send(anna, '/api/channel/batch/tag', body, 'POST')).body.data).toBe(2);
  });

  test('of two saves of a tag at the same moment on one base exactly one succeeds (O42)', async () => {
    const id = await channel('raced');
    const based_on = { weight: { [id]: 0 } };
    const replies = await Promise.all(
      [anna, ben, anna, ben].map((as, index) => changeTag(as, { tag: 'raced', weight: index + 1, based_on })),
    );
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
  });

  const way = { kind: 'bark' as const, name: 'phone', events: ['job_failed' as const] };

  test('a secret of a way that another person replaced is not replaced again, and no answer shows it (O42)', async () => {
    const first = { ...way, config: { device_key: 'first-device-key' } };
    const { id, config_version } = await app.client(anna).operatorNotices.createWay({ body: first });
    const put = (as: Actor, body: object) => send(as, `/api/notices/ways/${id}`, { ...way, ...body });
    const bens = await put(ben, { config: { device_key: 'second-device-key' } });
    expect(bens.body.success).toBe(true);
    const based_on = { config: config_version };
    const refused = await put(anna, { config: { device_key: 'third-device-key' }, based_on });
    expect([refused.status, refused.body.field]).toEqual([409, 'config']);
    expect(conflictOf(refused)).toMatchObject({ fields: [{ field: 'config' }], changed_by: 'ben' });
    expect(conflictOf(refused).fields[0]).not.toHaveProperty('theirs');
    expect(JSON.stringify([refused.body, bens.body])).not.toContain('device-key');
    // Without a config, and with one that changes nothing, the other fields are saved and the secret is kept.
    const renamed = await put(anna, { name: 'renamed', based_on });
    expect(renamed.body).toMatchObject({
      success: true,
      data: { name: 'renamed', secrets_set: ['device_key'] },
    });
    const blank = await put(anna, { config: { device_key: '' }, based_on });
    expect(blank.body.success).toBe(true);
    const now = (blank.body.data as { config_version: string }).config_version;
    expect(now).toBe((bens.body.data as { config_version: string }).config_version);
    expect((await put(anna, { config: { device_key: 'x' }, based_on: { config: now } })).body.success).toBe(
      true,
    );
  });

  test('the first choice for mail is compared with the choice that another person stored meanwhile (O42)', async () => {
    const mail = (as: Actor, events: string[], base?: object) =>
      send(as, '/api/notices/ways/0', { kind: 'mail', events, ...(base ? { based_on: base } : {}) });
    const { ways } = await app.client(anna).operatorNotices.ways();
    const { events, is_enabled } = ways[0] ?? { events: [], is_enabled: true };
    const base = { events, is_enabled };
    const replies = await Promise.all([
      mail(anna, ['job_failed'], base),
      mail(ben, ['channel_disabled'], base),
      mail(anna, [], base),
    ]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
  });

  test('a rate is refused for a user who became a reseller meanwhile, and an ended agency keeps its rate (O42)', async () => {
    const created = await app
      .client(anna)
      .userManagement.create({ body: { username: 'agency', password: 'a-good-password' } });
    const set = (as: Actor, active: boolean, rate_percent: number, based_on?: object) =>
      send(as, '/api/agent/', {
        user_id: created.id,
        active,
        rate_percent,
        ...(based_on ? { based_on } : {}),
      });
    const none = { active: false, rate_percent: null };
    expect((await set(ben, true, 10, none)).body.success).toBe(true);
    const refused = await set(anna, true, 5, none);
    expect([refused.status, refused.body.field]).toEqual([409, 'rate_percent']);
    expect(conflictOf(refused)).toMatchObject({ fields: [{ theirs: 10 }], changed_by: 'ben' });
    // Anna ends the agency on an old rate: the rate is left as Ben set it.
    await set(ben, true, 12);
    const ended = await set(anna, false, 10, { active: true, rate_percent: 10 });
    expect(ended.body).toMatchObject({ success: true, data: { active: false, rate_percent: 12 } });
    expect((await set(ben, true, 3, none)).body).toMatchObject({ data: { active: true, rate_percent: 3 } });
  });
});
