// Conversations of the Responses API with their items, and short-lived secrets for realtime sessions.
import { index, TableMaker, type Migration } from './migration.ts';

export const conversations: Migration = {
  name: '0092-conversations',
  async up(db, dialect) {
    await new TableMaker(db, dialect, 'conversations')
      .requiredText('id')
      .requiredIntegers('user_id', 'created_at', 'expires_at')
      .integers('channel_id', 'bytes', 'items')
      .text('metadata')
      .primaryKey('id')
      .create();
    await index(db, 'conversations', ['user_id']);
    await index(db, 'conversations', ['expires_at']);
    await new TableMaker(db, dialect, 'conversation_items')
      .id()
      .requiredText('conversation_id', 'item_id', 'item')
      .create();
    await index(db, 'conversation_items', ['conversation_id', 'item_id'], true);
    await new TableMaker(db, dialect, 'realtime_secrets')
      .requiredText('digest', 'model')
      .requiredIntegers('user_id', 'token_id', 'created_at', 'expires_at')
      .text('session')
      .primaryKey('digest')
      .create();
    await index(db, 'realtime_secrets', ['user_id']);
    await index(db, 'realtime_secrets', ['expires_at']);
  },
};
