// The writer and the readers as threads: what a caller on the main thread can rely on.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { failure } from '#tests/support/failure.ts';
import { copySqliteTemplate } from '#tests/support/templates.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databaseFile } from './open.ts';
import { startReaders, type Readers } from './readers.ts';
import type { TableGuard } from '#server/platform/store/store.ts';
import { startWriter, type WriterThread } from './writer.ts';

const entry = new URL('../../../../tests/support/writer-entry.ts', import.meta.url);
const insert = 'insert into options (key, value) values (?, ?)';

let directory: string;
let file: string;
let writer: WriterThread;
let readers: Readers;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tollgate-threads-'));
  await copySqliteTemplate(directory);
  file = databaseFile(directory);
  writer = await startWriter(entry, file);
  readers = await startReaders(file, 2);
});

afterEach(async () => {
  await writer.close();
  await readers.close();
  rmSync(directory, { recursive: true, force: true });
});

async function keys(): Promise<unknown[]> {
  const { rows } = await readers.query('select key from options order by key', []);
  return rows.map((row) => row['key']);
}

test('a procedure gets its argument as it was and its result comes back', async () => {
  const args = [
    'text ✓ "quoted"',
    1.5,
    -7,
    Number.MAX_SAFE_INTEGER,
    null,
    true,
    [1, ['a']],
    { deep: { er: 1 } },
  ];
  expect(await writer.run<unknown[]>('batch.results', args)).toEqual(args);
});

test('a text reaches its own operation unchanged, beside the argument', async () => {
  const texts = ['{"quoted": "twice\\n"}', '', 'line\nfeed', '汉字 ✓', '\0'];
  const answers = texts.map((text, index) => writer.run('batch.text', index, { text }));
  const without = writer.run('batch.text', 'none');
  expect(await Promise.all(answers)).toEqual(texts.map((text, index) => [index, text]));
  expect(await without).toEqual(['none', '']);
});

test('an unknown procedure, or an argument no message can carry, rejects at once and fails no other operation', async () => {
  const good = writer.run('option.put', ['a', '1']);
  expect((await failure(writer.run('no.such', []))).message).toContain('no procedure "no.such"');
  expect(await failure(writer.run('option.put', [10n]))).toBeInstanceOf(Error);
  expect(await good).toBe(1);
  expect(await keys()).toEqual(['a']);
});

test('a result that no message can carry rejects its batch instead of leaving it waiting', async () => {
  expect((await failure(writer.run('result.not-json', []))).message).toContain('cannot be sent');
  expect(await writer.run<number>('option.put', ['a', '1'])).toBe(1);
});

test('of 500 operations at once each gets its own answer, the failing ones their own error', async () => {
  const answers = await Promise.allSettled(
    Array.from({ length: 500 }, (_, index) =>
      index % 50 === 7
        ? writer.run('option.put-then-throw', [`bad${index}`, ''])
        : writer.run<unknown[]>('batch.results', [index]),
    ),
  );
  for (const [index, answer] of answers.entries()) {
    if (index % 50 === 7)
      expect(answer).toMatchObject({ status: 'rejected', reason: { message: 'refused on purpose' } });
    else expect(answer).toEqual({ status: 'fulfilled', value: [index] });
  }
  expect(await keys()).toEqual([]);
});

test('the reader sees an acknowledged write, and cannot write itself', async () => {
  for (let round = 0; round < 50; round++) {
    await writer.run('option.put', ['key', String(round)]);
    expect((await readers.query('select value from options', [])).rows).toEqual([{ value: String(round) }]);
  }
  expect(await failure(readers.query(insert, ['x', 'y']))).toMatchObject({ code: 'SQLITE_READONLY' });
});

test('both readers answer, each question with its own answer', async () => {
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, index) => readers.query('select ? as number', [index])),
  );
  expect(answers.map(({ rows }) => rows[0]?.['number'])).toEqual(
    Array.from({ length: 40 }, (_, index) => index),
  );
});

test('a bad query rejects with the code of the engine', async () => {
  expect(await failure(readers.query('select * from nowhere', []))).toMatchObject({ code: 'SQLITE_ERROR' });
});

describe('a lease', () => {
  test('keeps all other writes waiting until it ends', async () => {
    const lease = await writer.lease();
    let written = false;
    const write = writer.run('option.put', ['other', '']).then(() => (written = true));
    await lease.query(insert, ['mine', '']);
    await Bun.sleep(30);
    expect(written).toBe(false);
    expect(await keys()).toEqual([]);
    await lease.commit();
    await write;
    expect(await keys()).toEqual(['mine', 'other']);
  });

  test('that is forgotten is rolled back at its limit, and the writes behind it go on', async () => {
    const lease = await writer.lease(60);
    await lease.query(insert, ['mine', '']);
    const started = performance.now();
    await writer.run('option.put', ['other', '']);
    expect(performance.now() - started).toBeLessThan(1000);
    expect(await keys()).toEqual(['other']);
    expect(await failure(lease.query(insert, ['late', '']))).toMatchObject({ code: 'TRANSACTION_TIMEOUT' });
    expect(await failure(lease.commit())).toMatchObject({ code: 'TRANSACTION_TIMEOUT' });
    await lease.rollback();
    expect(await keys()).toEqual(['other']);
  });

  test('takes turns with batches: neither waits for all of the other', async () => {
    const order: string[] = [];
    const first = writer.lease();
    const leases = [first, writer.lease(), writer.lease()].map(async (waiting, index) => {
      const lease = await waiting;
      order.push(`lease ${index}`);
      await lease.commit();
    });
    await first;
    const batch = writer.run('batch.results', []).then(() => order.push('batch'));
    await Promise.all([...leases, batch]);
    expect(order.indexOf('batch')).toBeLessThan(order.indexOf('lease 2'));
  });

  test('with a failing statement can still be rolled back', async () => {
    const lease = await writer.lease();
    await lease.query(insert, ['a', '']);
    expect(await failure(lease.query(insert, ['a', '']))).toMatchObject({
      code: 'SQLITE_CONSTRAINT_PRIMARYKEY',
    });
    await lease.rollback();
    await writer.run('option.put', ['b', '']);
    expect(await keys()).toEqual(['b']);
  });
});

