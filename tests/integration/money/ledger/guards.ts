import { sql } from 'kysely';
import type { Store } from '#server/platform/store/store.ts';

/** Removes the database's guards of money, so that a test can plant what the audit must find without them. */
export async function removeGuards({ db, dialect }: Store): Promise<void> {
  if (dialect === 'sqlite') {
    await sql`drop trigger ledger_no_update`.execute(db);
    await sql`drop trigger ledger_no_delete`.execute(db);
    await sql`pragma ignore_check_constraints = on`.execute(db);
    return;
  }
  await sql`drop trigger ledger_no_change on ledger`.execute(db);
  await sql`alter table ledger drop constraint ledger_amount_range, drop constraint ledger_two_accounts`.execute(
    db,
  );
  await sql`alter table users drop constraint users_held_within_quota`.execute(db);
  await sql`alter table ledger drop constraint ledger_idem_key`.execute(db);
  await sql`alter domain amount drop constraint amount_check`.execute(db);
}
