// Every endpoint of the contract × every role in an organization, a member of another one and a visitor: who names an organization
// is let in only where the endpoint declares it and the table of rights allows it. Generated: a new endpoint is covered as soon as
// it is declared.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { ROLE } from '#contract/access.ts';
import { ORGANIZATION_ROLES, reachOf, type OrganizationRole } from '#contract/admin/organization-rights.ts';
import { ORGANIZATION_HEADER } from '#contract/admin/organizations.ts';
import { api } from '#contract/api.ts';
import { fillPath, type AnyEndpoint } from '#contract/endpoint.ts';
import {
  makeOrganization,
  SETTINGS,
  type Organization,
} from '#tests/integration/admin/organizations/support.ts';
import {
  startApplication,
  type Actor,
  type Reply,
  type TestApplication,
} from '#tests/support/application.ts';

setDefaultTimeout(120_000);

const endpoints = Object.entries(api).flatMap(([group, members]) =>
  Object.entries(members as Record<string, AnyEndpoint>).map(
    ([name, endpoint]) => [`${endpoint.method} ${endpoint.path} (${group}.${name})`, endpoint] as const,
  ),
);
const scoped = endpoints.filter(([, endpoint]) => endpoint.organization !== undefined);

/** They end what the matrix stands on; tests/integration/admin/organizations has them. */
const ENDS = new Set([
  '/api/organization/leave DELETE',
  '/api/organization/leave POST',
  '/api/organization/current DELETE',
]);
const ends = ({ method, path }: AnyEndpoint) => ENDS.has(`${path} ${method}`);
const endsSession = ({ method, path }: AnyEndpoint) =>
  path === '/api/user/logout' || (method === 'DELETE' && path === '/api/user/self');

let app: TestApplication;
let organization: Organization;
let stranger: Actor;
const people = {} as Record<OrganizationRole, Actor>;

beforeAll(async () => {
  app = await startApplication({ settings: SETTINGS });
  organization = await makeOrganization(app, 'Matrix');
  people.owner = organization.owner;
  for (const role of ORGANIZATION_ROLES) if (role !== 'owner') people[role] = await organization.member(role);
  stranger = (await makeOrganization(app, 'Other')).owner;
});
afterAll(() => app.close());

const call = (endpoint: AnyEndpoint, as: Actor | undefined, named: number | string = organization.id) =>
  app.request(fillPath(endpoint.path, { id: 999_999_999, user_id: 999_999_999 }), {
    method: endpoint.method,
    ...(endpoint.method === 'GET' ? {} : { body: {} }),
    as,
    headers: { [ORGANIZATION_HEADER]: String(named) },
  });

const REFUSALS = [
  'not_in_organization',
  'organization_required',
  'organization_missing',
  'organization_right_missing',
  'organization_suspended',
  'organizations_disabled',
  'not_signed_in',
  'no_permission',
];
const answerOf = ({ status, body }: Reply) => [status, body.code];

function expectAdmitted(reply: Reply): void {
  expect([401, 403, 405, 500, 503]).not.toContain(reply.status);
  expect(REFUSALS).not.toContain(reply.body.code ?? '');
}

/** Checks each and names those that deviate. */
async function onEach(
  among: typeof endpoints,
  check: (endpoint: AnyEndpoint) => Promise<void>,
): Promise<void> {
  expect(among.length).toBeGreaterThan(0);
  const deviations: string[] = [];
  for (const [name, endpoint] of among)
    try {
      await check(endpoint);
    } catch (error) {
      deviations.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  expect(deviations).toEqual([]);
}

describe('a call that names an organization', () => {
  test.each([...ORGANIZATION_ROLES])('by its %s is let in by the table of rights alone', async (role) => {
    await onEach(
      scoped.filter(([, endpoint]) => !ends(endpoint)),
      async (endpoint) => {
        const reply = await call(endpoint, people[role]);
        const reach = reachOf(role, endpoint.organization ?? 'organization.read');
        if (reach === undefined) expect(answerOf(reply)).toEqual([403, 'organization_right_missing']);
        else expectAdmitted(reply);
      },
    );
  });

  test('by a member of another organization, or for none that exists, finds nothing', async () => {
    await onEach(scoped, async (endpoint) => {
      for (const named of [organization.id, stranger.id, 999_999_999, '0', '-1', 'x', '1.5'])
        expect(answerOf(await call(endpoint, stranger, named))).toEqual([404, 'organization_missing']);
    });
  });

  test('by an administrator of the site who is no member finds nothing', async () => {
    const root = await app.actor({ role: ROLE.root });
    await onEach(scoped, async (endpoint) => {
      expect(answerOf(await call(endpoint, root))).toEqual([404, 'organization_missing']);
    });
  });

  test('by a visitor is refused', async () => {
    await onEach(scoped, async (endpoint) => {
      expect(answerOf(await call(endpoint, undefined))).toEqual([401, 'not_signed_in']);
    });
  });

  test('is refused where the endpoint knows no organizations', async () => {
    const others = endpoints.filter(
      ([, endpoint]) => endpoint.organization === undefined && !endsSession(endpoint),
    );
    const root = await app.actor({ role: ROLE.root });
    await onEach(others, async (endpoint) => {
      expect(answerOf(await call(endpoint, root))).toEqual([400, 'not_in_organization']);
    });
  });

  test('is refused when it changes something and the organization is suspended; it can be read', async () => {
    const paused = await makeOrganization(app, 'Paused');
    const root = await app.actor({ role: ROLE.root });
    await app.client(root).organizationManagement.suspend({
      params: { id: paused.id },
      body: { reason: 'unpaid' },
    });
    await onEach(scoped, async (endpoint) => {
      const reply = await call(endpoint, paused.owner, paused.id);
      if (endpoint.method === 'GET' && !endpoint.acts) expectAdmitted(reply);
      else expect(answerOf(reply)).toEqual([403, 'organization_suspended']);
    });
  });

  test('is refused while organizations are turned off', async () => {
    await app.settings.set('OrganizationsEnabled', 'false', 0);
    await onEach(scoped, async (endpoint) => {
      expect(answerOf(await call(endpoint, people.owner))).toEqual([403, 'organizations_disabled']);
    });
    await app.settings.set('OrganizationsEnabled', 'true', 0);
  });
});

test('a call that names none is refused where an organization is needed', async () => {
  await onEach(
    scoped.filter(([, endpoint]) => endpoint.organizationOnly === true),
    async (endpoint) => {
      expect(answerOf(await call(endpoint, people.owner, ''))).toEqual([400, 'organization_required']);
    },
  );
});

test('every endpoint that knows organizations is one of signed-in users, and OpenAPI names the header', async () => {
  const document = (await (await fetch(`${app.url}/api/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { parameters: { name: string; in: string; required: boolean }[] }>>;
  };
  await onEach(endpoints, async (endpoint) => {
    const operation = document.paths[endpoint.path]?.[endpoint.method.toLowerCase()];
    const header = operation?.parameters.find((parameter) => parameter.in === 'header');
    if (endpoint.organization === undefined) expect(header).toBeUndefined();
    else
      expect([header?.name, header?.required]).toEqual([
        ORGANIZATION_HEADER,
        endpoint.organizationOnly ?? false,
      ]);
    if (endpoint.organization !== undefined) expect(endpoint.access).toBe('user');
    if (endpoint.organizationOnly) expect(endpoint.organization).toBeDefined();
  });
});
