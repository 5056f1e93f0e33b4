// What was brought from another gateway, and the configuration files that were applied.
import { TableMaker, type Migration } from './migration.ts';

export const moving: Migration = {
  name: '0060-moving',
  async up(db, dialect) {
    await new TableMaker(db, dialect, 'imports')
      .id()
      .uniqueText('name')
      .requiredText('family', 'source_units', 'own_units')
      .requiredIntegers('created_at')
      .integers('finished_at', 'log_position')
      .flag('into_empty', 0)
      .create();

    await new TableMaker(db, dialect, 'imported_rows')
      .requiredIntegers('import_id', 'row_id')
      .requiredText('kind', 'source_id')
      .primaryKey('import_id', 'kind', 'source_id')
      .create();

    await new TableMaker(db, dialect, 'applied_configurations')
      .id()
      .requiredIntegers('applied_at')
      .requiredText('hash', 'document')
      .text('file')
      .create();
  },
};
