// Sums of margins of days and weeks that are over, from which the margins page is read, and indexes for its other questions.
import { sql } from 'kysely';
import { onlineIndex, type Migration } from './migration.ts';

export const marginSums: Migration = {
  name: '0076-margin-sums',
  isOnline: true,
  async up(db, dialect) {
    const integer = dialect === 'sqlite' ? 'integer' : 'bigint';
    const column = (name: string) => `"${name}" ${integer} not null default 0`;
    const table = async (name: string, columns: readonly string[], key: string) => {
      // Read by ranges of the key: in SQLite the rows lie in its order.
      const end = dialect === 'sqlite' ? ' strict, without rowid' : '';
      const text = [...columns, `constraint "${name}_primary" primary key (${key})`].join(', ');
      await sql.raw(`create table if not exists "${name}" (${text})${end}`).execute(db);
    };
    await table(
      'margin_sums',
      [
        '"kind" text not null',
        `"days" ${integer} not null`,
        `"day" ${integer} not null`,
        column('channel_id'),
        `"model_name" text not null default ''`,
        `"group" text not null default ''`,
        ...['user_id', 'count', 'quota', 'cost', 'costed_count', 'costed_quota'].map(column),
      ],
      '"kind", "days", "day", "channel_id", "model_name", "group", "user_id"',
    );
    await table(
      'margin_summed',
      [
        `"days" ${integer} not null`,
        `"day" ${integer} not null`,
        column('changes'),
        `${column('is_summed')} check ("is_summed" in (0, 1))`,
      ],
      '"days", "day"',
    );
    for (const name of ['user_id', 'model_name'])
      await onlineIndex(db, dialect, {
        table: 'margin_days',
        name: `margin_days_${name}_day`,
        on: `("${name}", "day")`,
      });
  },
};
