// Items of the overview that a person does not want to see until they change, and an index for the payments of a day.
import { sql } from 'kysely';
import { onlineIndex, type Migration } from './migration.ts';

export const attentionSnoozes: Migration = {
  name: '0096-attention',
  isOnline: true,
  async up(db, dialect) {
    const integer = sql.raw(dialect === 'sqlite' ? 'integer' : 'bigint');
    const end = sql.raw(dialect === 'sqlite' ? 'strict' : '');
    await sql`create table if not exists attention_snoozes (
      user_id ${integer} not null, item text not null, mark text not null, created_at ${integer} not null default 0,
      constraint attention_snoozes_primary primary key (user_id, item)) ${end}`.execute(db);
    await onlineIndex(db, dialect, { table: 'orders', name: 'orders_paid_at', on: '("paid_at")' });
  },
};
