// ClickHouse by its HTTP interface. Rows that come twice have the same key; the engine keeps the last of them.
import { COLUMNS, linesOf, type LogRow } from './records.ts';
import { post, type ExportTarget, type TargetParts } from './target.ts';

const ROWS_PER_BATCH = 2000;
const EVERY_SECONDS = 10;

export function clickHouse(parts: TargetParts): ExportTarget {
  const table = (): string => {
    const names = parts.settings().LogExportName.split('.');
    if (names.length > 2 || !names.every((name) => /^[A-Za-z_]\w{0,63}$/.test(name)))
      throw new Error('the name of the table must be letters, digits and underscores, or database.table');
    return names.map(quoted).join('.');
  };
  const ask = async (query: string, body: string, more: Record<string, string> = {}): Promise<void> => {
    const { LogExportUrl, LogExportUser, LogExportSecret } = parts.settings();
    const url = new URL(LogExportUrl);
    for (const [name, value] of Object.entries({ query, ...more })) url.searchParams.set(name, value);
    await post(parts, url.href, body, {
      'X-ClickHouse-User': LogExportUser === '' ? 'default' : LogExportUser,
      'X-ClickHouse-Key': LogExportSecret,
    });
  };
  return {
    rowsPerBatch: ROWS_PER_BATCH,
    everySeconds: EVERY_SECONDS,
    async prepare() {
      for (const statement of schemaOf(table())) await ask(statement, '');
    },
    async send({ rows, name }) {
      const query = `INSERT INTO ${table()} (${Object.keys(COLUMNS).map(quoted).join(', ')}) FORMAT JSONEachRow`;
      await ask(query, linesOf(rows satisfies readonly LogRow[]), { insert_deduplication_token: name });
    },
  };
}

const quoted = (name: string): string => `\`${name}\``;

/** Makes the table, and adds the columns that a table of an older version lacks. */
export function schemaOf(table: string): string[] {
  const columns = Object.entries(COLUMNS).map(([name, type]) => `${quoted(name)} ${type}`);
  const create =
    `CREATE TABLE IF NOT EXISTS ${table} (${columns.join(', ')}) ENGINE = ReplacingMergeTree ` +
    'PARTITION BY toYYYYMM(created_at) ORDER BY (created_at, id)';
  const added = columns.filter((column) => !/^`(id|created_at)`/.test(column));
  return [
    create,
    `ALTER TABLE ${table} ${added.map((column) => `ADD COLUMN IF NOT EXISTS ${column}`).join(', ')}`,
  ];
}
