// `kill -9` of the gateway while calls of virtual models go from one target to the next: after the restart every call is charged at most
// once, as the model that it was sent to last or at the name's own price, and nothing is held. TEST_SEED repeats the draws,
// CRASH_ROUNDS makes the run longer.
import { expect, setDefaultTimeout, test } from 'bun:test';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { openLedger } from '#server/money/ledger/open-ledger.ts';
import { createLog } from '#server/platform/log.ts';
import { openSettings } from '#server/platform/settings/settings.ts';
import type { Store } from '#server/platform/store/store.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import { addChannel } from '#tests/support/channels.ts';
import { inStore } from '#tests/support/crash.ts';
import { databaseLabels, temporaryPlace, type TemporaryPlace } from '#tests/support/databases.ts';
import { startGateway } from '#tests/support/gateway.ts';
import { seed } from '#tests/support/random.ts';
import { eventually } from './harness.ts';
import {
  bodyOf,
  CHANNELS,
  costOf,
  diceFor,
  drawCall,
  drawSlowBehaviour,
  drawVirtuals,
  numberIn,
  saveVirtuals,
  SETTINGS,
  type DrawnCall,
} from './virtual-draws.ts';

const rounds = Math.min(Number(process.env['CRASH_ROUNDS'] ?? 1), 20);
setDefaultTimeout(120_000 + rounds * 30_000);

const AT_ONCE = 30;
const BALANCE = 3_000_000;
const PATIENCE = 60_000;

/** Each call has a key of its own, by which its log row is found. */
const secretOf = (number: number): string => String(number).padStart(48, 'v');

/** With a fixed port a restarted gateway is the same node, and resolves the holds of its earlier run at once. */
function freePort(): string {
  const probe = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const { port } = probe;
  probe.stop(true);
  return String(port);
}

const prepare = (place: TemporaryPlace, mock: MockUpstream): Promise<number> =>
  inStore(place, async (store) => {
    const settings = await openSettings(store, createLog({ level: 'error', write: () => {} }));
    for (const [key, text] of Object.entries(SETTINGS)) await settings.set(key, text, 0);
    settings.close();
    const ledger = await openLedger({ store, nodeId: 'prepare', dataDir: place.dataDir, version: 'test' });
    const { id: userId } = await store.db
      .insertInto('users')
      .values({ username: 'caller', aff_code: 'caller', created_at: 1, group: 'default' })
      .returning('id')
      .executeTakeFirstOrThrow();
    const credit = { idem: 'test', userId, amount: BALANCE, kind: 'test', reference: '' };
    await ledger.credit({ ...credit, from: 'world:admin' });
    for (let number = 0; number < rounds * AT_ONCE; number += 1)
      await store.db
        .insertInto('tokens')
        .values({
          user_id: userId,
          name: `call ${number}`,
          key_digest: store.vault.digest('token', secretOf(number)),
          unlimited_quota: 1,
          deleted_at: null,
        })
        .execute();
    for (const channel of CHANNELS) await addChannel(store, { ...channel, base_url: mock.url });
    await saveVirtuals(store, drawVirtuals(seed));
    await ledger.close();
    return userId;
  });

const startNode = ({ dataDir, databaseUrl }: TemporaryPlace, port: string) =>
  startGateway({
    dataDir,
    environment: {
      PORT: port,
      INITIAL_ROOT_PASSWORD: 'crash-root-password',
      ALLOWED_PRIVATE_ADDRESSES: '127.0.0.1',
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
    },
  });

