// How many secrets of realtime sessions one user may have: those that still open something, of no other user.
import { expect, test } from 'bun:test';
import { unixSeconds } from '#contract/time.ts';
import { issueSecret, openSecret, removeExpiredSecrets } from '#server/relay/realtime/client-secrets.ts';
import { forEachDatabase } from '#tests/support/databases.ts';

forEachDatabase((_label, open) => {
  test('a user has at most a hundred at once; those that expired, and those of others, do not count', async () => {
    const store = await open();
    const { db } = store;
    const now = unixSeconds();
    const rows = (user_id: number, count: number, expires_at: number) =>
      Array.from({ length: count }, (_, index) => ({
        digest: `${user_id} ${expires_at} ${index}`,
        user_id,
        token_id: 1,
        model: 'm',
        created_at: now,
        expires_at,
        session: '{}',
      }));
    await db
      .insertInto('realtime_secrets')
      .values([...rows(7, 99, now + 600), ...rows(7, 50, now - 1), ...rows(8, 100, now + 600)])
      .execute();
    const issue = (userId: number, session: object = {}) => {
      const wish = { caller: { userId, tokenId: 5 }, model: 'm', session: { ...session }, lifeSeconds: 60 };
      return issueSecret(store, wish);
    };
    const { value, expiresAt } = await issue(7, { type: 'realtime' });
    expect(expiresAt - now).toBeWithin(60, 70);
    expect(issue(7)).rejects.toMatchObject({ code: 'secrets_full' });
    expect(issue(8)).rejects.toMatchObject({ code: 'secrets_full' });
    expect((await issue(9)).value).toStartWith('ek_');

    const opened = (secret: string) =>
      openSecret(
        store,
        new Request('http://site/v1/realtime', { headers: { authorization: `Bearer ${secret}` } }),
      );
    expect(await opened(value)).toEqual({ tokenId: 5, model: 'm', session: { type: 'realtime' } });
    expect(opened(`${value}0`)).rejects.toMatchObject({ code: 'secret_unknown' });
    expect(await opened('sk-a-key')).toBeUndefined();
    await removeExpiredSecrets(store);
    const { count } = await db
      .selectFrom('realtime_secrets')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    expect(count).toBe(99 + 1 + 100 + 1);
  });
});
