// Two nodes on one PostgreSQL: an option saved on one applies on the other within five seconds, without a restart.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { temporaryPlace, type TemporaryPlace } from '#tests/support/databases.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';
import { startPatience } from '#tests/support/machine.ts';

const PATIENCE_MS = 5000;

describe('two nodes', () => {
  let place: TemporaryPlace;
  let here: TestApplication;
  let there: TestApplication;
  let root: Actor;

  beforeAll(async () => {
    place = await temporaryPlace('postgres');
    const { dataDir, databaseUrl } = place;
    const shared = { dataDir, ...(databaseUrl === undefined ? {} : { databaseUrl }) };
    here = await startApplication({ place: shared });
    there = await startApplication({ place: shared });
    root = await here.actor({ role: ROLE.root });
  }, 60_000);
  afterAll(async () => {
    await here.close();
    await there.close();
    await place.remove();
  }, 60_000);

  const save = (key: string, value: string) => here.client(root).options.save({ body: { key, value } });

  /** How long the other node took to apply the option. */
  async function untilThere(look: () => Promise<unknown>, expected: unknown): Promise<number> {
    const startedAt = performance.now();
    const isOver = startPatience(PATIENCE_MS);
    let seen = await look();
    while (!Bun.deepEquals(seen, expected) && !isOver()) {
      await Bun.sleep(20);
      seen = await look();
    }
    expect(seen).toEqual(expected);
    return performance.now() - startedAt;
  }

  const options: readonly [key: string, text: string, look: () => Promise<unknown>, expected: unknown][] = [
    ['SystemName', 'Two Nodes', async () => (await there.client().site.status()).system_name, 'Two Nodes'],
    ['Notice', 'from here', async () => await there.client().site.notice(), 'from here'],
    [
      'RegisterEnabled',
      'false',
      async () =>
        (await there.request('/api/user/register', { body: { username: 'x', password: 'a-good-password' } }))
          .body.code,
      'register_disabled',
    ],
    [
      'GroupRatio',
      '{"default":0.5,"vip":1,"svip":1}',
      async () => (await there.client().pricing.list()).group_ratio['default'],
      0.5,
    ],
  ];

  test.each(options)(
    'option %s saved on one node applies on the other',
    async (key, text, look, expected) => {
      expect(await look()).not.toEqual(expected);
      await save(key, text);
      expect(await untilThere(look, expected)).toBeLessThan(PATIENCE_MS);
    },
    20_000,
  );

  test('a rollback applies on the other node too, and both share the history', async () => {
    await save('Footer', 'kept');
    await save('Footer', 'regretted');
    const { items } = await there.client(await there.actor({ role: ROLE.root })).options.history({
      query: { key: 'Footer' },
    });
    expect(items.map(({ new_value }) => new_value)).toEqual(['regretted', 'kept']);
    await here.client(root).options.rollback({ params: { id: items[0]?.id ?? 0 } });
    const look = async () => (await there.client().site.status()).footer_html;
    expect(await untilThere(look, 'kept')).toBeLessThan(PATIENCE_MS);
  }, 20_000);

  test('a secret saved on one node can be decrypted on the other', async () => {
    await save('SMTPToken', 'the-shared-password');
    const look = () => Promise.resolve(there.settings.current.SMTPToken);
    expect(await untilThere(look, 'the-shared-password')).toBeLessThan(PATIENCE_MS);
  }, 20_000);
});
