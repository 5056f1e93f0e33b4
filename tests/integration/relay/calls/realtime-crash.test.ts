// `kill -9` of the gateway, and PostgreSQL away, in the middle of a realtime response: the books agree with the upstream's
// own count of what was delivered.
import { Database } from 'bun:sqlite';
import { expect, setDefaultTimeout, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { openLedger } from '#server/money/ledger/open-ledger.ts';
import { databaseFile } from '#server/platform/store/sqlite/open.ts';
import { openStore, type Store } from '#server/platform/store/store.ts';
import { addChannel } from '#tests/support/channels.ts';
import { startChaosProxy } from '#tests/support/chaos-proxy.ts';
import { applicationWriter, temporaryPlace, type TemporaryPlace } from '#tests/support/databases.ts';
import { startGateway, type Gateway } from '#tests/support/gateway.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import { eventually } from './harness.ts';
import { openRealtime, userText, type RealtimeCaller } from './realtime-caller.ts';

setDefaultTimeout(180_000);

const balance = 100_000_000;
const key = 'r'.repeat(48);
const delivered = 40;
const patience = 30_000;

type Place = Pick<TemporaryPlace, 'dataDir' | 'databaseUrl'>;

async function inStore<T>(place: Place, use: (store: Store) => Promise<T>): Promise<T> {
  const { dataDir, databaseUrl } = place;
  const store = await openStore({ dataDir, databaseUrl, writerEntry: applicationWriter });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** Creates a user with a key and a channel, before the first start. */
async function prepare(place: Place, mock: MockUpstream): Promise<number> {
  return await inStore(place, async (store) => {
    const ledger = await openLedger({ store, nodeId: 'prepare', dataDir: place.dataDir, version: 'test' });
    const { id: userId } = await store.db
      .insertInto('users')
      .values({ username: 'talker', aff_code: 'talker', created_at: 1, group: 'default' })
      .returning('id')
      .executeTakeFirstOrThrow();
    const credit = { idem: 'test', userId, amount: balance, kind: 'test', reference: '' };
    await ledger.credit({ ...credit, from: 'world:admin' });
    const key_digest = store.vault.digest('token', key);
    await store.db
      .insertInto('tokens')
      .values({ user_id: userId, name: 'talk', key_digest, unlimited_quota: 1, deleted_at: null })
      .execute();
    await addChannel(store, { base_url: mock.url, models: ['gpt-realtime'] });
    await ledger.close();
    return userId;
  });
}

/** With a fixed port a restarted gateway is the same node, and resolves the holds of its earlier run at once. */
function freePort(): string {
  const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const { port } = probe;
  probe.stop(true);
  return String(port);
}

const start = ({ dataDir, databaseUrl }: Place, port = '0'): Promise<Gateway> =>
  startGateway({
    dataDir,
    environment: {
      PORT: port,
      INITIAL_ROOT_PASSWORD: 'crash-root-password',
      ALLOWED_PRIVATE_ADDRESSES: '127.0.0.1',
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    },
  });

/** A response of which this many pieces have come, and no more. */
async function talk(gateway: Gateway, mock: MockUpstream): Promise<RealtimeCaller> {
  mock.behave({ outputTokens: delivered + 10, stall: { afterEvents: delivered, milliseconds: 600_000 } });
  const caller = await openRealtime(gateway.url, `sk-${key}`);
  caller.send(userText('Tell me a long story. '.repeat(100)));
  caller.send({ type: 'response.create' });
  await caller.until('response.output_audio.delta', delivered);
  return caller;
}

/** The checkpoint of the only hold, read beside the running gateway. */
async function readCheckpoint({ dataDir, databaseUrl }: Place): Promise<string | undefined> {
  if (databaseUrl === undefined) {
    using database = new Database(databaseFile(dataDir), { readonly: true });
    return database.query<{ checkpoint: string }, []>('select checkpoint from holds').get()?.checkpoint;
  }
  return await inStore({ dataDir, databaseUrl }, async (store) => {
    const row = await store.db.selectFrom('holds').select('checkpoint').executeTakeFirst();
    return row?.checkpoint;
  });
}

/** Waits until the hold has its row, and its checkpoint contains this. */
async function checkpointed(place: Place, part: string): Promise<void> {
  const isThere = (checkpoint: string | undefined) => checkpoint?.includes(part) === true;
  expect(await eventually(() => readCheckpoint(place), isThere, patience)).toContain(part);
}

interface Books {
  holds: number;
  checkpoint: number;
  rows: { quota: number; prompt_tokens: number; completion_tokens: number; type: number }[];
}

async function read(store: Store, userId: number): Promise<Books> {
  const holds = await store.db.selectFrom('holds').select('checkpoint_quota').execute();
  const rows = await store.db
    .selectFrom('logs')
    .select(['quota', 'prompt_tokens', 'completion_tokens', 'type'])
    .where('user_id', '=', userId)
    .execute();
  return { holds: holds.length, checkpoint: holds[0]?.checkpoint_quota ?? 0, rows };
}

async function expectCharged(store: Store, mock: MockUpstream, userId: number): Promise<void> {
  const books = await eventually(
    () => read(store, userId),
    ({ holds, rows }) => holds === 0 && rows.length > 0,
    patience,
  );
  expect(books.holds).toBe(0);
  expect(books.rows).toHaveLength(1);
  const [row] = books.rows;
  const usage = mock.requests[0]?.usage;
  if (row === undefined || usage === undefined) throw new Error('nothing was charged');
  expect(row).toMatchObject({ type: 2, completion_tokens: usage.outputTokens });
  expect(usage.outputTokens).toBe(3 * delivered);
  expect(row.prompt_tokens / usage.inputTokens).toBeWithin(0.7, 1.5);
  expect(row.quota).toBe(2 * row.prompt_tokens + (8 + 2 * 32) * delivered);
  const user = await store.db
    .selectFrom('users')
    .select(['quota', 'used_quota', 'held_quota', 'request_count'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  const expected = { quota: balance - row.quota, used_quota: row.quota, held_quota: 0, request_count: 1 };
  expect(user).toEqual(expected);
  expect(await checkInvariants(store)).toEqual([]);
}

for (const database of ['sqlite', 'postgres'] as const) {
  test(`${database}: M2b kill -9 in the middle of a response charges the last checkpoint, once`, async () => {
    await using mock = startMockUpstream();
    const place = await temporaryPlace(database);
    try {
      const userId = await prepare(place, mock);
      const port = freePort();
      const first = await start(place, port);
      await talk(first, mock);
      // A checkpoint is left every two seconds, and after the last piece nothing changes.
      await checkpointed(place, `"completionTokens":${3 * delivered}`);
      await first.kill9();
      const second = await start(place, port);
      await second.stop();
      await inStore(place, (store) => expectCharged(store, mock, userId));
      const third = await start(place, port);
      await third.stop();
      await inStore(place, (store) => expectCharged(store, mock, userId));
    } finally {
      await place.remove();
    }
  });
}

test('postgres: the database is away when the caller leaves; the charge is booked when it returns', async () => {
  await using mock = startMockUpstream();
  const place = await temporaryPlace('postgres');
  const direct = new URL(place.databaseUrl ?? '');
  await using proxy = await startChaosProxy({ port: Number(direct.port), host: direct.hostname });
  const proxied = Object.assign(new URL(direct), { hostname: '127.0.0.1', port: String(proxy.port) }).href;
  try {
    const userId = await prepare(place, mock);
    const gateway = await start({ dataDir: place.dataDir, databaseUrl: proxied });
    try {
      const caller = await talk(gateway, mock);
      await checkpointed(place, '');
      proxy.refuse(true);
      proxy.resetAll();
      caller.leave();
      await caller.closed;
      await Bun.sleep(1500);
      await inStore(place, async (store) => {
        // The hold stays until the charge is booked.
        expect(await read(store, userId)).toMatchObject({ holds: 1, rows: [] });
        proxy.refuse(false);
        await expectCharged(store, mock, userId);
      });
    } finally {
      await gateway.stop();
    }
  } finally {
    await place.remove();
  }
});
