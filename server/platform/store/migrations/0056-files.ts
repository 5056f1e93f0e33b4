// Files that callers uploaded to a channel's upstream, and files that a batch left there.
import { index, TableMaker, type Migration } from './migration.ts';

export const files: Migration = {
  name: '0056-files',
  async up(db, dialect) {
    await new TableMaker(db, dialect, 'files')
      .id()
      .uniqueText('file_id')
      .requiredIntegers('user_id', 'token_id', 'channel_id')
      .requiredText('upstream_id', 'purpose', 'filename')
      .amounts('bytes')
      .requiredIntegers('created_at')
      .integers('expires_at', 'task_id')
      .text('model', 'batch')
      .create();
    // Of two nodes that see the output of a batch only one writes its row.
    await index(db, 'files', ['channel_id', 'upstream_id'], true);
    await index(db, 'files', ['user_id', 'id']);
  },
};
