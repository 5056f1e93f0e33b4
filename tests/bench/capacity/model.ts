// How much of each part of an installation a load takes. Figures of a call are measured (measured.json), those of machines and
// traffic are the operator's. docs/guides/scale.md explains the model.
import type { Text } from '#contract/language.ts';

/** What a call takes on PostgreSQL, and what the jobs that run once for each database can do. */
export interface Footprint {
  /** CPU of the gateway's process, all threads, for a call without streaming. */
  gatewayMicroseconds: number;
  /** CPU of the gateway for each chunk of a stream. */
  chunkMicroseconds: number;
  /** CPU of all processes of PostgreSQL. */
  databaseMicroseconds: number;
  walBytes: number;
  /** Rows of the log with their indexes; deleted after `LogRetentionDays`. */
  logBytes: number;
  /** Ledger, figures and the rest that the database grows by; never deleted. */
  ledgerBytes: number;
  rowsWritten: number;
  transactions: number;
  connectionsPerNode: number;
  /** Of a gateway under load, without streams. */
  residentMegabytes: number;
  streamKilobytes: number;
  /** Log rows that are added to the usage reports in a second. */
  reportRowsPerSecond: number;
  /** Log rows that leave for ClickHouse in a second. */
  exportRowsPerSecond: number;
  /** Ledger rows that the money audit passes in a second, its pauses included. */
  auditRowsPerSecond: number;
}

export interface Traffic {
  /** From the first byte of the request to the last of the answer. */
  callSeconds: number;
  chunksPerCall: number;
  /** Of a request and its answer, on each side of the gateway. */
  callBytes: number;
  /** How many days of the ledger the disk must hold. */
  ledgerDays: number;
}

export const USUAL_TRAFFIC: Traffic = {
  callSeconds: 8,
  chunksPerCall: 100,
  callBytes: 40_000,
  ledgerDays: 365,
};

export interface Setup {
  /** PostgreSQL databases with gateways that only use this one; every user belongs to one. */
  cells: number;
  /** Gateway processes of each cell; each has a core. */
  nodes: number;
  databaseCores: number;
  databaseTerabytes: number;
  maxConnections: number;
  /** `LogRetentionDays`. */
  logDays: number;
  /** Whether rows leave for ClickHouse. */
  isLogExported: boolean;
}

export const ONE_MACHINE: Setup = {
  cells: 1,
  nodes: 1,
  databaseCores: 1,
  databaseTerabytes: 0.5,
  maxConnections: 100,
  logDays: 30,
  isLogExported: false,
};

/** The largest that one database and one node get before another way is taken. */
export const LIMITS = {
  databaseCores: 64,
  databaseTerabytes: 16,
  maxConnections: 1000,
  walMegabytesPerSecond: 500,
  nodeGigabytes: 4,
  nodeSockets: 60_000,
  nodeGigabits: 2,
  exportedLogDays: 3,
  /** What the pools of a gateway may open when the console and jobs are busy too. */
  nodeConnections: 16,
};

/** Load comes in bursts: above this share of a processor, a disk or a network queues grow faster than they are worked off. */
export const SAFE_SHARE = 0.7;

/** Calls fail when what they wait for is so late. */
const CALL_PATIENCE_MINUTES = 1;
/** Jobs may catch up in quieter hours. */
const JOB_PATIENCE_MINUTES = 360;

/** For backups, replicas and people. */
const SPARE_CONNECTIONS = 10;

export interface Part {
  name: Text;
  /** 1: everything that the part may give. */
  share: number;
  /** What an operator does when the part breaks, and the setup after it. */
  remedy: Text;
  grow: (setup: Setup) => Setup;
  /** By how much work the part may be behind. 0: what does not fit is refused at once. */
  patienceMinutes: number;
}

export interface Load {
  callsPerSecond: number;
  callsPerDay: number;
}

interface Given {
  setup: Setup;
  footprint: Footprint;
  traffic: Traffic;
}

const moreNodes = {
  remedy: { en: 'more gateways', zh: '增加网关' },
  grow: (setup: Setup): Setup => ({ ...setup, nodes: Math.ceil(setup.nodes * 1.25) }),
};
const moreCells = {
  remedy: { en: 'twice as many cells', zh: '单元数加倍' },
  grow: (setup: Setup): Setup => ({ ...setup, cells: setup.cells * 2, nodes: Math.ceil(setup.nodes / 2) }),
};

/** Everything that can break, at this load. */
export function partsAt({ callsPerSecond, callsPerDay }: Load, given: Given): Part[] {
  return [...partsOfNode(callsPerSecond, given), ...partsOfDatabase(callsPerSecond, callsPerDay, given)];
}