async function ask(url: string, call: DrawnCall): Promise<void> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { Authorization: `Bearer sk-${secretOf(call.number)}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(bodyOf(call)),
  });
  await response.text();
}

const holdsIn = (store: Store) =>
  store.db.selectFrom('holds').select('id').where('user_id', '!=', 0).execute();

/** Returns how many calls were charged by recovery. */
async function expectBooks(
  store: Store,
  mock: MockUpstream,
  userId: number,
  calls: readonly DrawnCall[],
): Promise<number> {
  const rows = await store.db.selectFrom('logs').selectAll().where('user_id', '=', userId).execute();
  const entries = await store.db
    .selectFrom('ledger')
    .select(['idem', 'kind', 'amount'])
    .where('user_id', '=', userId)
    .where('kind', '!=', 'test')
    .execute();
  expect(entries.filter(({ kind }) => kind !== 'use')).toEqual([]);
  const charges = new Map(entries.map(({ idem, amount }) => [idem, amount]));
  expect(charges.size).toBe(entries.length);
  const attempts = Map.groupBy(mock.requests, ({ body }) => numberIn(JSON.stringify(body)));
  let recovered = 0;
  for (const { number, virtual } of calls) {
    const own = rows.filter(({ token_name }) => token_name === `call ${number}`);
    expect(own.length).toBeLessThanOrEqual(1);
    const [row] = own;
    const sent = attempts.get(number) ?? [];
    if (row?.type !== 2) continue;
    if (row.other.includes('"recovered":true')) recovered += 1;
    const last = sent.at(-1)?.model ?? '';
    // The last note may be from before the last targets: at a charge of nothing it names one of those that were tried.
    const known = sent.map(({ model }) => model);
    if (row.other.includes('"recovered":true') && row.quota === 0)
      expect(virtual.isOwn ? [virtual.name] : known).toContain(row.model_name);
    else expect(row.model_name).toBe(virtual.isOwn ? virtual.name : last);
    expect(row.quota).toBe(costOf(row.model_name, row.prompt_tokens, row.completion_tokens));
    expect(charges.get(row.request_id) ?? 0).toBe(row.quota);
    // Nobody pays for a call that no model answered.
    if (sent.every(({ ending }) => ending === 'refused')) expect(row.quota).toBe(0);
  }
  const user = await store.db
    .selectFrom('users')
    .select(['quota', 'held_quota', 'used_quota'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  const spent = entries.reduce((sum, { amount }) => sum + amount, 0);
  expect(user).toEqual({ quota: BALANCE - spent, held_quota: 0, used_quota: spent });
  expect(spent).toBeLessThanOrEqual(BALANCE);
  expect(await checkInvariants(store)).toEqual([]);
  return recovered;
}

for (const database of databaseLabels)
  test(`${database}: ${rounds} kills, each amid ${AT_ONCE} calls (seed ${seed})`, async () => {
    await using mock = startMockUpstream();
    const place = await temporaryPlace(database);
    const virtuals = drawVirtuals(seed);
    const calls: DrawnCall[] = [];
    mock.behave({
      behaviour: ({ lastUserText, model, key }) => {
        const call = calls[numberIn(lastUserText)];
        if (call === undefined) throw new Error(`a call that nobody made: ${lastUserText.slice(0, 50)}`);
        return drawSlowBehaviour(seed, call, model, key);
      },
    });
    try {
      const userId = await prepare(place, mock);
      const port = freePort();
      let recovered = 0;
      for (let round = 0; round < rounds; round += 1) {
        const gateway = await startNode(place, port);
        const of = Array.from({ length: AT_ONCE }, (_, at) => drawCall(seed, calls.length + at, virtuals));
        calls.push(...of);
        const begun = of.map((call) => ask(gateway.url, call).catch(() => {}));
        // Some calls have ended by then, some have left a checkpoint, and some look for a model that answers.
        await Bun.sleep(diceFor(seed, 'kill', round).between(1500, 3500));
        await gateway.kill9();
        await Promise.all(begun);
        const next = await startNode(place, port);
        await eventually(
          () => fetch(`${next.url}/readyz`).then(({ status }) => status),
          (status) => status === 200,
          PATIENCE,
        );
        await next.stop();
        await inStore(place, async (store) => {
          expect(await holdsIn(store)).toEqual([]);
          recovered = await expectBooks(store, mock, userId, calls);
        });
      }
      expect(recovered).toBeGreaterThan(0);
    } finally {
      await place.remove();
    }
  });
