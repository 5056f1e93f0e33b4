// Indexes on the path of every call, made lean: each one is written twice a call (a hold comes and goes) or once for ever.
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const leanMoneyIndexes: Migration = {
  name: '0002-lean-money-indexes',
  async up(db) {
    // Only recovery looks for a dead process's holds, in a table as short as the list of running calls.
    await sql`drop index holds_node_id_epoch`.execute(db);
    // Charges are found by their key and summed in bulk; what a person pages through is everything else.
    await sql`drop index ledger_user_id`.execute(db);
    await sql`create index ledger_user_id on ledger (user_id, id) where kind <> 'use'`.execute(db);
  },
};
