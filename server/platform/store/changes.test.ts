// Announcements: at once in the same process, on the other nodes too, late at worst when a connection was lost.
import { describe, expect, test } from 'bun:test';
import { sql } from 'kysely';
import { databaseSource, forEachDatabase, temporaryPlace } from '#tests/support/databases.ts';
import { localChanges, type Changes, type Topic } from './changes.ts';

const writerEntry = new URL('../../../tests/support/writer-entry.ts', import.meta.url);

function record(changes: Changes, topic: Topic): (string | undefined)[] {
  const received: (string | undefined)[] = [];
  changes.subscribe(topic, (detail) => received.push(detail));
  return received;
}

async function until(condition: () => boolean, limitMs = 8000): Promise<void> {
  const deadline = Date.now() + limitMs;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('it did not happen in time');
    await Bun.sleep(10);
  }
}

forEachDatabase((_label, open) => {
  test('listeners have run when announce returns, each topic apart', async () => {
    const { changes } = await open({ writerEntry });
    const channels = record(changes, 'channels');
    const users = record(changes, 'users');
    const announced = changes.announce('channels', '7');
    expect(channels).toEqual(['7']);
    await announced;
    await changes.announce('channels');
    expect(channels).toEqual(['7', undefined]);
    expect(users).toEqual([]);
  });

  test('an ended subscription is not called again', async () => {
    const { changes } = await open({ writerEntry });
    const received: unknown[] = [];
    const listener = (detail: string | undefined) => received.push(detail);
    const end = changes.subscribe('users', listener);
    changes.subscribe('users', listener);
    await changes.announce('users', '1');
    end();
    await changes.announce('users', '2');
    expect(received).toEqual(['1', '1', '2']);
  });
});

test('an announcement resolves after its listeners', async () => {
  const changes = localChanges(() => {});
  let isDone = false;
  changes.subscribe('channels', async () => {
    await Bun.sleep(20);
    isDone = true;
  });
  await changes.announce('channels');
  expect(isDone).toBe(true);
});

test('a listener that rejects is reported, and the announcement resolves', async () => {
  const faults: string[] = [];
  const changes = localChanges((error, what) => faults.push(`${what}: ${String(error)}`));
  changes.subscribe('users', async () => {
    await Bun.sleep(0);
    throw new Error('late');
  });
  await changes.announce('users');
  expect(faults).toEqual(['a listener of users failed: Error: late']);
});

test('a listener that throws is reported, and the other listeners run', async () => {
  const faults: string[] = [];
  const changes = localChanges((error, what) => faults.push(`${what}: ${String(error)}`));
  changes.subscribe('tokens', () => {
    throw new Error('broken');
  });
  const received = record(changes, 'tokens');
  await changes.announce('tokens', 'a');
  expect(received).toEqual(['a']);
  expect(faults).toEqual(['a listener of tokens failed: Error: broken']);
});

describe('two nodes on one PostgreSQL', () => {
  async function twoNodes() {
    const { remove, ...place } = await temporaryPlace('postgres');
    const source = databaseSource('postgres');
    const faults: string[] = [];
    const onFault = (_error: unknown, what: string) => void faults.push(what);
    const options = { writerEntry, onFault, ...place };
    const first = await source.open(options);
    const second = await source.open(options);
    const close = async () => {
      await source.closeAll();
      await remove();
    };
    /** Ends the connections that listen, as a network fault would. */
    const cut = () =>
      sql`select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'tollgate changes' and datname = current_database()`.execute(first.db);
    return { first, second, faults, cut, close };
  }

  test('the other node gets the detail, the announcer exactly one call', async () => {
    const { first, second, close } = await twoNodes();
    const here = record(first.changes, 'channels');
    const there = record(second.changes, 'channels');
    await first.changes.announce('channels', '1');
    await first.changes.announce('channels', '2');
    await until(() => there.length === 2, 2000);
    await second.changes.announce('channels', '3');
    await until(() => here.length === 3, 2000);
    expect(there).toEqual(['1', '2', '3']);
    expect(here).toEqual(['1', '2', '3']);
    await close();
  });

  test('a change announced while the connection was cut is received after it', async () => {
    const { first, second, faults, cut, close } = await twoNodes();
    const there = record(second.changes, 'settings');
    await cut();
    await first.changes.announce('settings', 'Price');
    await until(() => there.length > 0);
    expect(there.at(-1)).toBeUndefined();
    expect(faults.length).toBeGreaterThan(0);
    // And the new connection listens.
    await until(() => faults.length >= 2);
    await Bun.sleep(1500);
    there.length = 0;
    await first.changes.announce('settings', 'Notice');
    await until(() => there.length > 0, 1500);
    expect(there).toEqual(['Notice']);
    await close();
  }, 20_000);

  test('a detail too long for a notice arrives as "anything may have changed"', async () => {
    const { first, second, close } = await twoNodes();
    const there = record(second.changes, 'users');
    await first.changes.announce('users', 'x'.repeat(10_000));
    await until(() => there.length > 0, 2000);
    expect(there).toEqual([undefined]);
    await close();
  });
});
