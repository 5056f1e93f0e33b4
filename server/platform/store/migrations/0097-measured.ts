// Calls of each model by minute and hour: answered, failed, refused, and how fast; and incidents with their lines.
import { index, TableMaker, type Migration } from './migration.ts';

/** Classes of the two histograms, see server/admin/measured/histogram.ts. */
const classes = (name: string) => Array.from({ length: 24 }, (_, at) => `${name}_${at}`);

export const measured: Migration = {
  name: '0097-measured',
  async up(db, dialect) {
    await new TableMaker(db, dialect, 'measured_cells')
      .requiredIntegers('seconds', 'start')
      .requiredText('model_name')
      .integers('answered', 'failed', 'refused', ...classes('first'), ...classes('speed'))
      .primaryKey('seconds', 'start', 'model_name')
      .create();
    await index(db, 'measured_cells', ['model_name', 'seconds', 'start']);
    for (const name of ['measured', 'refusals'])
      await db.insertInto('usage_positions').values({ name, position: 0 }).execute();

    await new TableMaker(db, dialect, 'incidents')
      .id()
      .oneOf('kind', ['measured', 'operator'], 'operator')
      .text('title_zh', 'title_en', 'models')
      .requiredIntegers('begun_at')
      .integers('ended_at', 'refused', 'created_at', 'updated_at')
      // What a job found; blank for those that operators wrote.
      .nullableUniqueText('fact')
      .create();
    await index(db, 'incidents', ['begun_at']);

    await new TableMaker(db, dialect, 'incident_lines')
      .id()
      .requiredIntegers('incident_id', 'at')
      .oneOf('source', ['measured', 'operator'], 'operator')
      .text('code', 'text_zh', 'text_en')
      .create();
    await index(db, 'incident_lines', ['incident_id', 'at']);
  },
};
