// The rules of the group commit, on a real database without the thread around it.
import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openWritable } from './connection.ts';
import { STATEMENT, type Batch, type BatchItem } from './protocol.ts';
import { createWriter, type Procedure, type WriterDefinition } from './writer-thread.ts';

let directory: string;
let database: Database;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tollgate-writer-'));
  database = openWritable(join(directory, 'test.db'));
  database.run(
    'create table items (name text primary key, amount integer not null check (amount >= 0)) strict',
  );
});

afterEach(() => {
  database.close();
  rmSync(directory, { recursive: true, force: true });
});

const insert = 'insert into items (name, amount) values (?, ?)';

const procedures: Record<string, Procedure> = {
  add: (context, argument) => {
    const [name, amount] = argument as [string, number];
    context.statement(insert).run(name, amount);
    return `added ${name}`;
  },
  addThenThrow: (context, argument) => {
    const [name] = argument as [string];
    context.statement(insert).run(name, 1);
    throw new Error('no');
  },
};

const item = (operation: number, argument: unknown): BatchItem => ({ operation, argument, text: '' });
const add = (name: string, amount: number) => item(0, [name, amount]);
const addThenThrow = (name: string) => item(1, [name]);
const statement = (sql: string, ...parameters: unknown[]) => item(STATEMENT, { sql, parameters });

function items(): unknown[] {
  return database.prepare('select name from items order by name').values().flat();
}

function run(batch: Batch, definition: Partial<WriterDefinition> = {}) {
  return createWriter(database, { procedures, ...definition }).runBatch(batch);
}

describe('a batch', () => {
  test('commits all its operations at once and answers in their order', () => {
    expect(run([add('a', 1), add('b', 2)])).toEqual({ results: ['added a', 'added b'], failures: [] });
    expect(items()).toEqual(['a', 'b']);
    expect(database.inTransaction).toBe(false);
  });

  test('of unsynced procedures alone waits for no disk; any other operation brings the sync back', () => {
    const level = () => database.prepare('pragma synchronous').values().flat()[0];
    const writer = createWriter(database, { procedures, unsynced: ['add'] });
    writer.runBatch([add('a', 1)]);
    expect(level()).toBe(1);
    writer.runBatch([add('b', 1), statement(insert, 'c', 1)]);
    expect(level()).toBe(2);
    writer.runBatch([add('d', 1)]);
    writer.control({ kind: 'begin' });
    expect(level()).toBe(2);
    writer.control({ kind: 'commit' });
    expect(items()).toEqual(['a', 'b', 'c', 'd']);
  });

  test('in which one operation throws loses that one only', () => {
    const { results, failures } = run([add('a', 1), addThenThrow('b'), add('c', 1)]);
    expect(results).toEqual(['added a', null, 'added c']);
    expect(failures).toEqual([{ index: 1, error: { message: 'no', code: 'ERROR' } }]);
    expect(items()).toEqual(['a', 'c']);
  });

  test('in which two operations collide keeps the first and refuses the second with the reason', () => {
    const { results, failures } = run([add('a', 1), add('a', 2), add('b', 1)]);
    expect(results).toEqual(['added a', null, 'added b']);
    expect(failures).toMatchObject([{ index: 1, error: { code: 'SQLITE_CONSTRAINT_PRIMARYKEY' } }]);
    expect(items()).toEqual(['a', 'b']);
  });

  test('in which a single statement fails is not run twice', () => {
    let starts = 0;
    const definition = { onBatchStart: () => void starts++ };
    const { results, failures } = run([statement(insert, 'a', -1), add('b', 1)], definition);
    expect(results).toEqual([null, 'added b']);
    expect(failures).toMatchObject([{ index: 0, error: { code: 'SQLITE_CONSTRAINT_CHECK' } }]);
    expect(items()).toEqual(['b']);
    // The batch's own start and the one after the statement.
    expect(starts).toBe(2);
  });

  test('with a statement that does not parse fails that statement alone', () => {
    const { results, failures } = run([add('a', 1), statement('select from where')]);
    expect(results).toEqual(['added a', null]);
    expect(failures).toHaveLength(1);
    expect(items()).toEqual(['a']);
  });

  test('answers an unknown operation with an error', () => {
    expect(run([item(99, [])]).failures).toMatchObject([
      { index: 0, error: { message: 'unknown procedure 99' } },
    ]);
  });
});

