// Bills of suppliers and their comparison with the log, kept because log rows are removed after a while.
import { TableMaker, type Migration } from './migration.ts';

export const supplierBills: Migration = {
  name: '0073-supplier-bills',
  async up(db, dialect) {
    await new TableMaker(db, dialect, 'supplier_bills')
      .id()
      .requiredIntegers('created_at', 'created_by')
      .requiredText('name', 'shape', 'mapping', 'channel_ids', 'totals')
      .create();
    await new TableMaker(db, dialect, 'supplier_bill_lines')
      .requiredIntegers('bill_id', 'line')
      .requiredText('comparison')
      .primaryKey('bill_id', 'line')
      .create();
  },
};
