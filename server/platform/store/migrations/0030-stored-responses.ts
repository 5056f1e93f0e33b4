// Conversations that a call may go on with by the id of the last answer, for as long as they are kept.
import { index, TableMaker, type Migration } from './migration.ts';

export const storedResponses: Migration = {
  name: '0030-stored-responses',
  async up(db, dialect) {
    await new TableMaker(db, dialect, 'stored_responses')
      .requiredText('id')
      .requiredIntegers('user_id', 'channel_id', 'created_at', 'expires_at')
      .text('items')
      .primaryKey('id')
      .create();
    await index(db, 'stored_responses', ['expires_at']);
  },
};
