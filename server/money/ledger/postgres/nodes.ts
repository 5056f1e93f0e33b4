// Which nodes live. Each has a name, an epoch that grows with every start, and a heartbeat by the database's clock. Holds of an
// epoch that ended, or of a node without a heartbeat, are resolved by any living node.
import type { Pool } from 'pg';
import { REVIEW_NODE, TASK_NODE } from '#server/money/ledger/engine/reserve.ts';
import type { Identity } from './loaded.ts';

/** Six missed heartbeats. */
export const STANDARD_SILENCE_SECONDS = 30;

/** Unix seconds. */
export const CLOCK = 'extract(epoch from clock_timestamp())::bigint';

export async function beginEpoch(
  pool: Pool,
  node: { nodeId: string; host: string; version: string },
): Promise<number> {
  const { rows } = await pool.query<{ epoch: number }>(
    `insert into nodes as n (id, epoch, heartbeat_at, started_at, host, version) values ($1, 1, ${CLOCK}, ${CLOCK}, $2, $3)
      on conflict (id) do update set epoch = n.epoch + 1, heartbeat_at = excluded.heartbeat_at,
      started_at = excluded.started_at, host = excluded.host, version = excluded.version returning epoch`,
    [node.nodeId, node.host, node.version],
  );
  return rows[0]?.epoch ?? 1;
}

/** False when another process has begun a newer epoch under the same name. */
export async function beat(pool: Pool, { nodeId, epoch }: Identity): Promise<boolean> {
  const { rowCount } = await pool.query(
    `update nodes set heartbeat_at = ${CLOCK} where id = $1 and epoch = $2`,
    [nodeId, epoch],
  );
  return rowCount === 1;
}

export interface AbandonedQuery {
  nodeId: string;
  /** How long this node has been connected. */
  connectedMs: number;
  silenceSeconds: number;
  limit: number;
}

/**
 * A node counts as dead only for a node that has itself been connected for the whole silence: after an outage of the database
 * every heartbeat is old, and each node gets the time to send a new one.
 */
export async function readAbandonedHolds(
  pool: Pool,
  { nodeId, connectedMs, silenceSeconds, limit }: AbandonedQuery,
): Promise<string[]> {
  const silence = connectedMs >= silenceSeconds * 1000 ? silenceSeconds : Number.MAX_SAFE_INTEGER;
  const { rows } = await pool.query<{ id: string }>(
    `select h.id from holds h left join nodes n on n.id = h.node_id
      where h.node_id <> $1 and (
        h.expires_at < ${CLOCK}
        or (h.node_id <> $2 and (n.id is null or n.epoch <> h.epoch))
        or (h.node_id not in ($2, $3) and n.heartbeat_at < ${CLOCK} - $4::bigint))
      order by h.created_at limit $5`,
    [REVIEW_NODE, TASK_NODE, nodeId, silence, limit],
  );
  await pool.query(`delete from limit_windows where window_start < ${CLOCK} - 3600`);
  return rows.map((row) => row.id);
}

/** Those of these nodes that had no heartbeat for the whole silence, or never. */
export async function silentNodes(
  pool: Pool,
  nodeIds: readonly string[],
  silenceSeconds: number,
): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `select id from nodes where id = any($1) and heartbeat_at >= ${CLOCK} - $2::bigint`,
    [nodeIds, silenceSeconds],
  );
  const living = new Set(rows.map((row) => row.id));
  return nodeIds.filter((nodeId) => !living.has(nodeId));
}
