// Calls that were refused before any attempt, counted by minute, user, token, model and reason: a flood adds few rows.
import { index, TableMaker, type Migration } from './migration.ts';

export const refusedCalls: Migration = {
  name: '0053-refused-calls',
  async up(db, dialect) {
    await new TableMaker(db, dialect, 'refused_calls')
      .id()
      .requiredIntegers('minute', 'user_id', 'token_id')
      .requiredText('code', 'group', 'model_name')
      .text('ip', 'request_ids')
      .integers('count')
      .create();
    await index(db, 'refused_calls', ['minute', 'user_id', 'token_id', 'code', 'group', 'model_name'], true);
    await index(db, 'refused_calls', ['user_id', 'minute']);
  },
};
