// Users with money and a token each, written to the database of a stopped gateway.
import { randomBytes } from 'node:crypto';
import { openLedger } from '#server/money/ledger/open-ledger.ts';
import { openStore } from '#server/platform/store/store.ts';

export interface Person {
  userId: number;
  key: string;
}

export async function addPeople(
  place: { dataDir: string; databaseUrl?: string | undefined },
  count: number,
  quota: number,
): Promise<Person[]> {
  const writerEntry = new URL('../../server/app/writer.ts', import.meta.url);
  const store = await openStore({ ...place, writerEntry });
  const ledger = await openLedger({ store, nodeId: 'people', dataDir: place.dataDir, version: 'test' });
  const created = Math.floor(Date.now() / 1000);
  const people: Person[] = [];
  try {
    for (let index = 0; index < count; index += 1) {
      const name = `person${index}`;
      const { id } = await store.db
        .insertInto('users')
        .values({ username: name, aff_code: name, created_at: created, group: 'default' })
        .returning('id')
        .executeTakeFirstOrThrow();
      const source = { from: 'world:admin', kind: 'test', reference: '' } as const;
      await ledger.credit({ ...source, idem: name, userId: id, amount: quota });
      const key = randomBytes(24).toString('hex');
      const key_digest = store.vault.digest('token', key);
      const token = { user_id: id, name, key_digest, created_time: created, status: 1, unlimited_quota: 1 };
      await store.db
        .insertInto('tokens')
        .values({ ...token, unlimited_quota: 1 })
        .execute();
      people.push({ userId: id, key: `sk-${key}` });
    }
  } finally {
    await ledger.close();
    await store.close();
  }
  return people;
}
