// Nothing changes for a person without an organization: a call in the personal scope reads nothing more, neither on the admin API
// nor on the relay.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { KyselyPlugin } from 'kysely';
import { tokens } from '#contract/admin/tokens.ts';
import { openMemberships } from '#server/admin/http/memberships.ts';
import { scopeOf } from '#server/admin/http/organization-scope.ts';
import { createAuthenticator } from '#server/relay/caller/authenticate.ts';
import type { Store } from '#server/platform/store/store.ts';
import { openScene, type Scene } from './support.ts';

setDefaultTimeout(120_000);
let scene: Scene;
beforeAll(async () => {
  scene = await openScene('sqlite');
});
afterAll(() => scene.close());

/** The store, and the tables that its statements begin with. */
function counted(): { store: Store; statements: string[] } {
  const statements: string[] = [];
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      statements.push(node.kind);
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  };
  return { store: { ...scene.app.store, db: scene.app.store.db.withPlugin(plugin) }, statements };
}

test('a call of the admin API in the personal scope reads no membership; one for an organization one row, then none', async () => {
  const { store, statements } = counted();
  const memberships = openMemberships(store);
  const { id, owner } = await scene.organization();
  const parts = { memberships, settings: scene.app.settings };
  const user = { id: owner.id, username: owner.username, role: 1, group: 'default' };
  const request = (headers: Record<string, string>) =>
    new Request('http://localhost/api/token/', { headers });
  expect(await scopeOf(tokens.list, request({}), user, parts)).toBeUndefined();
  expect(statements).toEqual([]);
  const named = request({ 'Tollgate-Organization': String(id) });
  for (let calls = 0; calls < 5; calls += 1)
    expect(await scopeOf(tokens.list, named, user, parts)).toMatchObject({
      id,
      role: 'owner',
      seesAll: true,
    });
  expect(statements).toHaveLength(1);
  memberships.close();
});

test('a key of a person is looked up with one statement, one of an organization with two, and neither again', async () => {
  const { store, statements } = counted();
  const authenticator = createAuthenticator(store);
  const { owner } = await scene.organization();
  const settings = scene.app.settings.current;
  const lookUps = async (key: string): Promise<number> => {
    const before = statements.length;
    for (let calls = 0; calls < 4; calls += 1) {
      const headers = new Headers({ authorization: `Bearer sk-${key}` });
      await authenticator.authenticate({ url: 'http://localhost/v1/models', headers }, '127.0.0.1', settings);
    }
    return statements.length - before;
  };
  const [personal] = await owner.own.tokens.create({ body: { name: 'personal', unlimited_quota: true } });
  const [shared] = await owner.client.tokens.create({ body: { name: 'shared', unlimited_quota: true } });
  expect(await lookUps(personal?.key ?? '')).toBe(1);
  expect(await lookUps(shared?.key ?? '')).toBe(2);
  authenticator.close();
});

test('what a person is answered has no field of organizations', async () => {
  const person = await scene.app.actor();
  const client = scene.app.client(person);
  const [token] = await client.tokens.create({ body: { name: 'plain' } });
  const fields = Object.keys(token ?? {}).filter((name) => /member|project|service_account/.test(name));
  expect(fields).toEqual([]);
  const { id = 0 } = token ?? {};
  expect((await client.tokens.page({ params: { id }, query: {} })).holder).toBeUndefined();
  const file = await fetch(`${scene.app.url}/api/log/self/export?format=csv`, {
    headers: { Cookie: person.cookie, 'New-Api-User': String(person.id) },
  });
  expect(await file.text()).not.toContain('member_name');
});
