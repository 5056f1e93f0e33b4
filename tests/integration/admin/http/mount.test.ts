// Guarantees of a declaration, tested with declarations made for this file: every access, extra fields, and that no
// undeclared field is sent.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Hono } from 'hono';
import { z } from 'zod';
import type { RequestContext } from '#server/admin/context.ts';
import type { Access } from '#contract/access.ts';
import { endpoint } from '#contract/endpoint.ts';
import { idParams, queryFlag } from '#contract/lists.ts';
import { createAuthenticator } from '#server/admin/http/authenticate.ts';
import { createLimiter, limitsOf } from '#server/admin/http/limits.ts';
import { mount } from '#server/admin/http/mount.ts';
import type { Call, HonoEnvironment } from '#server/admin/http/call.ts';
import { openMemberships, type Memberships } from '#server/admin/http/memberships.ts';
import { openSessions, type Sessions } from '#server/admin/http/sessions.ts';
import { startApplication, type Actor, type TestApplication } from '#tests/support/application.ts';

const summary = { zh: '测试', en: 'test' };
const whoami = (access: Access, sessionOnly?: true) =>
  endpoint({
    method: 'GET',
    path: `/api/${access}${sessionOnly ? '-session' : ''}`,
    access,
    summary,
    returns: z.object({ user: z.number().nullable(), via: z.string().nullable() }),
    ...(sessionOnly ? { sessionOnly } : {}),
  });

const planted = {
  who: {
    public: whoami('public'),
    visitor: whoami('visitor'),
    user: whoami('user'),
    admin: whoami('admin'),
    root: whoami('root'),
    session: whoami('user', true),
  },
  shapes: {
    literal: endpoint({
      method: 'GET',
      path: '/api/thing/search',
      access: 'public',
      summary,
      returns: z.string(),
    }),
    placeholder: endpoint({
      method: 'PUT',
      path: '/api/thing/{id}/',
      access: 'public',
      summary,
      params: idParams,
      query: z.object({ loud: queryFlag }),
      body: z.object({ name: z.string().trim().min(1) }),
      returns: z.object({ id: z.number(), name: z.string(), loud: z.boolean() }),
      extra: z.object({ total: z.number() }),
    }),
    placeholderRead: endpoint({
      method: 'GET',
      path: '/api/thing/{id}',
      access: 'public',
      summary,
      params: idParams,
      returns: z.object({ id: z.number() }),
    }),
    broken: endpoint({ method: 'GET', path: '/api/broken', access: 'public', summary, returns: z.number() }),
  },
};

const answerWho = (_: unknown, { user, via }: RequestContext) => ({ user: user?.id ?? null, via });

let app: TestApplication;
let sessions: Sessions;
let memberships: Memberships;
const hono = new Hono<HonoEnvironment>({ strict: false });
let user: Actor;
let admin: Actor;
let root: Actor;

beforeAll(async () => {
  app = await startApplication();
  sessions = openSessions(app.store, app.log);
  memberships = openMemberships(app.store);
  hono.use('*', async (context, next) => {
    const call: Call = {
      requestId: 'r',
      language: 'en',
      origin: { address: '127.0.0.1', secure: false },
      log: app.log,
      cookies: [],
    };
    context.set('call', call);
    await next();
  });
  mount(
    hono,
    planted,
    {
      who: {
        public: answerWho,
        visitor: answerWho,
        user: answerWho,
        admin: answerWho,
        root: answerWho,
        session: answerWho,
      },
      shapes: {
        literal: () => 'literal',
        // More fields than the contract names: the rest must not be sent.
        placeholder: ({ params, query, body }) => ({
          data: { id: params.id, name: body.name, loud: query.loud, password_hash: 'secret' },
          total: 7,
          internal: 'secret',
        }),
        placeholderRead: ({ params }) => ({ id: params.id }),
        broken: () => 'not a number' as unknown as number,
      },
    },
    {
      store: app.store,
      settings: app.settings,
      sessions,
      authenticator: createAuthenticator(app.store, sessions),
      memberships,
      limiter: createLimiter(() => limitsOf(app.settings.current)),
    },
  );
  user = await app.actor();
  admin = await app.actor({ role: 10 });
  root = await app.actor({ role: 100 });
});
afterAll(async () => {
  sessions.close();
  memberships.close();
  await app.close();
});

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

