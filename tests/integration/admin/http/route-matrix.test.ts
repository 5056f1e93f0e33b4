// Every endpoint of the contract × every kind of caller, generated: the wired server enforces the declared `access`. A
// new endpoint is covered as soon as it is declared.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { REQUIRED_ROLE, ROLE } from '#contract/access.ts';
import { api } from '#contract/api.ts';
import { fillPath, type AnyEndpoint } from '#contract/endpoint.ts';
import { STEP_UP_SECONDS } from '#contract/admin/security.ts';
import { faultSeen } from '#tests/support/fault-report.ts';
import {
  startApplication,
  type Actor,
  type Reply,
  type TestApplication,
} from '#tests/support/application.ts';

const endpoints = Object.entries(api).flatMap(([group, members]) =>
  Object.entries(members as Record<string, AnyEndpoint>).map(
    ([name, endpoint]) => [`${endpoint.method} ${endpoint.path} (${group}.${name})`, endpoint] as const,
  ),
);

setDefaultTimeout(120_000);

let app: TestApplication;
const actors = {} as Record<'user' | 'admin' | 'root', Actor>;

beforeAll(async () => {
  app = await startApplication();
  actors.user = await app.actor({ role: ROLE.user });
  actors.admin = await app.actor({ role: ROLE.admin });
  actors.root = await app.actor({ role: ROLE.root });
});
afterAll(() => app.close());

/** An id of no user: the matrix tests access, not the handlers. */
const urlOf = (endpoint: AnyEndpoint) => fillPath(endpoint.path, { id: 999_999_999 });

const call = (endpoint: AnyEndpoint, options: { as?: Actor; headers?: Record<string, string> } = {}) =>
  app.request(urlOf(endpoint), {
    method: endpoint.method,
    ...(endpoint.method === 'GET' ? {} : { body: {} }),
    ...options,
  });

/** True when access was granted: the handler may refuse, but not with an error of the access check. */
function expectAdmitted(reply: Reply): void {
  expect([401, 403, 405, 500, 503]).not.toContain(reply.status);
  expect(['not_signed_in', 'user_header_mismatch', 'no_permission', 'unknown_route']).not.toContain(
    reply.body.code ?? '',
  );
}

const isOpen = (endpoint: AnyEndpoint) => endpoint.access === 'public' || endpoint.access === 'visitor';
const endsSession = ({ method, path }: AnyEndpoint) =>
  path === '/api/user/logout' || (method === 'DELETE' && path === '/api/user/self');

