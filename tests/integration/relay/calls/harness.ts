// The relay with a real database, ledger and socket, a mock upstream, and users with tokens.
import { randomBytes } from 'node:crypto';
import OpenAI from 'openai';
import type { SettingKey } from '#contract/settings.ts';
import type { Ledger, LedgerAlert } from '#server/money/ledger/ledger.ts';
import { openLedger } from '#server/money/ledger/open-ledger.ts';
import { createEgress, type EgressOptions } from '#server/platform/egress/index.ts';
import { createListener } from '#server/admin/http/listen.ts';
import type { RelayTimeouts } from '#server/relay/pipeline/dependencies.ts';
import { createLog } from '#server/platform/log.ts';
import { createRelay, type CallerSeconds, type Relay, type SessionUser } from '#server/relay/index.ts';
import { openSettings, type LiveSettings } from '#server/platform/settings/settings.ts';
import type { NewRow, Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { addChannel, type ChannelWish } from '#tests/support/channels.ts';
import {
  databaseSource,
  temporaryPlace,
  type DatabaseLabel,
  type TemporaryPlace,
} from '#tests/support/databases.ts';
import { startMockUpstream, type MockUpstream } from '#mock/upstream/index.ts';
import { startPatience } from '#tests/support/machine.ts';

export interface TestToken {
  id: number;
  userId: number;
  /** With `sk-`. */
  key: string;
}

export interface RelayHarness extends AsyncDisposable {
  place: TemporaryPlace;
  url: string;
  port: number;
  store: Store;
  settings: LiveSettings;
  ledger: Ledger;
  relay: Relay;
  mock: MockUpstream;
  logged: string[];
  /** Reports of the ledger to the operator. */
  alerts: LedgerAlert[];
  /** The user signed in on /pg. */
  session: SessionUser | null;
  channel(wish?: Partial<ChannelWish>): Promise<number>;
  /** Ends the time to wait that upstreams named, so that the next call is sent. */
  endCooling(): void;
  user(row?: Partial<NewRow<'users'>> & { quota?: number }): Promise<number>;
  token(row?: Partial<NewRow<'tokens'>> & { quota?: number }): Promise<TestToken>;
  sdk(token: TestToken | string): OpenAI;
  post(path: string, key: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  lastLog(userId: number): Promise<Row<'logs'>>;
  logs(userId: number): Promise<Row<'logs'>[]>;
  userRow(userId: number): Promise<Row<'users'>>;
  holds(): Promise<number>;
}

export interface HarnessOptions {
  /** Another node on the place of the first one. */
  beside?: { place: TemporaryPlace; nodeId: string };
  database?: DatabaseLabel;
  settings?: Partial<Record<SettingKey, string>>;
  timeouts?: Partial<RelayTimeouts>;
  callerSeconds?: Partial<CallerSeconds>;
  heartbeatSeconds?: number;
  egress?: EgressOptions;
}

export const testModels = [
  'gpt-4o',
  'gpt-4o-mini',
  'text-embedding-3-small',
  'text-moderation-stable',
  'dall-e-2',
  'dall-e-3',
  'gpt-image-1',
  'tts-1',
  'whisper-1',
  'gpt-4o-transcribe',
  'gpt-realtime',
  'rerank-1',
];

export async function startRelay(options: HarnessOptions = {}): Promise<RelayHarness> {
  const label = options.database ?? 'sqlite';
  const place = options.beside?.place ?? (await temporaryPlace(label));
  const source = databaseSource(label);
  const store = await source.open(place);
  const logged: string[] = [];
  const log = createLog({ level: 'debug', write: (line) => logged.push(line) });
  const settings = await openSettings(store, log);
  const prices = { ModelRatio: JSON.stringify({ 'rerank-1': 1 }), ...options.settings };
  for (const [key, text] of Object.entries(prices)) await settings.set(key, text, 0);
  const alerts: LedgerAlert[] = [];
  const onAlert = (alert: LedgerAlert) => void alerts.push(alert);
  const ledger = await openLedger({
    store,
    nodeId: options.beside?.nodeId ?? 'test',
    dataDir: place.dataDir,
    version: 'test',
    onAlert,
  });
  const egress = createEgress({ allowedPrivateAddresses: ['127.0.0.1'], ...options.egress });
  const state = { session: null as SessionUser | null };
  const channelIds: number[] = [];
  const relay = await createRelay({
    store,
    settings,
    ledger,
    egress,
    log,
    sessionOf: async () => state.session,
    ...(options.timeouts === undefined ? {} : { timeouts: options.timeouts }),
    ...(options.callerSeconds === undefined ? {} : { callerSeconds: options.callerSeconds }),
    ...(options.heartbeatSeconds === undefined ? {} : { heartbeatSeconds: options.heartbeatSeconds }),
  });
  const listener = createListener({
    hostname: '127.0.0.1',
    port: 0,
    sharedPort: false,
    routes: relay.routes,
    handlerOfMisspeltPath: relay.handlerOfMisspeltPath,
    websocket: relay.websocket,
    fetch: async () => new Response('outside the relay', { status: 404 }),
    // Every proxy is trusted here.
    addressOf: (request) => request.headers.get('x-forwarded-for') ?? '127.0.0.1',
    mostPerAddress: () => 0,
    log,
  });
  const mock = startMockUpstream();
  const { url } = listener;
  const now = () => Math.floor(Date.now() / 1000);

  const harness: RelayHarness = {
    place,
    url,
    port: listener.port,
    store,
    settings,
    ledger,
    relay,
    mock,
    logged,
    alerts,
    get session() {
      return state.session;
    },
    set session(user) {
      state.session = user;
    },
    channel: async (wish = {}) => {
      const id = await addChannel(store, { base_url: mock.url, models: testModels, ...wish });
      channelIds.push(id);
      await relay.reload();
      return id;
    },
    endCooling: () => channelIds.forEach((id) => relay.core.breaker.succeeded(id)),
    async user({ quota = 100_000_000, ...row } = {}) {
      const name = `u${randomBytes(6).toString('hex')}`;
      const { id } = await store.db
        .insertInto('users')
        .values({
          username: name,
          aff_code: name,
          created_at: now(),
          group: 'default',
          ...row,
        } as NewRow<'users'>)
        .returning('id')
        .executeTakeFirstOrThrow();
      if (quota > 0) {
        const idem = `test:${id}`;
        await ledger.credit({
          idem,
          userId: id,
          amount: quota,
          from: 'world:admin',
          kind: 'test',
          reference: '',
        });
      }
      return id;
    },
    async token({ quota, ...row } = {}) {
      const userId = row.user_id ?? (await harness.user(quota === undefined ? {} : { quota }));
      const key = randomBytes(36).toString('hex').slice(0, 48);
      const { id } = await store.db
        .insertInto('tokens')
        .values({
          name: 'test',
          key_digest: store.vault.digest('token', key),
          created_time: now(),
          unlimited_quota: 1,
          status: 1,
          ...row,
          user_id: userId,
        } as NewRow<'tokens'>)
        .returning('id')
        .executeTakeFirstOrThrow();
      return { id, userId, key: `sk-${key}` };
    },
    sdk: (token) =>
      new OpenAI({
        baseURL: `${url}/v1`,
        apiKey: typeof token === 'string' ? token : token.key,
        maxRetries: 0,
      }),
    post: (path, key, body, headers = {}) =>
      fetch(url + path, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    async lastLog(userId) {
      const rows = await harness.logs(userId);
      const row = rows.at(-1);
      if (row === undefined) throw new Error('no log row');
      return row;
    },
    logs: (userId) =>
      store.db.selectFrom('logs').selectAll().where('user_id', '=', userId).orderBy('id').execute(),
    userRow: (userId) =>
      store.db.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirstOrThrow(),
    async holds() {
      await ledger.writeHolds();
      const row = await store.db
        .selectFrom('holds')
        .select((builder) => builder.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return row.count;
    },
    async [Symbol.asyncDispose]() {
      await mock.stop();
      await listener.close();
      await relay.close();
      egress.close();
      settings.close();
      await ledger.close();
      await source.closeAll();
      if (options.beside === undefined) await place.remove();
    },
  };
  return harness;
}

/**
 * Waits for an effect soon after a response, such as the settling of a call whose caller left. Returns as soon as the value
 * is right, so the limit is only for a fault; it is no measure of speed.
 */
export async function eventually<T>(
  look: () => Promise<T> | T,
  isRight: (value: T) => boolean,
  milliseconds = 30_000,
): Promise<T> {
  const isOver = startPatience(milliseconds);
  for (;;) {
    const value = await look();
    if (isRight(value) || isOver()) return value;
    await Bun.sleep(10);
  }
}
