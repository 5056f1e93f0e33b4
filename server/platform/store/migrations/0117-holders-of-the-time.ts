// Figures of organizations by the holder of the time: the cells of the usage reports once more by member, service account and project,
// summed from the first log row of an organization on, and refused calls with the holder that their key had.
import { sql } from 'kysely';
import { TableMaker, type Migration } from './migration.ts';

const HOLDER = ['member_id', 'service_account_id', 'project_id'];

export const holdersOfTheTime: Migration = {
  name: '0117-holders-of-the-time',
  async up(db, dialect) {
    await new TableMaker(db, dialect, 'holder_cells')
      .requiredIntegers('user_id', 'seconds', 'start', ...HOLDER, 'token_id')
      .requiredText('model_name', 'kind', 'tier')
      .requiredIntegers('long_context')
      .integers(
        'calls',
        'input',
        'cache_read',
        'cache_write_5m',
        'cache_write_1h',
        'image_input',
        'audio_input',
      )
      .integers('output', 'audio_output', 'pieces', 'web_searches')
      .primaryKey(
        'user_id',
        'seconds',
        'start',
        ...HOLDER,
        'token_id',
        'model_name',
        'kind',
        'tier',
        'long_context',
      )
      .create();
    // Without an organization there is nothing to sum before the rows that come now.
    await sql`insert into usage_positions (name, position) select 'holder_cells', coalesce(
      (select min(id) - 1 from logs where user_id in (select id from organizations)),
      (select position from usage_positions where name = 'cells'))`.execute(db);

    for (const name of HOLDER)
      await db.schema
        .alterTable('refused_calls')
        .addColumn(name, sql.raw(dialect === 'sqlite' ? 'integer' : 'bigint'), (column) =>
          column.notNull().defaultTo(0),
        )
        .execute();
    // The holder of today is the best that is known of earlier ones.
    const ofToken = (name: string) =>
      sql`(select ${sql.ref(name)} from tokens where tokens.id = refused_calls.token_id)`;
    await sql`update refused_calls set ${sql.join(HOLDER.map((name) => sql`${sql.ref(name)} = ${ofToken(name)}`))}
      where user_id in (select id from organizations)
        and exists (select 1 from tokens where tokens.id = refused_calls.token_id)`.execute(db);
    await db.schema.dropIndex('refused_calls_minute_user_id_token_id_code_group_model_name').execute();
    const counted = ['minute', 'user_id', 'token_id', 'code', 'group', 'model_name', ...HOLDER];
    await db.schema
      .createIndex('refused_calls_counted')
      .unique()
      .on('refused_calls')
      .columns(counted)
      .execute();
  },
};
