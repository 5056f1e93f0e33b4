// Change announcements between nodes. NOTIFY carries them at once; a version row per topic, polled, finds announcements that a
// lost connection missed, so a listener is called late at worst.
import { randomUUID } from 'node:crypto';
import { Client, type Pool } from 'pg';
import {
  isTopic,
  localChanges,
  type Changes,
  type FaultListener,
  type Topic,
} from '#server/platform/store/changes.ts';

const NOTIFY_CHANNEL = 'tollgate_changes';
const POLL_MS = 3000;
const RECONNECT_MS = 1000;

/** PostgreSQL refuses a payload of 8000 bytes; a detail that long is announced as "anything may have changed". */
const MAXIMUM_DETAIL_LENGTH = 2000;

interface Notice {
  origin: string;
  topic: string;
  version: number;
  detail?: string;
}

export interface SharedChanges extends Changes {
  close(): Promise<void>;
}

export async function listenForChanges(options: {
  pool: Pool;
  databaseUrl: string;
  onFault: FaultListener;
}): Promise<SharedChanges> {
  const { pool, databaseUrl, onFault } = options;
  const origin = randomUUID();
  const local = localChanges(onFault);
  const seen = new Map<Topic, number>();
  /** Announced here while the database was away: the next poll that succeeds notifies the other nodes. */
  const unannounced = new Set<Topic>();
  let client: Client | undefined;
  let closed = false;
  let reconnect: ReturnType<typeof setTimeout> | undefined;
  let polling: Promise<void> | undefined;

  /** Versions follow one another without gaps; a gap means that a notice was missed. */
  function receive(topic: Topic, version: number, detail: string | undefined, own: boolean): void {
    const last = seen.get(topic) ?? 0;
    if (version <= last) return;
    seen.set(topic, version);
    if (version > last + 1) void local.dispatch(topic, undefined);
    else if (!own) void local.dispatch(topic, detail);
  }

  async function notifyNodes(topic: Topic, detail: string | undefined): Promise<void> {
    const short = detail !== undefined && detail.length <= MAXIMUM_DETAIL_LENGTH ? { detail } : {};
    await pool.query(
      `with bumped as (
         insert into changes (topic, version) values ($1, 1)
         on conflict (topic) do update set version = changes.version + 1 returning version
       )
       select pg_notify($2, ($3::jsonb || jsonb_build_object('version', version))::text) from bumped`,
      [topic, NOTIFY_CHANNEL, JSON.stringify({ origin, topic, ...short })],
    );
  }

  async function readVersions(): Promise<[Topic, number][]> {
    const { rows } = await pool.query<{ topic: string; version: number }>(
      'select topic, version from changes',
    );
    return rows.flatMap(({ topic, version }) => (isTopic(topic) ? [[topic, version]] : []));
  }

  async function poll(): Promise<void> {
    try {
      for (const topic of unannounced) {
        await notifyNodes(topic, undefined);
        unannounced.delete(topic);
      }
      for (const [topic, version] of await readVersions()) {
        const last = seen.get(topic) ?? 0;
        if (version <= last) continue;
        seen.set(topic, version);
        void local.dispatch(topic, undefined);
      }
    } catch (error) {
      if (!closed) onFault(error, 'changes of other nodes could not be read; trying again');
    }
  }

  async function connect(): Promise<void> {
    const fresh = new Client({
      connectionString: databaseUrl,
      connectionTimeoutMillis: 5000,
      keepAlive: true,
      application_name: 'tollgate changes',
    });
    const lose = (error: unknown) => {
      if (client !== fresh || closed) return;
      client = undefined;
      fresh.end().catch(() => {});
      onFault(error, 'the connection for changes was lost; connecting again');
      connectLater();
    };
    fresh.on('error', lose);
    fresh.on('end', () => lose(new Error('connection ended')));
    fresh.on('notification', ({ payload }) => {
      const notice = JSON.parse(payload ?? '{}') as Partial<Notice>;
      if (notice.topic === undefined || !isTopic(notice.topic) || typeof notice.version !== 'number') return;
      receive(notice.topic, notice.version, notice.detail, notice.origin === origin);
    });
    try {
      await fresh.connect();
      await fresh.query(`listen ${NOTIFY_CHANNEL}`);
    } catch (error) {
      fresh.end().catch(() => {});
      throw error;
    }
    client = fresh;
  }

  function connectLater(): void {
    if (closed) return;
    reconnect = setTimeout(() => {
      connect().then(poll, (error: unknown) => {
        onFault(error, 'changes of other nodes cannot be received; trying again');
        connectLater();
      });
    }, RECONNECT_MS);
  }

  await connect();
  // Before this point nothing was cached, so the present versions are the starting line.
  for (const [topic, version] of await readVersions()) seen.set(topic, version);
  const timer = setInterval(() => {
    polling ??= poll().finally(() => {
      polling = undefined;
    });
  }, POLL_MS);

  return {
    subscribe: local.subscribe,
    async announce(topic, detail) {
      const here = local.dispatch(topic, detail);
      try {
        await notifyNodes(topic, detail);
      } catch (error) {
        unannounced.add(topic);
        onFault(error, `the change of ${topic} could not be announced; trying again`);
      }
      await here;
    },
    async close() {
      closed = true;
      clearInterval(timer);
      clearTimeout(reconnect);
      await polling;
      await client?.end();
    },
  };
}
