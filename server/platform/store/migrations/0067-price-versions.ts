// Prices with a history: every set of prices that was ever in force, and drafts of the next one.
import { appendOnly, index, TableMaker, type Migration } from './migration.ts';

export const priceVersions: Migration = {
  name: '0067-price-versions',
  async up(db, dialect) {
    await new TableMaker(db, dialect, 'price_versions')
      .id()
      .requiredIntegers('effective_at')
      .integers('created_by', 'draft_id')
      .requiredText('source', 'prices')
      .text('list', 'reason')
      .create();
    await index(db, 'price_versions', ['effective_at']);
    await appendOnly(db, dialect, 'price_versions');

    await new TableMaker(db, dialect, 'price_drafts')
      .id()
      .oneOf('status', ['draft', 'scheduled', 'published', 'withdrawn'], 'draft')
      .requiredIntegers('based_on', 'created_at', 'updated_at')
      .integers('revision', 'created_by', 'updated_by', 'publish_at', 'version_id')
      .requiredText('prices')
      .text('source', 'reason', 'error')
      .create();
    await index(db, 'price_drafts', ['status', 'publish_at']);
  },
};
