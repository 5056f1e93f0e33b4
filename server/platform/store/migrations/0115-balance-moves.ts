// Money that is moved between a personal balance and that of an organization, or between two organizations: who asked, and who
// accepted what leaves an organization (docs/adr/0112-money-moves-between-balances-by-two-entries.md).
import { index, TableMaker, type Migration } from './migration.ts';

export const balanceMoves: Migration = {
  name: '0115-balance-moves',
  async up(db, dialect) {
    await new TableMaker(db, dialect, 'balance_moves')
      .id()
      .requiredIntegers('from_id', 'to_id', 'asked_by', 'created_at')
      .amounts('amount')
      .text('reason')
      .requiredText('request_key')
      .oneOf('status', ['open', 'done', 'declined'], 'open')
      .integers('decided_by', 'decided_at')
      .create();
    await index(db, 'balance_moves', ['from_id']);
    await index(db, 'balance_moves', ['to_id']);
    await index(db, 'balance_moves', ['asked_by', 'request_key'], true);
  },
};