test('too many waiting operations are refused at once, the others are served', async () => {
  const lease = await writer.lease();
  const waiting = Array.from({ length: 20_000 }, () => writer.run('batch.results', [1]));
  expect(await failure(writer.run('batch.results', [2]))).toMatchObject({ code: 'STORE_BUSY' });
  await lease.commit();
  expect(await Promise.all(waiting)).toHaveLength(20_000);
  expect(await writer.run<unknown[]>('batch.results', [3])).toEqual([3]);
});

test('a lease gets its turn while operations keep coming', async () => {
  const over = new AbortController();
  const flood = (async () => {
    while (!over.signal.aborted) await writer.run('batch.results', []);
  })();
  const lease = await writer.lease();
  await lease.commit();
  over.abort();
  await flood;
});

test('closing commits what was asked for before and refuses what comes after', async () => {
  const writes = Array.from({ length: 100 }, (_, index) => writer.run('option.put', [`k${index}`, '']));
  await writer.close();
  await Promise.all(writes);
  expect(await keys()).toHaveLength(100);
  expect(await failure(writer.run('option.put', ['late', '']))).toMatchObject({ code: 'STORE_CLOSED' });
  expect(await failure(writer.lease())).toMatchObject({ code: 'STORE_CLOSED' });
});

test('a writer whose module does not load rejects the start', async () => {
  const missing = new URL('../../../tests/support/no-such-entry.ts', import.meta.url);
  expect(await failure(startWriter(missing, file))).toMatchObject({ code: 'STORE_CLOSED' });
});

describe('a guard of tables', () => {
  const events: string[] = [];
  let state: string[] = [];
  const guard: TableGuard = {
    tables: ['options'],
    async beginForeignWrite() {
      events.push('begin');
      const written = state;
      state = [];
      await Promise.all(written.map((note) => writer.run('note.add', note)));
    },
    endForeignWrite: () => void events.push('end'),
  };
  const notes = () => writer.run<string[]>('note.all', null);
  const statement = { sql: insert, parameters: ['a', '1'] };

  beforeEach(async () => {
    await writer.guardTables(guard);
    events.length = 0;
    state = ['held'];
  });

  test('writes its state before a statement on its tables, in the same batch, and learns of its end', async () => {
    const writing = writer.statement(statement, new Set(['options']));
    const after = notes();
    expect(events).toEqual(['begin']);
    await writing;
    expect(events).toEqual(['begin', 'end']);
    expect(await after).toEqual(['held']);
  });

  test('writes its state before a statement whose tables are not known', async () => {
    await writer.statement(statement, undefined);
    expect(events).toEqual(['begin', 'end']);
    expect(await notes()).toEqual(['held']);
  });

  test('keeps its state during a statement on other tables and during procedures', async () => {
    await writer.statement(statement, new Set(['mails']));
    await writer.run('batch.results', []);
    expect(events).toEqual([]);
    expect(state).toEqual(['held']);
  });

  test('writes its state before a transaction, after the operations that were queued before it', async () => {
    const queued = writer.run('note.add', 'queued');
    const lease = await writer.lease();
    await queued;
    expect(events).toEqual(['begin']);
    const during = notes();
    await lease.query(insert, ['a', '1']);
    await lease.commit();
    expect(events).toEqual(['begin', 'end']);
    expect(await during).toEqual(['queued', 'held']);
  });

  test('whose state cannot be written keeps the transaction from beginning', async () => {
    let isFull = true;
    const beginForeignWrite = async () => {
      if (isFull) throw new Error('disk full');
    };
    await writer.guardTables({ ...guard, beginForeignWrite });
    expect((await failure(writer.lease())).message).toBe('disk full');
    expect(events.filter((event) => event === 'end')).toHaveLength(1);
    isFull = false;
    const lease = await writer.lease();
    await lease.commit();
  });

  test('learns of the end of a statement that failed or was refused', async () => {
    await failure(writer.statement({ sql: 'no sql', parameters: [] }, undefined));
    expect(events).toEqual(['begin', 'end']);
    await writer.close();
    events.length = 0;
    await failure(writer.statement(statement, undefined));
    expect(events).toEqual(['begin', 'end']);
  });

  test('writes its state when another guard replaces it', async () => {
    await writer.guardTables({ ...guard, beginForeignWrite: async () => {} });
    expect(events).toEqual(['begin']);
    expect(await notes()).toEqual(['held']);
  });
});

test('results reach onResult in the order of the work, failures as undefined, and its value is promised', async () => {
  const results: unknown[] = [];
  const onResult = (result: unknown) => `value ${String(results.push(result))}`;
  const first = writer.run('batch.results', [1], { onResult });
  const second = failure(writer.run('option.put-then-throw', ['a', 'b'], { onResult }));
  const third = writer.run('batch.results', [3], { onResult });
  expect(await first).toBe('value 1');
  expect(await second).toBeInstanceOf(Error);
  expect(await third).toBe('value 3');
  expect(results).toEqual([[1], undefined, [3]]);
});
