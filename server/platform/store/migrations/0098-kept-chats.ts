// Conversations of the playground that their owner keeps on the server, and links that show one. Their texts are sealed.
import { index, TableMaker, type Migration } from './migration.ts';

export const keptChats: Migration = {
  name: '0098-kept-chats',
  async up(db, dialect) {
    await new TableMaker(db, dialect, 'kept_chats')
      .requiredText('id')
      .requiredIntegers('user_id', 'created_at', 'updated_at', 'revision')
      .requiredText('head', 'content')
      .primaryKey('user_id', 'id')
      .create();
    await new TableMaker(db, dialect, 'chat_shares')
      .id()
      .uniqueText('digest')
      .requiredIntegers('user_id', 'created_at')
      .requiredText('chat_id', 'head', 'content')
      .create();
    await index(db, 'chat_shares', ['user_id']);
  },
};
