// Money: holds, the append-only ledger, orders and redemption codes.
import {
  appendOnly,
  index,
  LARGEST_AMOUNT,
  TableMaker,
  type DialectName,
  type MigrationDatabase,
} from '#server/platform/store/migrations/migration.ts';

export async function createMoney(db: MigrationDatabase, dialect: DialectName): Promise<void> {
  await new TableMaker(db, dialect, 'holds')
    .requiredText('id')
    .requiredIntegers('user_id')
    .integers('token_id')
    .requiredText('node_id')
    .requiredIntegers('epoch', 'amount', 'created_at', 'expires_at')
    .flags('dispatched')
    .amounts('checkpoint_quota')
    .textWith('checkpoint', '{}')
    .textWith('snapshot', '{}')
    .check('amount_range', `amount between 0 and ${LARGEST_AMOUNT}`)
    .primaryKey('id')
    .create();
  await index(db, 'holds', ['node_id', 'epoch']);
  await index(db, 'holds', ['user_id']);

  await new TableMaker(db, dialect, 'ledger')
    .id()
    .uniqueText('idem')
    .requiredIntegers('created_at')
    .integers('user_id')
    .requiredText('debit_account', 'credit_account')
    .requiredIntegers('amount')
    .requiredText('kind')
    .text('reference')
    .check('amount_range', `amount between 1 and ${LARGEST_AMOUNT}`)
    .check('two_accounts', 'debit_account <> credit_account')
    .create();
  await index(db, 'ledger', ['user_id']);
  await appendOnly(db, dialect, 'ledger');

  await new TableMaker(db, dialect, 'orders')
    .id()
    .uniqueText('trade_no')
    .requiredIntegers('user_id')
    .requiredText('provider')
    .text('payment_method')
    .requiredIntegers('amount_minor')
    .requiredText('currency')
    .real('amount')
    .requiredIntegers('quota')
    .oneOf('status', ['pending', 'paid', 'expired', 'refunded'], 'pending')
    .text('provider_reference')
    .requiredIntegers('created_at')
    .integers('paid_at', 'expires_at')
    .textWith('detail', '{}')
    .check('amount_minor_range', `amount_minor between 0 and ${LARGEST_AMOUNT}`)
    .check('quota_range', `quota between 0 and ${LARGEST_AMOUNT}`)
    .create();
  await index(db, 'orders', ['user_id', 'id']);
  await index(db, 'orders', ['status', 'expires_at']);

  await new TableMaker(db, dialect, 'redemptions')
    .id()
    .integers('user_id')
    .uniqueText('key_digest')
    .text('key_sealed', 'name')
    .oneOf('status', [1, 2, 3], 1)
    .amounts('quota')
    .integers('created_time', 'redeemed_time', 'used_user_id')
    .text('batch')
    .integers('expired_time')
    .nullableIntegers('deleted_at')
    .create();
  await index(db, 'redemptions', ['used_user_id']);
}
