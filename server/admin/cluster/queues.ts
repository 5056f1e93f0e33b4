// What waits in the database, and how the database itself is.
import { sql } from 'kysely';
import type { ClusterView } from '#contract/operating/cluster.ts';
import { SLICE_PATTERN } from '#server/money/ledger/engine/slice.ts';
import type { Store } from '#server/platform/store/store.ts';

export async function readQueues({ db }: Store): Promise<ClusterView['queues']> {
  const { rows } = await sql<ClusterView['queues']>`select
    (select count(*) from holds where id not like ${SLICE_PATTERN}) as holds,
    (select count(*) from mails where status in ('pending', 'sending')) as mails,
    (select count(*) from notice_deliveries where status in ('pending', 'sending')) as notices,
    (select count(*) from tasks where money = 'open') as tasks`.execute(db);
  return rows[0] ?? { holds: 0, mails: 0, notices: 0, tasks: 0 };
}

export async function databaseBytes({ db, dialect }: Store): Promise<number> {
  const { rows } =
    dialect === 'postgres'
      ? await sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`.execute(db)
      : await sql<{
          bytes: number;
        }>`select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()`.execute(db);
  return rows[0]?.bytes ?? 0;
}

/** Without the role pg_monitor the lag is not shown: then there is none to report. */
export async function readStandbys({ db, dialect }: Store): Promise<ClusterView['standbys']> {
  if (dialect !== 'postgres') return [];
  const { rows } = await sql<{ name: string; sync_state: string | null; lag_ms: number | null }>`
    select application_name as name, sync_state, cast(extract(epoch from replay_lag) * 1000 as double precision) as lag_ms
    from pg_stat_replication order by application_name limit 20`.execute(db);
  return rows.map(({ name, sync_state, lag_ms }) => ({
    name,
    sync_state: sync_state ?? '',
    lag_ms: Math.round(lag_ms ?? 0),
  }));
}
