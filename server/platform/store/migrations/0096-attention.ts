// Items of the overview that a person does not want to see until they change.
import { TableMaker, type Migration } from './migration.ts';

export const attentionSnoozes: Migration = {
  name: '0096-attention',
  async up(db, dialect) {
    await new TableMaker(db, dialect, 'attention_snoozes')
      .requiredIntegers('user_id')
      .requiredText('item', 'mark')
      .integers('created_at')
      .primaryKey('user_id', 'item')
      .create();
  },
};
