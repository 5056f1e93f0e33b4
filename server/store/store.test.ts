// What both databases promise to the rest of the server.
import { expect, test } from 'bun:test';
import { forEachDatabase } from '#tests/support/databases.ts';
import { isCheckViolation, isUniqueViolation } from './errors.ts';

const writerEntry = new URL('../../tests/support/writer-entry.ts', import.meta.url);

forEachDatabase((label, open) => {
  test('a new store has every table and answers queries', async () => {
    const store = await open({ writerEntry });
    expect(store.dialect).toBe(label);
    const user = await store.db
      .insertInto('users')
      .values({ username: 'mia', aff_code: 'a1' })
      .returningAll()
      .executeTakeFirstOrThrow();
    expect(user).toMatchObject({
      id: 1,
      group: 'default',
      quota: 0,
      role: 1,
      status: 1,
      deleted_at: null,
      setting: '{}',
    });
  });
  test('x', async () => {
    const store = await open({ writerEntry });
    await store.db.insertInto('users').values({ username: 'mia', aff_code: 'a1' }).execute();
    const again = store.db.insertInto('users').values({ username: 'MIA', aff_code: 'a2' }).execute();
    const error: unknown = await again.catch((error: unknown) => error);
    expect(isUniqueViolation(error)).toBe(true);
    expect(isUniqueViolation(error, 'username')).toBe(true);
    expect(isUniqueViolation(error, 'aff_code')).toBe(false);
    expect(isCheckViolation(error)).toBe(false);
  });
});
