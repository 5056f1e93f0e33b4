// Prices of outside lists that wait for an operator's decision.
import { index, TableMaker, type Migration } from './migration.ts';

export const priceProposals: Migration = {
  name: '0068-price-proposals',
  async up(db, dialect) {
    await new TableMaker(db, dialect, 'price_proposals')
      .id()
      .oneOf('status', ['open', 'accepted', 'refused', 'replaced'], 'open')
      .requiredIntegers('created_at')
      .integers('decided_at', 'decided_by', 'draft_id')
      .requiredText('model', 'origin', 'shape', 'listed')
      .create();
    await index(db, 'price_proposals', ['status', 'id']);
    await index(db, 'price_proposals', ['model', 'origin']);
  },
};