/** Checks every endpoint and names those that deviate. */
async function onEvery(
  check: (endpoint: AnyEndpoint) => void | Promise<void>,
  isMeant: (endpoint: AnyEndpoint) => boolean = () => true,
): Promise<void> {
  const meant = endpoints.filter(([, endpoint]) => isMeant(endpoint));
  expect(meant.length).toBeGreaterThan(0);
  const deviations: string[] = [];
  for (const [name, endpoint] of meant) {
    try {
      await check(endpoint);
    } catch (error) {
      deviations.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  expect(deviations).toEqual([]);
}

describe('every endpoint', () => {
  test('declares its access, its summary in both languages and its answer (R23)', async () => {
    expect(endpoints.length).toBeGreaterThan(200);
    await onEvery((endpoint) => {
      expect(Object.keys(REQUIRED_ROLE)).toContain(endpoint.access);
      expect(endpoint.summary.zh.length).toBeGreaterThan(0);
      expect(endpoint.summary.en.length).toBeGreaterThan(0);
      expect(endpoint.path).toStartWith('/api/');
    });
  });

  test('S1 anonymous (plan S1)', async () => {
    await onEvery(async (endpoint) => {
      const reply = await call(endpoint);
      if (isOpen(endpoint)) expectAdmitted(reply);
      else expect([reply.status, reply.body.code]).toEqual([401, 'not_signed_in']);
    });
    faultSeen('S1', `${endpoints.length} endpoints called by a visitor, a user, an admin and a super admin`);
  });

  test.each(['user', 'admin', 'root'] as const)('S1 signed in as %s (plan S1)', async (role) => {
    await onEvery(
      async (endpoint) => {
        const reply = await call(endpoint, { as: actors[role] });
        if (ROLE[role] >= REQUIRED_ROLE[endpoint.access]) expectAdmitted(reply);
        else expect([reply.status, reply.body.code]).toEqual([403, 'no_permission']);
      },
      // Calls to the others would sign out the shared actors; other files test them.
      (endpoint) => !endsSession(endpoint),
    );
  });

  test('S6 a session with the user-id header of another user (plan S6)', async () => {
    const as = { ...actors.root, id: actors.user.id };
    await onEvery(async (endpoint) => {
      const reply = await call(endpoint, { as });
      if (isOpen(endpoint) && !endsSession(endpoint)) expectAdmitted(reply);
      else expect([reply.status, reply.body.code]).toEqual([401, 'user_header_mismatch']);
    });
    faultSeen('S6', `${endpoints.length} endpoints: each that needs a user answers 401`);
  });

  test.each<Record<string, string>>([
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
    { Origin: 'https://evil.example' },
  ])('A7 a page of another site with the victim’s session (%o) (plan A7)', async (headers) => {
    await onEvery(async (endpoint) => {
      const reply = await call(endpoint, { as: actors.root, headers });
      expect([reply.status, reply.body.code]).toEqual([403, 'cross_site']);
    });
    faultSeen('A7', `${endpoints.length} endpoints, 3 kinds of cross-site requests: refused`);
  });

  test('ACC-7.01 ACC-7.02 ACC-7.03 the answer has success, message and data, with and without the last slash', async () => {
    await onEvery(async (endpoint) => {
      const path = urlOf(endpoint);
      for (const variant of [path.replace(/\/$/, ''), `${path.replace(/\/$/, '')}/`]) {
        const reply = await app.request(variant, {
          method: endpoint.method,
          ...(endpoint.method === 'GET' ? {} : { body: {} }),
        });
        expect(Object.keys(reply.body)).toContain('success');
        expect(Object.keys(reply.body)).toContain('message');
        expect(Object.keys(reply.body)).toContain('data');
        expect(reply.body.code).not.toBe('unknown_route');
      }
    });
  });

  test('a system access token on endpoints for browsers only', async () => {
    await onEvery(
      async (endpoint) => {
        const token = `matrix-token-${endpoint.method}-${endpoint.path}`;
        const digest = app.store.vault.digest('access_token', token);
        const holder = await app.createUser({ role: ROLE.root, row: { access_token_digest: digest } });
        const reply = await call(endpoint, {
          headers: { Authorization: token, 'New-Api-User': String(holder.id) },
        });
        expect([reply.status, reply.body.code]).toEqual([403, 'session_only']);
      },
      (endpoint) => endpoint.sessionOnly === true,
    );
  });
});

describe('endpoints that need more than a session', () => {
  const stepUps = endpoints.filter(([, endpoint]) => endpoint.stepUp);
  test('A13 a session without a recent step-up is refused before every sensitive call (plan A13)', async () => {
    expect(stepUps.length).toBeGreaterThan(5);
    const old = await app.actor({ role: ROLE.root });
    const before = Math.floor(Date.now() / 1000) - STEP_UP_SECONDS - 1;
    await app.store.db
      .updateTable('sessions')
      .set({ verified_at: before })
      .where('user_id', '=', old.id)
      .execute();
    await app.store.changes.announce('sessions');
    for (const [name, endpoint] of stepUps) {
      const reply = await call(endpoint, { as: old });
      expect([name, reply.status, reply.body.code]).toEqual([name, 403, 'step_up_required']);
    }
    faultSeen('A13', `${stepUps.length} sensitive endpoints without a recent step-up: 403`);
  });

  test('decisions about the money of others are among them (M21)', () => {
    const ofMoney = /\(((?:orders|plans|agents|rerating)\.\w+)\)$/;
    const names = stepUps.flatMap(([name]) => ofMoney.exec(name)?.[1] ?? []);
    expect(names.toSorted()).toEqual([
      'agents.decide',
      'agents.set',
      'agents.withdraw',
      'orders.complete',
      'orders.endRefund',
      'orders.refund',
      'plans.end',
      'plans.grant',
      'rerating.apply',
      'rerating.undo',
    ]);
  });

  test('A7 a GET with side effects is refused to pages of other sites even without a session (plan A7)', async () => {
    const acting = endpoints.filter(([, endpoint]) => endpoint.method === 'GET' && endpoint.acts);
    expect(acting.length).toBeGreaterThan(2);
    for (const [name, endpoint] of acting) {
      const reply = await call(endpoint, { headers: { 'Sec-Fetch-Site': 'cross-site' } });
      expect([name, reply.status, reply.body.code]).toEqual([name, 403, 'cross_site']);
    }
    faultSeen('A7', `${acting.length} GETs with side effects: refused to other sites`);
  });
});

test('S1 every route the server mounts is declared: unknown paths and methods are 404 for every caller (plan S1)', async () => {
  const unknown = [
    ['GET', '/api/'],
    ['GET', '/api/nothing-here'],
    ['DELETE', '/api/status'],
    ['POST', '/api/user/self'],
    ['PATCH', '/api/token/1'],
    ['GET', '/api/user/self/../../secrets'],
  ] as const;
  for (const [method, path] of unknown) {
    for (const as of [undefined, actors.root]) {
      const reply = await app.request(path, { method, as });
      expect([method, path, reply.status, reply.body.code]).toEqual([method, path, 404, 'unknown_route']);
    }
  }
  faultSeen('S1', `${unknown.length} unknown routes: 404`);
});

test('S2 other owner: no id of one user is found by another, not even by an admin (plan S2)', async () => {
  const owner = await app.actor();
  const [token] = await app.client(owner).tokens.create({ body: { name: 'mine' } });
  expect(token).toBeDefined();
  const withId = endpoints.filter(
    ([, endpoint]) => endpoint.access === 'user' && endpoint.path.startsWith('/api/token/{id}'),
  );
  expect(withId.length).toBeGreaterThan(0);
  for (const as of [actors.user, actors.admin, actors.root]) {
    for (const [, endpoint] of withId) {
      const reply = await app.request(fillPath(endpoint.path, { id: token?.id }), {
        method: endpoint.method,
        as,
      });
      expect([reply.status, reply.body.code]).toEqual([404, 'not_found']);
    }
  }
  faultSeen('S2', `a token of another user on ${withId.length} endpoints, also as admin: 404`);
});

test('ACC-3.019 ACC-3.020 ACC-3.021 ACC-6.01 ACC-6.07 ACC-6.10 the role numbers are those of the spec', () => {
  expect(ROLE).toEqual({ guest: 0, user: 1, admin: 10, root: 100 });
});
