// Resellers: agents with their rate, what they earned, and what they want paid out.
import { sql } from 'kysely';
import { index, LARGEST_AMOUNT, TableMaker, type Migration } from './migration.ts';

export const agents: Migration = {
  name: '0045-agents',
  async up(db, dialect) {
    // PostgreSQL compiles the check of a type once for a connection, that of a table for every statement.
    const amount =
      dialect === 'sqlite'
        ? `integer not null default 0 check (dividend_quota between 0 and ${LARGEST_AMOUNT})`
        : '"amount" not null default 0';
    await sql.raw(`alter table users add column dividend_quota ${amount}`).execute(db);
    const integer = dialect === 'sqlite' ? 'integer' : 'bigint';
    // No entry of the ledger so far is of an agent's account.
    await sql.raw(`alter table ledger_sums add column dividend ${integer} not null default 0`).execute(db);

    await new TableMaker(db, dialect, 'agents')
      .requiredIntegers('user_id')
      .flag('active', 1)
      .requiredIntegers('rate')
      .amounts('owed_quota')
      .requiredIntegers('created_at', 'updated_at')
      .check('rate_range', 'rate between 0 and 10000')
      .primaryKey('user_id')
      .create();

    await new TableMaker(db, dialect, 'dividends')
      .id()
      .uniqueText('idem')
      .requiredIntegers('created_at', 'agent_id', 'customer_id', 'level')
      .oneOf('kind', ['payment', 'spend', 'reversal', 'restored', 'owed'], 'payment')
      .integers('order_id', 'refund_id')
      .amounts('base_quota')
      .integers('rate')
      .requiredIntegers('amount')
      .integers('owed')
      .check('amount_range', `amount between -${LARGEST_AMOUNT} and ${LARGEST_AMOUNT}`)
      .check('owed_range', `owed between -${LARGEST_AMOUNT} and ${LARGEST_AMOUNT}`)
      .create();
    await index(db, 'dividends', ['agent_id', 'id']);
    await index(db, 'dividends', ['agent_id', 'customer_id']);
    await index(db, 'dividends', ['created_at']);
    await sql`create index dividends_order on dividends (order_id) where order_id > 0`.execute(db);
    await sql`create index dividends_owed on dividends (agent_id) where owed <> 0`.execute(db);

    // How far the ledger was read for dividends on spending, and what was read and has not become a dividend.
    await new TableMaker(db, dialect, 'dividend_position')
      .requiredIntegers('id')
      .integers('through_id')
      .primaryKey('id')
      .create();
    await sql`insert into dividend_position (id, through_id)
      select 1, coalesce(max(id), 0) from ledger`.execute(db);
    await new TableMaker(db, dialect, 'dividend_spend')
      .requiredIntegers('agent_id', 'customer_id', 'level')
      .integers('pending', 'payouts')
      .primaryKey('agent_id', 'customer_id', 'level')
      .create();

    await new TableMaker(db, dialect, 'withdrawals')
      .id()
      .requiredIntegers('user_id', 'created_at')
      .requiredText('request_id', 'method', 'account')
      .amounts('quota', 'fee_quota')
      .oneOf('status', ['requested', 'approved', 'paid', 'refused'], 'requested')
      .integers('decided_at', 'decided_by', 'paid_at')
      .text('note')
      .check('fee_within_quota', 'fee_quota < quota')
      .create();
    await index(db, 'withdrawals', ['user_id', 'request_id'], true);
    await index(db, 'withdrawals', ['status', 'id']);
  },
};
