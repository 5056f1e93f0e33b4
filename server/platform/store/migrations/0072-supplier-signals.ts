// Counts of sampled answers by day, the scores made of them, and the probes.
import { index, TableMaker, type Migration } from './migration.ts';

export const supplierSignals: Migration = {
  name: '0072-supplier-signals',
  async up(db, dialect) {
    await new TableMaker(db, dialect, 'supplier_counts')
      .requiredIntegers('day', 'channel_id')
      .requiredText('model')
      .requiredIntegers('user_group')
      .requiredText('node_id', 'counts')
      .primaryKey('day', 'channel_id', 'model', 'user_group', 'node_id')
      .create();
    await new TableMaker(db, dialect, 'supplier_scores')
      .requiredIntegers('channel_id')
      .flags('is_trusted')
      .nullableIntegers('score')
      .integers('answers', 'computed_at', 'alerted_at')
      .textWith('models', '[]')
      .primaryKey('channel_id')
      .create();
    await new TableMaker(db, dialect, 'supplier_probes')
      .id()
      .requiredIntegers('created_at', 'channel_id')
      .requiredText('model', 'question', 'answer', 'expected', 'verdict')
      .amounts('cost')
      .create();
    await index(db, 'supplier_probes', ['channel_id', 'id']);
    await index(db, 'supplier_probes', ['created_at']);
  },
};