function partsOfNode(callsPerSecond: number, { setup, footprint, traffic }: Given): Part[] {
  const calls = callsPerSecond / setup.cells / setup.nodes;
  const running = calls * traffic.callSeconds;
  const microseconds = footprint.gatewayMicroseconds + traffic.chunksPerCall * footprint.chunkMicroseconds;
  return [
    {
      name: { en: 'CPU of a gateway', zh: '网关的 CPU' },
      share: (calls * microseconds) / (1e6 * SAFE_SHARE),
      patienceMinutes: CALL_PATIENCE_MINUTES,
      ...moreNodes,
    },
    {
      name: { en: 'memory of a gateway', zh: '网关的内存' },
      share:
        (footprint.residentMegabytes + (running * footprint.streamKilobytes) / 1024) /
        (LIMITS.nodeGigabytes * 1024),
      patienceMinutes: 0,
      ...moreNodes,
    },
    {
      name: { en: 'sockets of a gateway', zh: '网关的套接字' },
      share: (running * 2) / LIMITS.nodeSockets,
      patienceMinutes: 0,
      ...moreNodes,
    },
    {
      name: { en: 'network of a gateway', zh: '网关的网络' },
      share: (calls * traffic.callBytes * 2 * 8) / (LIMITS.nodeGigabits * 1e9 * SAFE_SHARE),
      patienceMinutes: CALL_PATIENCE_MINUTES,
      ...moreNodes,
    },
  ];
}

function partsOfDatabase(
  callsPerSecond: number,
  callsPerDay: number,
  { setup, footprint, traffic }: Given,
): Part[] {
  const bytesPerDailyCall = footprint.logBytes * setup.logDays + footprint.ledgerBytes * traffic.ledgerDays;
  const calls = callsPerSecond / setup.cells;
  const job = (name: Text, rowsPerSecond: number): Part => ({
    name,
    share: calls / rowsPerSecond,
    patienceMinutes: JOB_PATIENCE_MINUTES,
    ...moreCells,
  });
  return [
    {
      name: { en: 'CPU of the database', zh: '数据库的 CPU' },
      share: (calls * footprint.databaseMicroseconds) / (setup.databaseCores * 1e6 * SAFE_SHARE),
      patienceMinutes: CALL_PATIENCE_MINUTES,
      ...(setup.databaseCores < LIMITS.databaseCores
        ? {
            remedy: { en: 'a database with twice the cores', zh: '数据库核心数加倍' },
            grow: (old) => ({ ...old, databaseCores: old.databaseCores * 2 }),
          }
        : moreCells),
    },
    {
      name: { en: 'write-ahead log', zh: '预写日志' },
      share: (calls * footprint.walBytes) / (LIMITS.walMegabytesPerSecond * 1e6 * SAFE_SHARE),
      patienceMinutes: CALL_PATIENCE_MINUTES,
      ...moreCells,
    },
    {
      name: { en: 'connections', zh: '数据库连接' },
      share:
        (setup.nodes * Math.max(footprint.connectionsPerNode, LIMITS.nodeConnections)) /
        (setup.maxConnections - SPARE_CONNECTIONS),
      patienceMinutes: 0,
      ...(setup.maxConnections < LIMITS.maxConnections
        ? {
            remedy: { en: 'a higher `max_connections`', zh: '提高 `max_connections`' },
            grow: (old) => ({
              ...old,
              maxConnections: Math.min(old.maxConnections * 2, LIMITS.maxConnections),
            }),
          }
        : moreCells),
    },
    {
      name: { en: 'storage', zh: '存储空间' },
      share: ((callsPerDay / setup.cells) * bytesPerDailyCall) / (setup.databaseTerabytes * 1e12),
      patienceMinutes: 0,
      ...roomForTheLog(setup),
    },
    job({ en: 'usage reports', zh: '用量报表' }, footprint.reportRowsPerSecond),
    job({ en: 'money audit', zh: '资金核对' }, footprint.auditRowsPerSecond),
    ...(setup.isLogExported
      ? [job({ en: 'log export', zh: '日志导出' }, footprint.exportRowsPerSecond)]
      : []),
  ];
}

/** First a larger disk, then the log leaves for ClickHouse, then users are divided. */
function roomForTheLog(setup: Setup): Pick<Part, 'remedy' | 'grow'> {
  if (setup.databaseTerabytes < LIMITS.databaseTerabytes)
    return {
      remedy: { en: 'a disk of twice the size', zh: '磁盘容量加倍' },
      grow: (old) => ({ ...old, databaseTerabytes: old.databaseTerabytes * 2 }),
    };
  if (!setup.isLogExported)
    return {
      remedy: {
        en: 'the log to ClickHouse, kept here for 3 days',
        zh: '日志导出到 ClickHouse，本地保留 3 天',
      },
      grow: (old) => ({ ...old, isLogExported: true, logDays: LIMITS.exportedLogDays }),
    };
  return moreCells;
}
