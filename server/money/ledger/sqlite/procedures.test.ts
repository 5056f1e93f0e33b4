import { expect, test } from 'bun:test';
import { ledgerWriter } from './procedures.ts';

test('nothing that a power cut must not take is written without a sync', () => {
  const { procedures, unsynced = [] } = ledgerWriter();
  for (const name of unsynced) expect(Object.keys(procedures)).toContain(name);
  // The hold of a task is its only trace after a restart; the others are acknowledged money.
  for (const kind of ['reserveTask', 'settle', 'release', 'noteProgress', 'recover', 'rollPeriod', 'open']) {
    expect(Object.keys(procedures)).toContain(`ledger.${kind}`);
    expect(unsynced).not.toContain(`ledger.${kind}`);
  }
});
