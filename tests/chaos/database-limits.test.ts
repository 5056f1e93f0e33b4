// PostgreSQL refuses connections because it has none left, and undoes a batch because of a deadlock.
import { expect, setDefaultTimeout, test } from 'bun:test';
import { Client } from 'pg';
import { checkInvariants } from '#server/money/audit/invariants.ts';
import { openStore } from '#server/platform/store/store.ts';
import { startApplication } from '#tests/support/application.ts';
import { addChannel } from '#tests/support/channels.ts';
import { applicationWriter, temporaryPlace } from '#tests/support/databases.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import { startMockUpstream } from '#mock/upstream/index.ts';
import { startPostgres } from '#tests/support/postgres.ts';
import { eventually } from '#tests/integration/relay/calls/harness.ts';
import { createWorld, outcome, reserve } from '#tests/integration/money/ledger/world.ts';

// A database server has to start first, on a busy machine.
setDefaultTimeout(120_000);

const mostConnections = 30;
/** PostgreSQL's code for "too many clients already". */
const noneLeft = '53300';

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined);

/** Takes every connection that is free; returns whether the server refused the next one. */
async function takeAll(url: string, taken: Client[]): Promise<boolean> {
  for (;;) {
    const client = new Client({ connectionString: url });
    client.on('error', () => {});
    try {
      await client.connect();
    } catch (error) {
      return codeOf(error) === noneLeft;
    }
    taken.push(client);
  }
}

test('PostgreSQL without a free connection: calls are refused with 503, and served when it has some again (plan C6)', async () => {
  const postgres = await startPostgres([`max_connections=${mostConnections}`]);
  const mock = startMockUpstream();
  const place = await temporaryPlace('sqlite');
  const app = await startApplication({ place: { dataDir: place.dataDir, databaseUrl: postgres.url } });
  const taken: Client[] = [];
  try {
    await addChannel(app.store, { base_url: mock.url, models: ['gpt-4o'] });
    const user = await app.actor({ quota: 10_000_000 });
    const [token] = await app.client(user).tokens.create({ body: { name: 'c6', unlimited_quota: true } });
    const call = async () => {
      const answer = await fetch(`${app.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { Authorization: `Bearer sk-${token?.key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] }),
      });
      await answer.text();
      return answer.status;
    };
    const serves = () => eventually(call, (status) => status === 200, 30_000);
    expect(await serves()).toBe(200);

    // The gateway's own connections end too, and it tries to get new ones at the same time.
    let foreign = mostConnections;
    let wasRefused = false;
    for (let round = 0; foreign > 0 && round < 200; round += 1) {
      wasRefused = await takeAll(postgres.url, taken);
      const pids = taken.map((client) => (client as unknown as { processID: number }).processID);
      const ended = await taken[0]?.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where backend_type = 'client backend' and pid <> all($1::int[])`,
        [pids],
      );
      foreign = ended?.rowCount ?? 0;
    }
    expect(wasRefused).toBe(true);
    expect(foreign).toBe(0);
    const refused = await eventually(call, (status) => status !== 200, 30_000);
    expect(refused).toBe(503);
    faultSeen('C6', `all ${mostConnections} connections taken: 503, then served again`);

    for (const client of taken.splice(0)) await client.end();
    expect(await serves()).toBe(200);
    expect(await checkInvariants(app.store)).toEqual([]);
  } finally {
    for (const client of taken) await client.end();
    await app.close();
    await mock.stop();
    await postgres.stop();
    await place.remove();
  }
});

test('a batch that ends in a deadlock is repeated, and nothing is charged twice (plan C7)', async () => {
  const place = await temporaryPlace('postgres');
  const other = new Client({ connectionString: place.databaseUrl });
  await other.connect();
  const deadlocks = async () => {
    const { rows } = await other.query<{ deadlocks: number }>(
      'select deadlocks::int from pg_stat_database where datname = current_database()',
    );
    return rows[0]?.deadlocks ?? 0;
  };
  const waiting = async () => {
    const { rowCount } = await other.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rowCount ?? 0;
  };
  const store = await openStore({ ...place, writerEntry: applicationWriter });
  const world = await createWorld(store);
  try {
    const users = [await world.user(1000), await world.user(1000)];
    const calls = await Promise.all(users.map((userId) => reserve(world.ledger, userId, 0, 100)));
    // The batch takes the rows in the order of their ids; the other transaction takes them the other way round.
    await other.query('begin');
    await other.query('select 1 from users where id = $1 for update', [users[1]]);
    const settling = Promise.all(calls.map(({ requestId }) => world.ledger.settle(requestId, outcome(70))));
    expect(await eventually(waiting, (count) => count > 0, 30_000)).toBeGreaterThan(0);
    // The batch has waited longer, so PostgreSQL ends the batch and not this statement.
    await other.query('select 1 from users where id = $1 for update', [users[0]]);
    await other.query('commit');
    expect((await settling).map(({ charged, duplicate }) => ({ charged, duplicate }))).toEqual([
      { charged: 70, duplicate: false },
      { charged: 70, duplicate: false },
    ]);
    expect(await eventually(deadlocks, (count) => count > 0, 30_000)).toBeGreaterThan(0);
    faultSeen('C7', 'PostgreSQL counted a deadlock; the batch of two charges ran again');
    for (const userId of users)
      expect(await world.findUser(userId)).toMatchObject({ quota: 930, held_quota: 0, used_quota: 70 });
    expect(await checkInvariants(store)).toEqual([]);
  } finally {
    await other.end();
    await world.close();
    await store.close();
    await place.remove();
  }
});
