// The whole application in this process, on a free port and its own database, with users to call it as.
import { randomBytes } from 'node:crypto';
import { ROLE } from '#contract/access.ts';
import { api, type TollgateApi } from '#contract/api.ts';
import { createClient, type Client } from '#contract/client.ts';
import { ORGANIZATION_HEADER } from '#contract/admin/organizations.ts';
import type { Envelope } from '#contract/endpoint.ts';
import type { Language } from '#contract/language.ts';
import type { SettingKey } from '#contract/settings.ts';
import { createApplication, type Application, type ApplicationOptions } from '#server/app/app.ts';
import { readEnvironment, type Environment } from '#server/platform/env.ts';
import type { LimitTable } from '#server/admin/http/limits.ts';
import type { Listener } from '#server/admin/http/listen.ts';
import { createLog } from '#server/platform/log.ts';
import { openSessions } from '#server/admin/http/sessions.ts';
import type { RowChange } from '#server/platform/store/schema.ts';
import { hashPassword } from '#server/platform/store/passwords.ts';
import { temporaryPlace, type DatabaseLabel } from './databases.ts';
import { LOOPBACK_HOSTS } from './loopback.ts';

export const ROOT_PASSWORD = 'root-password-of-tests';
export const USER_PASSWORD = 'user-password-of-tests';

/** A signed-in user. */
export interface Actor {
  id: number;
  username: string;
  role: number;
  cookie: string;
}

export interface NewUser {
  username?: string;
  role?: number;
  group?: string;
  quota?: number;
  /** Any other column. */
  row?: RowChange<'users'>;
}

export interface Reply {
  status: number;
  headers: Headers;
  body: Envelope;
}

export interface RequestOptions {
  method?: string;
  as?: Actor | undefined;
  body?: unknown;
  headers?: Record<string, string>;
  language?: Language;
}

export interface TestApplication extends Application {
  url: string;
  port: number;
  dataDir: string;
  /** Undefined on SQLite. */
  databaseUrl: string | undefined;
  /** Every log line so far. */
  logged: string[];
  /** One raw call; JSON in, JSON out; refusals are returned, not thrown. */
  request(path: string, options?: RequestOptions): Promise<Reply>;
  /** The typed client; a refusal is thrown as ApiRefusal. Endpoints that know organizations act for the named one. */
  client(as?: Actor, organization?: number): Client<TollgateApi>;
  login(username: string, password?: string): Promise<Actor>;
  createUser(user?: NewUser): Promise<{ id: number; username: string; role: number }>;
  /** A new user of that role, signed in. */
  actor(user?: NewUser): Promise<Actor>;
}

export interface TestApplicationOptions extends Pick<
  ApplicationOptions,
  'consoleDirectory' | 'nodeId' | 'overload' | 'callerSeconds' | 'demoAccounts' | 'nameServers'
> {
  database?: DatabaseLabel;
  settings?: Partial<Record<SettingKey, string>>;
  /** High limits by default, so that only tests of limits meet them. */
  limits?: Partial<LimitTable> | 'of the settings';
  environment?: Record<string, string>;
  /** Share a directory and database with another application: a restart, or a second node. */
  place?: { dataDir: string; databaseUrl?: string | undefined };
}

export class ApiRefusal extends Error {
  override name = 'ApiRefusal';
  readonly status: number;
  readonly body: Envelope;
  constructor(status: number, body: Envelope) {
    super(`${status} ${body.code ?? ''} ${body.message}`);
    this.status = status;
    this.body = body;
  }
}

const WIDE_OPEN = { most: 0, seconds: 60 };

/** Ports that applications of this process have left. */
const leftPorts: number[] = [];
let keepsPorts = false;

/**
 * From now on an application takes a port that an earlier one has left, if it is still free: a browser keeps the files of the
 * console and their compiled code by address.
 */
export function keepPorts(): void {
  keepsPorts = true;
}

function listenAgain(application: Application, environment: Environment): Listener {
  try {
    return application.listen();
  } catch (error) {
    if (environment.port === 0) throw error;
    // Another process has taken the port.
    environment.port = 0;
    return application.listen();
  }
}

function limitsFor(limits: TestApplicationOptions['limits']): Partial<LimitTable> {
  if (limits === 'of the settings') return {};
  return {
    api: WIDE_OPEN,
    web: WIDE_OPEN,
    critical: WIDE_OPEN,
    guess: WIDE_OPEN,
    search: WIDE_OPEN,
    ...limits,
  };
}

