// How long the calls of organizations took, by their holder, so that the dashboard of a member reads what they used with the keys that
// they had then. Hours before the upgrade get the durations of their log rows; where those were cleaned away, and by tag, they stay 0.
import { sql } from 'kysely';
import { HOUR_SECONDS } from '#contract/time.ts';
import type { Migration } from './migration.ts';

const KEYS = ['user_id', 'hour', 'member_id', 'service_account_id', 'project_id', 'token_id', 'model_name'];
const FIGURES = ['use_time_ms', 'first_token_ms'];

export const holderDurations: Migration = {
  name: '0120-holder-durations',
  async up(db, dialect) {
    for (const name of FIGURES)
      await db.schema
        .alterTable('holder_hours')
        .addColumn(name, sql.raw(dialect === 'sqlite' ? 'integer' : 'bigint'), (column) =>
          column.notNull().defaultTo(0),
        )
        .execute();
    const field = (name: string) =>
      dialect === 'sqlite'
        ? sql`json_extract(nullif(other, ''), ${sql.lit(`$.${name}`)})`
        : sql`cast(cast(nullif(other, '') as json) ->> ${sql.lit(name)} as double precision)`;
    // Of a call without a first token it is negative.
    const first = sql`case when ${field('frt')} > 0 then ${field('frt')} else 0 end`;
    const list = (of: string) => sql.join(KEYS.map((name) => sql.ref(`${of}.${name}`)));
    await sql`update holder_hours set use_time_ms = coalesce(spent.use_time_ms, 0), first_token_ms = coalesce(spent.first_token_ms, 0)
      from (select ${list('calls')}, cast(sum(use_ms) as bigint) as use_time_ms, cast(sum(first_ms) as bigint) as first_token_ms
        from (select user_id, created_at - created_at % ${sql.lit(HOUR_SECONDS)} as hour, member_id, service_account_id, project_id,
            token_id, model_name, coalesce(${field('use_ms')}, use_time * 1000) as use_ms, ${first} as first_ms
          from logs where type in (2, 5) and user_id in (select id from organizations)) calls
        group by ${list('calls')}) spent
      where holder_hours.tag_key = '' and ${sql.join(
        KEYS.map((name) => sql`${sql.ref(`holder_hours.${name}`)} = ${sql.ref(`spent.${name}`)}`),
        sql` and `,
      )}`.execute(db);
  },
};
