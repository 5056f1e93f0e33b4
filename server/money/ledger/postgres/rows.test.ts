// The rows of a batch: what was taken, opened and changed in it, and what PostgreSQL can store.
import { describe, expect, test } from 'bun:test';
import { rowArray } from './arrays.ts';
import { logFigures } from './columns.ts';
import { ledgerRows, logged, NOW, releasing, reserving, settling } from '#tests/support/ledger-rows.ts';

describe('a hold', () => {
  test('that the batch has taken is not found again, whatever the table says', () => {
    const { rows } = ledgerRows({ holds: [{}] });
    expect([rows.takeHold('call')?.amount, rows.takeHold('call'), rows.findHold('call')]).toEqual([
      100,
      undefined,
      undefined,
    ]);
    expect(rows.changes().deletedHolds).toHaveLength(1);
  });

  test('that was changed and then taken is deleted only', () => {
    const { rows } = ledgerRows({ holds: [{}] });
    const hold = rows.findHold('call');
    if (hold === undefined) throw new Error('no hold');
    rows.changeHold({ ...hold, amount: 70 });
    expect(rows.takeHold('call')?.amount).toBe(70);
    const { changedHolds, deletedHolds } = rows.changes();
    expect([changedHolds.length, deletedHolds.map(({ id }) => id)]).toEqual([0, ['call']]);
  });

  test('that the batch opened and ended leaves nothing', () => {
    const world = ledgerRows();
    world.apply(reserving());
    world.apply(releasing());
    const { newHolds, deletedHolds, changedHolds } = world.written;
    expect([newHolds, deletedHolds, changedHolds]).toEqual([[], [], []]);
    expect([world.rows.runningCalls('user', 1), world.rows.runningCalls('token', 2)]).toEqual([0, 0]);
  });

  test('of a limited key or user makes other nodes read what it counts', () => {
    const dirtied = (limited: 'user' | 'token') => {
      const world = ledgerRows({ [limited]: { concurrentCalls: 5 } });
      world.apply(reserving({ amount: 0 }));
      return [world.user.dirty, world.token.dirty];
    };
    expect(dirtied('user')).toEqual([true, false]);
    expect(dirtied('token')).toEqual([false, true]);
  });
});

describe('what was booked', () => {
  test('in the batch is found as what was booked before it', () => {
    const world = ledgerRows({ booked: { old: { amount: 3 } } });
    world.apply(settling(5));
    expect([
      world.rows.booked('old')?.amount,
      world.rows.booked('call')?.amount,
      world.rows.booked('new'),
    ]).toEqual([3, 5, undefined]);
    // Sent again in one batch: it was recovered by nobody.
    expect(world.apply(settling(9))).toMatchObject({ charged: 5, duplicate: true });
    expect(world.user.quota).toBe(995);
  });

  test('by a recovery of the same batch is corrected in the log row that the batch writes', () => {
    const sent = {
      dispatched: true,
      checkpointQuota: 40,
      checkpoint: '',
      snapshot: '{"log":{"model_name":"m"}}',
    };
    const world = ledgerRows({ holds: [sent] });
    world.apply({ kind: 'recover', requestId: 'call', policy: 'checkpoint' });
    expect(world.apply(settling(90))).toMatchObject({ charged: 90, hadHold: false });
    const { logs, correctedLogs } = world.written;
    expect([logs.map(({ quota }) => quota), correctedLogs]).toEqual([[90], []]);
  });

  test('as a failure in the same batch is not written again', () => {
    const failure = { channelId: 7, modelName: 'm', useTimeMs: 9, log: logged({ type: 5 }) };
    const again = releasing({
      failure,
      owner: { userId: 1, tokenId: 2 },
      slice: { id: 's', amount: 5 },
      isAgain: true,
    });
    const world = ledgerRows();
    expect([world.apply(again), world.apply(again)]).toEqual([true, false]);
    expect(world.written.logs).toHaveLength(1);
  });
});

test('names with NUL or half a character are stored in log row, hours and margins alike', () => {
  const world = ledgerRows();
  const modelName = 'm\0\ud800n';
  world.apply(
    settling(5, { modelName, group: 'g\0', log: logged({ model_name: modelName, content: 'a\0b' }) }),
  );
  const { logs, usage, margins } = world.written;
  expect([usage[0]?.modelName, margins[0]?.modelName, margins[0]?.group]).toEqual([
    'm\ufffd\ufffdn',
    'm\ufffd\ufffdn',
    'g\ufffd',
  ]);
  const stored = rowArray(logFigures, logs);
  expect(stored).toContain('m\ufffd\ufffdn');
  expect(stored).toContain('a\ufffdb');
});

test('a notice has the time of its batch', () => {
  const world = ledgerRows({ lowBalanceThreshold: 999 });
  world.apply(settling(5));
  expect(world.written.notices).toMatchObject([{ event: 'low_balance', at: NOW }]);
});