export async function startApplication(options: TestApplicationOptions = {}): Promise<TestApplication> {
  const place = options.place ?? (await temporaryPlace(options.database ?? 'sqlite'));
  const logged: string[] = [];
  const keptPort = keepsPorts ? leftPorts.pop() : undefined;
  const environment = readEnvironment({
    PORT: String(keptPort ?? 0),
    HOST: '127.0.0.1',
    DATA_DIR: place.dataDir,
    DATABASE_URL: place.databaseUrl,
    INITIAL_ROOT_PASSWORD: ROOT_PASSWORD,
    ALLOWED_PRIVATE_ADDRESSES: '127.0.0.0/8,::1',
    EGRESS_ALLOW: LOOPBACK_HOSTS,
    LOG_LEVEL: 'debug',
    ...options.environment,
  });
  const application = await createApplication(environment, {
    ...options,
    // An own copy of the console's build: a build by another process must not replace it while the tests run.
    consoleDirectory: options.consoleDirectory ?? process.env['CONSOLE_DIRECTORY'],
    limits: limitsFor(options.limits),
    log: createLog({ level: 'debug', write: (line) => logged.push(line) }),
  });
  for (const [key, text] of Object.entries(options.settings ?? {}))
    await application.settings.set(key, text, 0);
  const { url, port } = listenAgain(application, environment);
  const people = createPeople(application, url);
  return {
    ...application,
    url,
    port,
    dataDir: place.dataDir,
    databaseUrl: place.databaseUrl,
    logged,
    ...people,
    async close() {
      await application.close();
      if (keepsPorts && !leftPorts.includes(port)) leftPorts.push(port);
      if ('remove' in place && typeof place.remove === 'function') await place.remove();
    },
  };
}

function createPeople(application: Application, url: string) {
  const sessions = openSessions(application.store, application.log);

  async function request(
    path: string,
    { method, as, body, headers, language }: RequestOptions = {},
  ): Promise<Reply> {
    const response = await fetch(url + path, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      redirect: 'manual',
      headers: {
        'Accept-Language': language ?? 'en',
        ...(as ? { Cookie: as.cookie, 'New-Api-User': String(as.id) } : {}),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: asEnvelope(text) };
  }

  function client(as?: Actor, organization?: number): Client<TollgateApi> {
    return createClient(api, async (call) => {
      const isScoped = organization !== undefined && call.endpoint.organization !== undefined;
      const headers: Record<string, string> = {};
      if (isScoped) headers[ORGANIZATION_HEADER] = String(organization);
      const reply = await request(call.url, { method: call.method, as, body: call.body, headers });
      if (!reply.body.success) throw new ApiRefusal(reply.status, reply.body);
      return { ...reply.body, data: reply.body.data };
    });
  }

  async function login(username: string, password = USER_PASSWORD): Promise<Actor> {
    const reply = await request('/api/user/login', { body: { username, password } });
    if (!reply.body.success) throw new ApiRefusal(reply.status, reply.body);
    const { id, role } = reply.body.data as { id: number; role: number };
    const cookie = reply.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    return { id, role, username, cookie };
  }

  async function createUser({
    username,
    role = ROLE.user,
    group = 'default',
    quota = 0,
    row = {},
  }: NewUser = {}) {
    const name = username ?? `u${randomBytes(5).toString('hex')}`;
    const { id } = await application.store.db
      .insertInto('users')
      .values({
        ...row,
        username: name,
        password_hash: row.password_hash ?? (await userPasswordHash()),
        role,
        group,
        aff_code: randomBytes(6).toString('base64url'),
        created_at: Math.floor(Date.now() / 1000),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    if (quota > 0) {
      await application.ledger.credit({
        idem: `test:${id}`,
        userId: id,
        amount: quota,
        from: 'world:admin',
        kind: 'test',
        reference: '',
      });
    }
    return { id, username: name, role };
  }

  /** Without a login, whose password check takes a tenth of a second of CPU. */
  async function actor(user: NewUser = {}): Promise<Actor> {
    const { id, username, role } = await createUser(user);
    const session = await application.store.db
      .transaction()
      .execute((transaction) => sessions.start(transaction, id, { address: '127.0.0.1', userAgent: 'Bun' }));
    return { id, role, username, cookie: `sid=${session}` };
  }

  return { request, client, login, createUser, actor };
}

let hash: Promise<string> | undefined;

/** Hashing is slow by design, so all users of a test run share one password. */
function userPasswordHash(): Promise<string> {
  hash ??= hashPassword(USER_PASSWORD);
  return hash;
}

function asEnvelope(text: string): Envelope {
  try {
    return JSON.parse(text) as Envelope;
  } catch {
    return { success: false, message: text };
  }
}
