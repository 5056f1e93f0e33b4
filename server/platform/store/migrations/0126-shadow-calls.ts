// Shadow calls (docs/adr/0124-a-share-of-calls-is-copied-after-the-answer.md): what is compared, the samples with their sealed texts, what
// the copies cost and how much of each daily limit is used, and what users say about copies of their calls.
import { sql } from 'kysely';
import { index, TableMaker, type Migration } from './migration.ts';

const SIDE = ['first_token_ms', 'time_ms', 'prompt_tokens', 'completion_tokens'];

export const shadowCalls: Migration = {
  name: '0126-shadow-calls',
  async up(db, dialect) {
    const integer = dialect === 'sqlite' ? 'integer' : 'bigint';
    await sql
      .raw(
        `alter table users add column shadow_consent ${integer} not null default 0 check (shadow_consent in (0, 1, 2))`,
      )
      .execute(db);
    await new TableMaker(db, dialect, 'shadows')
      .id()
      .uniqueText('name')
      .flag('enabled', 1)
      .requiredText('model', 'target_model', 'rules')
      .requiredIntegers('created_at', 'updated_at')
      .create();
    await new TableMaker(db, dialect, 'shadow_samples')
      .id()
      .requiredIntegers('shadow_id')
      .requiredText('request_id')
      .requiredIntegers('user_id', 'created_at')
      .requiredText('group')
      .flags('is_stream')
      .requiredText('model')
      .requiredIntegers('channel_id')
      .integers(...SIDE)
      .nullableIntegers('cost')
      .requiredText('ending', 'copy_model')
      .requiredIntegers('copy_channel_id')
      .integers(...SIDE.map((name) => `copy_${name}`))
      .nullableIntegers('copy_cost')
      .requiredText('copy_ending', 'texts')
      .create();
    await index(db, 'shadow_samples', ['shadow_id', 'id']);
    await index(db, 'shadow_samples', ['user_id']);
    await new TableMaker(db, dialect, 'shadow_hours')
      .requiredIntegers('hour', 'channel_id')
      .requiredText('model_name', 'group')
      .requiredIntegers('user_id')
      .integers('count', 'cost', 'costed_count')
      .primaryKey('hour', 'channel_id', 'model_name', 'group', 'user_id')
      .create();
    await new TableMaker(db, dialect, 'shadow_days')
      .requiredIntegers('day', 'shadow_id')
      .integers('spent')
      .primaryKey('day', 'shadow_id')
      .create();
    await new TableMaker(db, dialect, 'shadow_counts')
      .requiredIntegers('shadow_id')
      .integers('kept', 'made', 'failed', 'busy', 'no_channel', 'no_price', 'money', 'full', 'too_long')
      .primaryKey('shadow_id')
      .create();
  },
};
