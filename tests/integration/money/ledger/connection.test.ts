// The ledger's connection to PostgreSQL: one that failed is not used again.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { ClientBase } from 'pg';
import { LedgerUnavailableError } from '#server/money/ledger/errors.ts';
import { openLink } from '#server/money/ledger/postgres/connection.ts';
import { temporaryPlace, type TemporaryPlace } from '#tests/support/databases.ts';
import { failureOf } from './world.ts';

let place: TemporaryPlace;
beforeAll(async () => {
  place = await temporaryPlace('postgres', { bare: true });
});
afterAll(() => place.remove());

const clientOf = async (client: ClientBase) => client;

test('a connection that was lost does no further work: the next piece has a new one (M21)', async () => {
  const link = openLink({ connectionString: place.databaseUrl });
  const first = await link.run(clientOf);
  expect(await link.run(clientOf)).toBe(first);
  const lost = link.run(() => Promise.reject(new LedgerUnavailableError('gone')));
  const next = link.run(clientOf);
  expect((await failureOf(lost)).message).toBe('gone');
  expect(await next).not.toBe(first);
  await link.close();
});
