// What the audit has summed of the ledger, and until when log rows were deleted. Both were derived from whole tables before:
// the sums by reading the ledger anew, the time from the oldest log row, which one row with a wrong date falsified.
import { TableMaker, type Migration, type MigrationDatabase } from './migration.ts';

export const ledgerSums: Migration = {
  name: '0041-ledger-sums',
  async up(db, dialect) {
    await new TableMaker(db, dialect, 'ledger_sums')
      .requiredIntegers('month', 'user_id', 'through_id')
      .integers('entries', 'balance', 'used', 'aff')
      .primaryKey('month', 'user_id')
      .create();
    await new TableMaker(db, dialect, 'log_cleaning')
      .requiredIntegers('id')
      .integers('cleaned_before')
      .primaryKey('id')
      .create();
    await db
      .insertInto('log_cleaning')
      .values({ id: 1, cleaned_before: await cleanedBefore(db) })
      .execute();
  },
};

/** Cleanups so far are recorded in the audit trail. */
async function cleanedBefore(db: MigrationDatabase): Promise<number> {
  const rows = await db
    .selectFrom('audit')
    .select('before')
    .where('action', 'in', ['log.cleanup', 'log.cleanup_started'])
    .execute();
  return Math.max(0, ...rows.map((row) => timeIn(String(row['before']))));
}

function timeIn(text: string): number {
  try {
    const { before } = JSON.parse(text) as { before?: unknown };
    return Number.isSafeInteger(before) ? Number(before) : 0;
  } catch {
    return 0;
  }
}
