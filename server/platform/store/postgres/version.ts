// The version of a PostgreSQL server.
import { Pool } from 'pg';
import { CONNECT_TIMEOUT_MS } from './pool.ts';

/** The number of its release, like 17; undefined when the server does not answer. */
export async function serverRelease(databaseUrl: string): Promise<number | undefined> {
  const pool = new Pool({
    connectionString: databaseUrl,
    max: 1,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'tollgate backup',
  });
  try {
    const { rows } = await pool.query<{ server_version_num: string }>('show server_version_num');
    return Math.floor(Number(rows[0]?.server_version_num) / 10_000);
  } catch {
    return undefined;
  } finally {
    await pool.end();
  }
}
