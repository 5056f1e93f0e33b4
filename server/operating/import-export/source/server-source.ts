// A MySQL, MariaDB or PostgreSQL server as a source, by the client of the platform.
import { SQL } from 'bun';
import { SourceError, type Source, type SourceRow } from './source.ts';

export const isServerAddress = (text: string): boolean => /^(mysql2?|mariadb|postgres(ql)?):\/\//.test(text);

export async function openServerSource(address: string): Promise<Source> {
  if (!URL.canParse(address)) throw new SourceError('the address of the database is not a URL.');
  const url = new URL(address);
  const isPostgres = url.protocol.startsWith('postgres');
  const quoted = isPostgres
    ? (name: string) => `"${name.replaceAll('"', '""')}"`
    : (name: string) => `\`${name.replaceAll('`', '``')}\``;
  // A statement that changes something is refused by the server.
  const readOnly = isPostgres
    ? 'set default_transaction_read_only = on'
    : 'set session transaction read only';
  const schema = isPostgres ? 'current_schema()' : 'database()';
  const sql = new SQL({ url: address, max: 1, bigint: true });
  const ask = async (text: string): Promise<SourceRow[]> => [...(await sql.unsafe(text))] as SourceRow[];
  const label = `${url.protocol}//${url.host}${url.pathname}`;
  try {
    await ask(readOnly);
  } catch (error) {
    await sql.close();
    const reason = error instanceof Error ? error.message : String(error);
    throw new SourceError(`${label} cannot be read: ${reason}`, { cause: error });
  }
  const columns = async (table: string): Promise<ReadonlySet<string>> => {
    const rows = await ask(`select column_name as name from information_schema.columns
      where table_schema = ${schema} and table_name = '${table.replaceAll("'", "''")}'`);
    return new Set(rows.map(({ name }) => String(name)));
  };
  return {
    label,
    columns,
    async count(table) {
      if ((await columns(table)).size === 0) return 0;
      const [row] = await ask(`select count(*) as total from ${quoted(table)}`);
      return Number(row?.['total'] ?? 0);
    },
    page: (table, after, limit) =>
      ask(`select * from ${quoted(table)} where id > ${after} order by id limit ${limit}`),
    all: (table) => ask(`select * from ${quoted(table)}`),
    close: () => sql.close(),
  };
}
