// What every connection to PostgreSQL has in common.
import { Pool, types, type PoolConfig } from 'pg';
import type { FaultListener } from '#server/platform/store/changes.ts';

export const CONNECT_TIMEOUT_MS = 5000;

/** Of these connections only: counts, sums and money are exact numbers here, because the schema CHECKs them to be. */
export const numberTypes: PoolConfig['types'] = {
  getTypeParser(oid: (typeof types.builtins)[keyof typeof types.builtins], format?: 'text' | 'binary') {
    if (oid === types.builtins.INT8 || oid === types.builtins.NUMERIC) return (text: string) => Number(text);
    return types.getTypeParser(oid, format);
  },
};

export function openPool(settings: PoolConfig, onFault: FaultListener): Pool {
  const pool = new Pool(settings);
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', (error) => onFault(error, 'an idle PostgreSQL connection was lost'));
  // The same for a connection in use: its query fails, and the process must not end.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}