describe('rows cached over a batch', () => {
  const count = add;

  /** Counts in memory and writes once, as the ledger does with balances. */
  function counting() {
    let pending = new Map<string, number>();
    const flushes: number[] = [];
    const definition: WriterDefinition = {
      procedures: {
        count: (_context, argument) => {
          const [name, by] = argument as [string, number];
          const sum = (pending.get(name) ?? 0) + by;
          pending.set(name, sum);
          return sum;
        },
        fail: () => {
          throw new Error('no');
        },
      },
      onBatchStart: () => {
        pending = new Map();
      },
      onBatchEnd: (context) => {
        flushes.push(pending.size);
        const text = `${insert} on conflict (name) do update set amount = amount + excluded.amount`;
        for (const [name, amount] of pending) context.statement(text).run(name, amount);
      },
    };
    return { definition, flushes };
  }

  function amounts(): unknown {
    return Object.fromEntries(database.prepare('select name, amount from items order by name').values());
  }

  test('are written once, before the commit', () => {
    const { definition, flushes } = counting();
    createWriter(database, definition).runBatch([count('a', 1), count('a', 2), count('b', 5)]);
    expect(amounts()).toEqual({ a: 3, b: 5 });
    expect(flushes).toEqual([2]);
  });

  test('are written before a statement of someone else, which then sees them', () => {
    const { definition } = counting();
    const batch: Batch = [count('a', 1), statement('update items set amount = amount * 10'), count('a', 4)];
    const { results } = createWriter(database, definition).runBatch(batch);
    expect(results[1]).toEqual({ rows: [], changes: 1, lastInsertRowid: expect.any(Number) });
    expect(amounts()).toEqual({ a: 14 });
  });

  test('survive an operation of the batch that throws', () => {
    const { definition } = counting();
    const { failures } = createWriter(database, definition).runBatch([
      count('a', 1),
      item(1, []),
      count('a', 2),
    ]);
    expect(failures.map(({ index }) => index)).toEqual([1]);
    expect(amounts()).toEqual({ a: 3 });
  });

  test('that cannot be written fail the operation that made them so, also behind a foreign statement', () => {
    const { definition } = counting();
    const batch: Batch = [count('a', 5), count('b', -1), statement(insert, 'c', 1), count('a', 2)];
    const { results, failures } = createWriter(database, definition).runBatch(batch);
    expect(failures).toMatchObject([{ index: 1, error: { code: 'SQLITE_CONSTRAINT_CHECK' } }]);
    expect(results[2]).toMatchObject({ changes: 1 });
    expect(amounts()).toEqual({ a: 7, c: 1 });
  });
});

describe('when the engine fails', () => {
  test('a full disk rejects the batch with SQLITE_FULL, and room lets it go on', () => {
    const { page_count: pages } = database.prepare('pragma page_count').get() as { page_count: number };
    database.run(`pragma max_page_count = ${pages + 1}`);
    const writer = createWriter(database, { procedures });
    const big = 'x'.repeat(20_000);
    const { results, failures } = writer.runBatch([add('a', 1), add(big, 1)]);
    expect(results).toEqual([null, null]);
    expect(failures.map(({ index, error }) => [index, error.code])).toEqual([
      [0, 'SQLITE_FULL'],
      [1, 'SQLITE_FULL'],
    ]);
    expect(database.inTransaction).toBe(false);
    expect(items()).toEqual([]);
    database.run('pragma max_page_count = 100000');
    expect(writer.runBatch([add('a', 1), add(big, 1)]).failures).toEqual([]);
    expect(items()).toEqual(['a', big]);
  });

  test('a lock held by another process rejects the batch as busy, and its end lets it go on', () => {
    database.run('pragma busy_timeout = 20');
    const other = new Database(join(directory, 'test.db'));
    other.run('begin immediate');
    const writer = createWriter(database, { procedures });
    expect(writer.runBatch([add('a', 1)]).failures).toMatchObject([
      { index: 0, error: { code: 'SQLITE_BUSY' } },
    ]);
    other.run('rollback');
    other.close();
    expect(writer.runBatch([add('a', 1)]).failures).toEqual([]);
    expect(items()).toEqual(['a']);
  });
});
