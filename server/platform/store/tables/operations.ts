// Settings, nodes, leases, jobs, mail and the audit trail.
import type { Default, Flag } from './column.ts';

export interface OptionsTable {
  key: string;
  value: Default<string>;
  updated_at: Default<number>;
}

export interface OptionHistoryTable {
  id: Default<number>;
  key: string;
  old_value: Default<string>;
  new_value: Default<string>;
  actor_id: Default<number>;
  created_at: Default<number>;
}

export interface NodesTable {
  id: string;
  epoch: number;
  heartbeat_at: number;
  started_at: number;
  host: Default<string>;
  version: Default<string>;
}

export interface NodeReportsTable {
  node_id: string;
  /** JSON of contract/operating/cluster.ts. */
  report: string;
  reported_at: number;
}

/** Nodes that the super admin asked to drain. */
export interface NodeDrainsTable {
  node_id: string;
}

/** One row: up to which id log rows were sent to the receiver of the export. */
export interface LogExportTable {
  id: number;
  through_id: Default<number>;
}

export interface LeasesTable {
  name: string;
  node_id: string;
  epoch: number;
  expires_at: number;
}

/** One row per cluster job (`node_id` is empty), one per node for the jobs of each node. */
export interface JobsTable {
  name: string;
  node_id: string;
  /** The node that runs the job, or ran it last. */
  owner: Default<string>;
  /** Grows each time the lease is taken: a write with an older fence changes nothing. */
  fence: Default<number>;
  /** 0: no node runs it. */
  lease_until_ms: Default<number>;
  next_run_ms: Default<number>;
  started_ms: Default<number>;
  finished_ms: Default<number>;
  duration_ms: Default<number>;
  /** Of the last run; empty: it succeeded. */
  error: Default<string>;
  /** Failed runs since the last success. */
  failures: Default<number>;
  runs: Default<number>;
}

export interface ChangesTable {
  topic: string;
  version: Default<number>;
}

/** Append-only: triggers refuse UPDATE and DELETE. Each row holds the hash of the row before it. */
export interface AuditTable {
  id: Default<number>;
  created_at: number;
  actor_id: Default<number>;
  actor_name: Default<string>;
  ip: Default<string>;
  action: string;
  target: Default<string>;
  before: Default<string>;
  after: Default<string>;
  request_id: Default<string>;
  /** The organization that the actor acted for; 0: none. */
  organization_id: Default<number>;
  previous_hash: Default<string>;
  hash: string;
}

/** One row: how far the audit trail reaches. `digest` proves the rest with the master key. */
export interface AuditAnchorTable {
  id: number;
  rows: number;
  /** Id and hash of the last row; 0 and blank when there was none. */
  head_id: number;
  head: string;
  digest: string;
}

export interface MailsTable {
  id: Default<number>;
  created_at: number;
  recipient: string;
  subject: Default<string>;
  body: Default<string>;
  status: Default<string>;
  tries: Default<number>;
  next_try_at: Default<number>;
  error: Default<string>;
  dedupe_key: string | null;
  /** 1 when `body` is sealed. */
  sealed: Default<Flag>;
  /** Not sent after this; 0 = never too late. */
  expires_at: Default<number>;
  sent_at: Default<number>;
}
