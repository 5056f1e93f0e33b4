// The nodes of an installation and how they are, for the super admin.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';

/** `draining`: tells its balancer to send no more calls. `silent`: has not reported for a while. */
export const NODE_STATES = ['serving', 'draining', 'silent'] as const;
export type NodeState = (typeof NODE_STATES)[number];

/** Whether calls begin at once, as the gate against overload decides. */
export const ADMISSIONS = ['open', 'slow', 'full'] as const;

/** What a node measures of itself. */
export const nodeReport = z.object({
  host: z.string(),
  version: z.string(),
  process_id: z.number(),
  started_at: z.number(),
  /** Is it draining, as asked here or because it stops. */
  is_draining: z.boolean(),
  /** Calls that hold money now. */
  calls: z.number(),
  calls_per_second: z.number(),
  admission: z.enum(ADMISSIONS),
  /** Calls refused for overload since the start. */
  refused: z.number(),
  /** How long an operation waits: event loop, queue of the writer, commit. */
  delay_ms: z.number(),
  database_ms: z.number(),
  memory_mb: z.number(),
  /** Of one processor. */
  cpu_percent: z.number(),
  /** Used part of the disk with the data directory; missing where the node cannot say. */
  disk_percent: z.number().optional(),
  /** End of the certificate that the node serves with, unix seconds; missing without one. */
  certificate_ends_at: z.number().optional(),
});
export type NodeReport = z.output<typeof nodeReport>;

const nodeView = nodeReport.extend({
  id: z.string(),
  state: z.enum(NODE_STATES),
  /** The super admin asked it to drain; it does so with its next report. */
  drain_wanted: z.boolean(),
  reported_at: z.number(),
  /** The node that answers this call. */
  is_here: z.boolean(),
});
export type NodeView = z.output<typeof nodeView>;

const clusterView = z.object({
  nodes: z.array(nodeView),
  database: z.object({ engine: z.enum(['sqlite', 'postgres']), bytes: z.number() }),
  /** Copies of the database; empty when there are none, or when they may not be read. */
  standbys: z.array(z.object({ name: z.string(), sync_state: z.string(), lag_ms: z.number() })),
  /** What waits to be done, by all nodes together. */
  queues: z.object({ holds: z.number(), mails: z.number(), notices: z.number(), tasks: z.number() }),
});
export type ClusterView = z.output<typeof clusterView>;

const params = z.object({ id: z.string().min(1).max(200) });

export const cluster = {
  view: endpoint({
    method: 'GET',
    path: '/api/cluster',
    access: 'root',
    summary: { zh: '节点与数据库的状态', en: 'The state of nodes and database' },
    returns: clusterView,
  }),
  drain: endpoint({
    method: 'POST',
    path: '/api/cluster/nodes/{id}/drain',
    access: 'root',
    summary: { zh: '排空一个节点', en: 'Drain a node' },
    params,
    returns: z.null(),
  }),
  resume: endpoint({
    method: 'POST',
    path: '/api/cluster/nodes/{id}/resume',
    access: 'root',
    summary: { zh: '恢复一个节点', en: 'Resume a node' },
    params,
    returns: z.null(),
  }),
};
