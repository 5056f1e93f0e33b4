// Every settled call has a row in the ledger under its request id, also a call that cost nothing: its amount is zero. No
// other transfer may be empty.
import { sql } from 'kysely';
import { LARGEST_AMOUNT, rebuildTable, type Migration } from './migration.ts';

const before = `amount between 1 and ${LARGEST_AMOUNT}`;
const after = `amount between 0 and ${LARGEST_AMOUNT} and (amount > 0 or kind = 'use')`;

export const settlementRecords: Migration = {
  name: '0040-settlement-records',
  async up(db, dialect) {
    if (dialect === 'sqlite') {
      await rebuildTable(db, 'ledger', (definition) => replaced(definition, before, after));
      return;
    }
    // Rows that passed the narrower check need not be read again.
    await sql
      .raw(
        `alter table ledger drop constraint ledger_amount_range,
          add constraint ledger_amount_range check (${after}) not valid`,
      )
      .execute(db);
  },
};

function replaced(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`not in the definition of the ledger: ${from}`);
  return text.replace(from, to);
}