async function call(path: string, as?: Actor, init: Sent = {}) {
  const headers = { ...(as ? { Cookie: as.cookie, 'New-Api-User': String(as.id) } : {}), ...init.headers };
  const response = await hono.request(path, { ...init, headers }, { connection: '127.0.0.1' });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

test('ACC-8.40 each access admits its role and every higher one, and the refusal of the others names it', async () => {
  const people = { anonymous: undefined, user, admin, root };
  const seen: Record<string, Record<string, number>> = {};
  for (const access of ['public', 'visitor', 'user', 'admin', 'root'])
    for (const [name, as] of Object.entries(people))
      (seen[access] ??= {})[name] = (await call(`/api/${access}`, as)).status;
  expect(seen).toEqual({
    public: { anonymous: 200, user: 200, admin: 200, root: 200 },
    visitor: { anonymous: 200, user: 200, admin: 200, root: 200 },
    user: { anonymous: 401, user: 200, admin: 200, root: 200 },
    admin: { anonymous: 401, user: 403, admin: 200, root: 200 },
    root: { anonymous: 401, user: 403, admin: 403, root: 200 },
  });
  expect((await call('/api/root', admin)).body).toMatchObject({
    code: 'no_permission',
    message: 'You do not have permission to do this. Ask an administrator for access.',
  });
});

test('a public endpoint sees no user, a visitor endpoint sees the signed-in user', async () => {
  expect((await call('/api/public', user)).body['data']).toEqual({ user: null, via: null });
  expect((await call('/api/visitor', user)).body['data']).toEqual({ user: user.id, via: 'session' });
  expect((await call('/api/visitor', { ...user, id: admin.id })).body['data']).toEqual({
    user: null,
    via: null,
  });
  expect((await call('/api/visitor')).body['data']).toEqual({ user: null, via: null });
});

test('a session-only endpoint refuses an access token', async () => {
  const digest = app.store.vault.digest('access_token', 'token-of-the-mount-test');
  const holder = await app.createUser({ row: { access_token_digest: digest } });
  const headers = { Authorization: 'token-of-the-mount-test', 'New-Api-User': String(holder.id) };
  expect((await call('/api/user', undefined, { headers })).body['data']).toEqual({
    user: holder.id,
    via: 'access_token',
  });
  const refused = await call('/api/user-session', undefined, { headers });
  expect([refused.status, refused.body['code']]).toEqual([403, 'session_only']);
  expect((await call('/api/user-session', user)).status).toBe(200);
});

test('a literal path wins over a placeholder, with and without the last slash', async () => {
  expect((await call('/api/thing/search')).body['data']).toBe('literal');
  expect((await call('/api/thing/search/')).body['data']).toBe('literal');
  expect((await call('/api/thing/12')).body['data']).toEqual({ id: 12 });
  expect((await call('/api/thing/twelve')).body['code']).toBe('invalid_parameter');
});

test('input arrives parsed, extra fields are beside data, and undeclared fields are not sent', async () => {
  const { body } = await call('/api/thing/5?loud=1&other=2', undefined, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: '  Ann ', role: 100 }),
  });
  expect(body).toEqual({ success: true, message: '', data: { id: 5, name: 'Ann', loud: true }, total: 7 });
});

test('an answer that breaks its contract is an internal error, not a caller’s error', async () => {
  const { status, body } = await call('/api/broken');
  expect([status, body['code']]).toEqual([500, 'internal']);
});

test('a group without its handler prevents the start', () => {
  const handlers = { who: {} } as never;
  const parts = {} as never;
  expect(() => mount(new Hono<HonoEnvironment>(), { who: planted.who }, handlers, parts)).toThrow(
    'no handler for who.public',
  );
});
