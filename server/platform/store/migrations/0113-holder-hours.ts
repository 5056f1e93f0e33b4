// Figures of organizations by hour and by whom and what the calls were for, and once more for each tag of a call.
import { TableMaker, type Migration } from './migration.ts';

export const holderHours: Migration = {
  name: '0113-holder-hours',
  async up(db, dialect) {
    await new TableMaker(db, dialect, 'holder_hours')
      .requiredIntegers('user_id')
      .text('tag_key')
      .requiredIntegers('hour')
      .text('tag_value')
      .integers('member_id', 'service_account_id', 'project_id', 'token_id')
      .text('model_name')
      .integers('count', 'quota', 'prompt_tokens', 'completion_tokens', 'error_count')
      .primaryKey(
        'user_id',
        'tag_key',
        'hour',
        'tag_value',
        'member_id',
        'service_account_id',
        'project_id',
        'token_id',
        'model_name',
      )
      .create();
  },
};
