// Settings, nodes, leases, mail, the audit trail, and the proof of the master key.
import {
  appendOnly,
  index,
  TableMaker,
  type DialectName,
  type MigrationDatabase,
} from '#server/platform/store/migrations/migration.ts';

export async function createOperations(db: MigrationDatabase, dialect: DialectName): Promise<void> {
  await new TableMaker(db, dialect, 'options')
    .requiredText('key')
    .text('value')
    .integers('updated_at')
    .primaryKey('key')
    .create();

  await new TableMaker(db, dialect, 'option_history')
    .id()
    .requiredText('key')
    .text('old_value', 'new_value')
    .integers('actor_id', 'created_at')
    .create();
  await index(db, 'option_history', ['key', 'id']);

  await new TableMaker(db, dialect, 'nodes')
    .requiredText('id')
    .requiredIntegers('epoch', 'heartbeat_at', 'started_at')
    .text('host', 'version')
    .primaryKey('id')
    .create();

  await new TableMaker(db, dialect, 'leases')
    .requiredText('name', 'node_id')
    .requiredIntegers('epoch', 'expires_at')
    .primaryKey('name')
    .create();

  await new TableMaker(db, dialect, 'changes')
    .requiredText('topic')
    .integers('version')
    .primaryKey('topic')
    .create();

  await new TableMaker(db, dialect, 'audit')
    .id()
    .requiredIntegers('created_at')
    .integers('actor_id')
    .text('actor_name', 'ip')
    .requiredText('action')
    .text('target')
    .textWith('before', '{}')
    .textWith('after', '{}')
    .text('request_id', 'previous_hash')
    .requiredText('hash')
    .create();
  await index(db, 'audit', ['created_at']);
  await index(db, 'audit', ['actor_id']);
  await appendOnly(db, dialect, 'audit');

  await new TableMaker(db, dialect, 'mails')
    .id()
    .requiredIntegers('created_at')
    .requiredText('recipient')
    .text('subject', 'body')
    .textWith('status', 'pending')
    .integers('tries', 'next_try_at')
    .text('error')
    .nullableUniqueText('dedupe_key')
    .create();
  await index(db, 'mails', ['status', 'next_try_at']);

  // A known text sealed with the master key of the first start: a later start with another key fails to open it.
  await new TableMaker(db, dialect, 'vault_sentinel')
    .requiredIntegers('id')
    .requiredText('sealed')
    .primaryKey('id')
    .create();
}
