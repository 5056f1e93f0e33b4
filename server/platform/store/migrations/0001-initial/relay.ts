// What a relayed call reads and leaves behind: tokens, channels, logs, asynchronous tasks.
import {
  index,
  TableMaker,
  type DialectName,
  type MigrationDatabase,
} from '#server/platform/store/migrations/migration.ts';

export async function createRelay(db: MigrationDatabase, dialect: DialectName): Promise<void> {
  await new TableMaker(db, dialect, 'tokens')
    .id()
    .requiredIntegers('user_id')
    .text('name')
    .uniqueText('key_digest')
    .text('key_sealed', 'key_hint')
    .oneOf('status', [1, 2, 3, 4], 1)
    .amounts('remain_quota', 'held_quota')
    .flags('unlimited_quota')
    .amounts('used_quota')
    .integers('created_time', 'accessed_time')
    .integer('expired_time', -1)
    .flags('model_limits_enabled')
    .text('model_limits', 'allow_ips', 'deny_ips', 'group')
    .amounts('requests_per_minute', 'tokens_per_minute', 'concurrent_calls')
    .text('rate_limit_message')
    .amounts('day_budget', 'month_budget')
    .text('mj_mode', 'mj_image_proxy', 'mj_backup_pool')
    .nullableIntegers('deleted_at')
    .create();
  await index(db, 'tokens', ['user_id', 'id']);

  await new TableMaker(db, dialect, 'channels')
    .id()
    .text('name')
    .integers('type')
    .text('key_sealed', 'key_digest', 'key_hint', 'base_url', 'other', 'models')
    .textWith('group', 'default')
    .text('model_mapping')
    .nullableText('tag')
    .integers('priority', 'weight')
    .text('setting', 'openai_organization', 'test_model')
    .flag('auto_ban', 1)
    .text('status_code_mapping')
    .oneOf('status', [1, 2, 3], 1)
    .integers('response_time')
    .amounts('used_quota')
    .real('balance')
    .integers('balance_updated_time', 'test_time', 'created_time')
    .text('other_info', 'param_override', 'header_override')
    .amounts('max_concurrency')
    .nullableIntegers('deleted_at')
    .create();
  await index(db, 'channels', ['tag']);
  await index(db, 'channels', ['key_digest']);

  await new TableMaker(db, dialect, 'abilities')
    .requiredText('group', 'model')
    .requiredIntegers('channel_id')
    .flag('enabled', 1)
    .integers('priority', 'weight')
    .nullableText('tag')
    .primaryKey('group', 'model', 'channel_id')
    .create();
  await index(db, 'abilities', ['channel_id']);

  await createUsage(db, dialect);
  await createTasks(db, dialect);
}

async function createUsage(db: MigrationDatabase, dialect: DialectName): Promise<void> {
  await new TableMaker(db, dialect, 'logs')
    .id()
    .requiredIntegers('created_at')
    .text('request_id')
    .integers('type', 'user_id')
    .text('username')
    .integers('token_id')
    .text('token_name', 'model_name', 'upstream_model')
    .integers('channel_id')
    .text('channel_name', 'group')
    .integers('prompt_tokens', 'completion_tokens', 'quota', 'use_time')
    .flags('is_stream', 'estimated')
    .text('ip', 'content')
    .textWith('other', '{}')
    .create();
  await index(db, 'logs', ['user_id', 'created_at']);
  await index(db, 'logs', ['created_at']);
  await index(db, 'logs', ['request_id']);

  await new TableMaker(db, dialect, 'usage_hours')
    .requiredIntegers('hour', 'user_id', 'token_id', 'channel_id')
    .requiredText('model_name')
    .integers(
      'count',
      'quota',
      'prompt_tokens',
      'completion_tokens',
      'error_count',
      'use_time_ms',
      'first_token_ms',
    )
    .primaryKey('hour', 'user_id', 'token_id', 'channel_id', 'model_name')
    .create();
  await index(db, 'usage_hours', ['user_id', 'hour']);
  await index(db, 'usage_hours', ['token_id', 'hour']);

  await new TableMaker(db, dialect, 'limit_windows')
    .requiredText('scope')
    .requiredIntegers('window_start')
    .amounts('used')
    .primaryKey('scope', 'window_start')
    .create();
}

async function createTasks(db: MigrationDatabase, dialect: DialectName): Promise<void> {
  await new TableMaker(db, dialect, 'midjourneys')
    .id()
    .requiredIntegers('user_id')
    .integers('token_id', 'channel_id', 'code')
    .text('action', 'mj_id', 'prompt', 'prompt_en', 'description', 'state')
    .integers('submit_time', 'start_time', 'finish_time')
    .text('image_url', 'status', 'progress', 'fail_reason')
    .amounts('quota')
    .text('properties', 'buttons')
    .create();
  await index(db, 'midjourneys', ['mj_id']);
  await index(db, 'midjourneys', ['user_id', 'id']);

  await new TableMaker(db, dialect, 'tasks')
    .id()
    .requiredIntegers('user_id')
    .integers('token_id', 'channel_id')
    .text('platform', 'action', 'task_id', 'status', 'progress', 'fail_reason')
    .integers('submit_time', 'start_time', 'finish_time')
    .amounts('quota')
    .text('properties', 'data')
    .requiredIntegers('created_at')
    .integers('updated_at')
    .text('group')
    .create();
  await index(db, 'tasks', ['task_id']);
  await index(db, 'tasks', ['user_id', 'id']);
}
