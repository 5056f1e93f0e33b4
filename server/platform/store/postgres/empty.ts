// Whether a database has no tables yet: a restore must never write over one that is in use.
import { Pool } from 'pg';
import { reach } from './open.ts';
import { CONNECT_TIMEOUT_MS } from './pool.ts';

export async function isEmptyDatabase(databaseUrl: string): Promise<boolean> {
  const pool = new Pool({
    connectionString: databaseUrl,
    max: 1,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'tollgate restore',
  });
  try {
    await reach(pool, databaseUrl);
    const { rowCount } = await pool.query(
      `select 1 from pg_class where relkind in ('r', 'p', 'v', 'm', 'S')
        and relnamespace in (select oid from pg_namespace where nspname = any(current_schemas(false))) limit 1`,
    );
    return rowCount === 0;
  } finally {
    await pool.end();
  }
}
