// Corrections of past charges: runs, what a dry run found, what was booked, and each corrected call.
import { sql } from 'kysely';
import { index, TableMaker, type Migration } from './migration.ts';

export const rerating: Migration = {
  name: '0069-rerating',
  async up(db, dialect) {
    await new TableMaker(db, dialect, 'rerate_runs')
      .id()
      .requiredIntegers('created_at', 'created_by')
      .oneOf('kind', ['rerate', 'undo'], 'rerate')
      .integers('undoes_id', 'version_id', 'charged_version')
      .requiredIntegers('from_at', 'to_at')
      .textWith('models', '[]')
      .textWith('groups', '[]')
      .text('reason')
      .oneOf('state', ['rating', 'ready', 'applying', 'applied', 'undone', 'discarded'], 'rating')
      .integers('position', 'examined', 'calls', 'users')
      .amounts('credit', 'debit')
      .textWith('left_out', '{}')
      .text('fingerprint')
      .integers('rated_at', 'booking', 'applied_at', 'applied_by', 'undone_at', 'undone_by')
      .create();
    // One run books at a time, and a run is undone once, also with several nodes.
    await sql`create unique index rerate_runs_applying on rerate_runs (state) where state = 'applying'`.execute(
      db,
    );
    await sql`create unique index rerate_runs_booking on rerate_runs (booking) where booking > 0`.execute(db);
    await sql`create unique index rerate_runs_undoes on rerate_runs (undoes_id) where undoes_id > 0`.execute(
      db,
    );

    await new TableMaker(db, dialect, 'rerate_sums')
      .requiredIntegers('run_id', 'user_id', 'day')
      .requiredText('model_name')
      .requiredIntegers('calls', 'before', 'after')
      .primaryKey('run_id', 'user_id', 'day', 'model_name')
      .create();

    await new TableMaker(db, dialect, 'rerate_parts')
      .id()
      .requiredIntegers('run_id', 'user_id', 'day', 'part')
      .uniqueText('idem')
      .requiredIntegers('created_at')
      .oneOf('state', ['booked', 'changed'], 'booked')
      .flags('last')
      .integers('calls', 'wallet', 'plan', 'suspense')
      .create();
    await index(db, 'rerate_parts', ['run_id', 'user_id', 'day', 'part'], true);

    await new TableMaker(db, dialect, 'rerate_calls')
      .requiredIntegers('run_id', 'log_id', 'user_id', 'day', 'part', 'created_at')
      .requiredText('request_id', 'model_name', 'group')
      .flags('is_costed')
      .requiredIntegers('token_id', 'channel_id', 'subscription_id')
      .requiredIntegers('wallet_before', 'plan_before', 'suspense_before')
      .requiredIntegers('wallet_after', 'plan_after', 'suspense_after', 'token_change')
      .primaryKey('run_id', 'log_id')
      .create();
    await index(db, 'rerate_calls', ['log_id', 'run_id']);
    await index(db, 'rerate_calls', ['run_id', 'user_id', 'day', 'part']);
  },
};
