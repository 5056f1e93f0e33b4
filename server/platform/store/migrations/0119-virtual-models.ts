// Names that callers use for one of several models (docs/adr/0119-a-virtual-model-is-an-ordered-list-of-targets.md).
import { TableMaker, type Migration } from './migration.ts';

export const virtualModels: Migration = {
  name: '0119-virtual-models',
  async up(db, dialect) {
    await new TableMaker(db, dialect, 'virtual_models')
      .id()
      .uniqueText('name')
      .text('description')
      .flag('enabled', 1)
      .oneOf('price', ['answered', 'own'], 'answered')
      .oneOf('body_model', ['asked', 'answered'], 'asked')
      .flags('replaces_model')
      .requiredText('targets')
      .requiredIntegers('created_at', 'updated_at')
      .create();
  },
};
