// People and how they sign in.
import {
  index,
  TableMaker,
  uniqueIgnoringCase,
  uniqueWhere,
  type DialectName,
  type MigrationDatabase,
} from '#server/platform/store/migrations/migration.ts';

const externalIds = ['github_id', 'wechat_id', 'telegram_id', 'linux_do_id', 'oidc_id'];

export async function createAccounts(db: MigrationDatabase, dialect: DialectName): Promise<void> {
  await new TableMaker(db, dialect, 'users')
    .id()
    .requiredText('username')
    .text('password_hash')
    .flags('password_is_initial')
    .text('display_name')
    .oneOf('role', [1, 10, 100], 1)
    .oneOf('status', [1, 2, 3], 1)
    .text('email', ...externalIds)
    .textWith('group', 'default')
    .amounts('quota', 'held_quota', 'used_quota', 'request_count')
    .uniqueText('aff_code')
    .amounts('aff_count', 'aff_quota', 'aff_history_quota')
    .integers('inviter_id')
    .nullableUniqueText('access_token_digest')
    .integer('auth_version', 1)
    .integers('created_at', 'last_login_at')
    .nullableIntegers('deleted_at')
    .textWith('setting', '{}')
    .text('suspended_reason')
    .integers('low_balance_mail_at')
    .amounts('requests_per_minute', 'tokens_per_minute', 'concurrent_calls', 'day_budget', 'month_budget')
    .check('held_within_quota', 'held_quota <= quota')
    .create();
  await uniqueIgnoringCase(db, 'users', 'username');
  await index(db, 'users', ['email']);
  await index(db, 'users', ['inviter_id']);
  // One account per external identity; a deleted account frees it.
  for (const id of externalIds) await uniqueWhere(db, 'users', id, `"${id}" <> '' and deleted_at is null`);

  await new TableMaker(db, dialect, 'sessions')
    .requiredText('id_digest')
    .integers('user_id')
    .integer('auth_version', 1)
    .requiredIntegers('created_at', 'seen_at', 'expires_at')
    .text('ip', 'user_agent')
    .textWith('flow', '{}')
    .primaryKey('id_digest')
    .create();
  await index(db, 'sessions', ['user_id']);
  await index(db, 'sessions', ['expires_at']);

  await new TableMaker(db, dialect, 'verification_codes')
    .id()
    .requiredText('purpose', 'subject', 'code_digest')
    .requiredIntegers('created_at', 'expires_at')
    .integers('tries', 'used_at')
    .create();
  await index(db, 'verification_codes', ['purpose', 'subject']);

  await new TableMaker(db, dialect, 'totp_secrets')
    .requiredIntegers('user_id')
    .requiredText('secret_sealed')
    .integers('last_step', 'enabled_at')
    .primaryKey('user_id')
    .create();

  await new TableMaker(db, dialect, 'recovery_codes')
    .id()
    .requiredIntegers('user_id')
    .requiredText('code_digest')
    .integers('used_at')
    .create();
  await index(db, 'recovery_codes', ['user_id']);

  await new TableMaker(db, dialect, 'passkeys')
    .id()
    .requiredIntegers('user_id')
    .uniqueText('credential_id')
    .requiredText('public_key')
    .integers('counter')
    .text('name')
    .requiredIntegers('created_at')
    .integers('last_used_at')
    .create();
  await index(db, 'passkeys', ['user_id']);
}
