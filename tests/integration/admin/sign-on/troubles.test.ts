// What goes wrong with the sign-on of an organization: its owners and admins see it until it is over, and strangers cannot bring it about.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { AttentionItem } from '#contract/admin/attention.ts';
import { DOMAIN_GRACE_SECONDS, SCIM_ROOT } from '#contract/admin/sign-on.ts';
import { DAY_SECONDS, unixSeconds } from '#contract/time.ts';
import { MOST_SUBJECTS, noteTrouble, troublesOf } from '#server/admin/organizations/sign-on/troubles.ts';
import { startOidc, type OidcServer } from '#mock/logins/oidc.ts';
import { databaseLabels } from '#tests/support/databases.ts';
import { startIdentityProvider } from '#tests/support/identity-provider.ts';
import type { Member } from '#tests/integration/admin/organizations/support.ts';
import { openSignOn, signInBy, Visitor, type SignedOrganization, type SignOnScene } from './support.ts';

setDefaultTimeout(120_000);

describe.each([...databaseLabels])('%s', (database) => {
  let scene: SignOnScene;
  let oidc: OidcServer;
  beforeAll(async () => {
    oidc = await startOidc();
    scene = await openSignOn(database, {
      settings: { SMTPServer: '127.0.0.1', SMTPFrom: 'gate@example.com' },
    });
  });
  afterAll(async () => {
    await scene.close();
    await oidc.close();
  });

  const db = () => scene.app.store.db;
  const needs = async ({ client }: Pick<Member, 'client'>) =>
    (await client.attention.list()).items.filter(({ menu }) => menu === '/organization-sign-on');
  const need = async (organization: SignedOrganization, kind: AttentionItem['kind']) =>
    (await needs(organization.owner)).find((item) => item.kind === kind);
  const check = async () => {
    const job = async () =>
      (await scene.app.client(scene.root).jobs.list()).find(({ name }) => name === 'sign-on-check');
    const runs = (await job())?.runs ?? 0;
    await scene.app.request('/api/jobs/sign-on-check/run', { as: scene.root, body: {} });
    for (;;) {
      const now = await job();
      if ((now?.runs ?? 0) > runs && now?.state !== 'running') return now;
      await Bun.sleep(10);
    }
  };
  function person(email: string, more: object = {}): void {
    scene.idp.people.set(email, { sub: email, email, email_verified: true, name: email, ...more });
  }
  const mails = async (recipient: string) => {
    const rows = await db()
      .selectFrom('mails')
      .select('subject')
      .where('recipient', '=', recipient)
      .execute();
    return rows.map(({ subject }) => subject);
  };

  test('a provider that does not answer is said until it answers, and stops sign-ins after an hour', async () => {
    const own = await startIdentityProvider();
    const acme = await scene.organization('away.example');
    own.register({ id: 'client-away', secret: 'a-secret-of-tests', redirectUri: 'http://127.0.0.1/none' });
    await acme.owner.client.organizationSignOn.saveProvider({
      body: { issuer: own.issuer, client_id: 'client-away', client_secret: 'a-secret-of-tests' },
    });
    await check();
    expect(await needs(acme.owner)).toEqual([]);
    await own.close();
    expect((await check())?.state).not.toBe('failed');
    expect(await need(acme, 'sign_on_unreachable')).toMatchObject({
      id: `sign_on_unreachable:${acme.id}`,
      severity: 'act',
      action: 'open_sign_on',
      address: '/organization-sign-on',
      values: { address: `${own.issuer}/.well-known/openid-configuration` },
    });
    await db()
      .updateTable('sign_on_troubles')
      .set({ first_at: unixSeconds() - 3600 })
      .where('organization_id', '=', acme.id)
      .execute();
    expect((await need(acme, 'sign_on_unreachable'))?.severity).toBe('stop');
    // Admins see it and look; nobody else does.
    const admin = await acme.member('admin');
    expect((await needs(admin))[0]?.action).toBe('look');
    expect(await needs(await acme.member('viewer'))).toEqual([]);
    const { redirect_uri } = await acme.owner.client.organizationSignOn.read();
    scene.idp.register({ id: 'client-back', secret: 'a-secret-of-tests', redirectUri: redirect_uri });
    await acme.owner.client.organizationSignOn.saveProvider({
      body: { issuer: scene.idp.issuer, client_id: 'client-back', client_secret: 'a-secret-of-tests' },
    });
    expect(await needs(acme.owner)).toEqual([]);
  });

  test('a client secret that the provider refuses is said until somebody signs in again', async () => {
    const acme = await scene.organization('secret.example');
    person('anna@secret.example');
    await acme.owner.client.organizationSignOn.saveProvider({
      body: { issuer: scene.idp.issuer, client_id: `client-${acme.id}`, client_secret: 'an-old-secret' },
    });
    expect((await signInBy(scene, 'anna@secret.example')).code).toBe('outside_refused');
    expect((await signInBy(scene, 'anna@secret.example')).code).toBe('outside_refused');
    expect(await need(acme, 'sign_on_secret')).toMatchObject({
      severity: 'stop',
      values: { refusals: 2 },
    });
    // Saved with the right one, nothing is known against it.
    await acme.owner.client.organizationSignOn.saveProvider({
      body: {
        issuer: scene.idp.issuer,
        client_id: `client-${acme.id}`,
        client_secret: 'a-secret-of-tests',
        scopes: 'email profile',
      },
    });
    expect(await needs(acme.owner)).toEqual([]);
    expect((await signInBy(scene, 'anna@secret.example')).code).toBe('done');
  });

  test('a clock that differs, and answers for another client or with an unknown key, until somebody signs in', async () => {
    const acme = await scene.organization('clock.example');
    await acme.owner.client.organizationSignOn.saveProvider({
      body: { issuer: oidc.url, client_id: oidc.clientId, client_secret: oidc.clientSecret },
    });
    oidc.user = { sub: 'anna', name: 'Anna', email: 'anna@clock.example', email_verified: true };
    const signIn = async (claims: object, header: object = {}) => {
      Object.assign(oidc, { claims, header });
      const visitor = new Visitor(scene);
      const url = await visitor.begin('anna@clock.example');
      const { searchParams } = new URL(url);
      const state = searchParams.get('state') ?? '';
      const query = { organization: String(acme.id), code: oidc.code(url), state, iss: oidc.url };
      const { body } = await visitor.call(`/api/oauth/organization?${new URLSearchParams(query).toString()}`);
      return body.success ? 'done' : body.code;
    };
    const kinds = async () => (await needs(acme.owner)).map(({ kind }) => kind);
    for (const claims of [{ iat: unixSeconds() + 600 }, { exp: unixSeconds() - 120 }]) {
      expect(await signIn(claims)).toBe('outside_refused');
      expect(await kinds()).toEqual(['sign_on_clock']);
      expect(await signIn({})).toBe('done');
      expect(await kinds()).toEqual([]);
    }
    for (const [claims, header] of [
      [{ aud: 'somebody-else' }, {}],
      [{}, { kid: 'unknown' }],
    ] as const) {
      expect(await signIn(claims, header)).toBe('outside_refused');
      expect(await kinds()).toEqual(['sign_on_answer']);
      expect(await signIn({})).toBe('done');
      expect(await kinds()).toEqual([]);
    }
  });

  test('a code that a stranger makes up is nobody’s trouble', async () => {
    const acme = await scene.organization('stranger.example');
    const visitor = new Visitor(scene);
    const { searchParams } = new URL(await visitor.begin('anybody@stranger.example'));
    const query = new URLSearchParams({
      organization: String(acme.id),
      code: 'made-up',
      state: searchParams.get('state') ?? '',
    });
    const reply = await visitor.call(`/api/oauth/organization?${query.toString()}`);
    expect(reply.body.code).toBe('outside_refused');
    expect(await needs(acme.owner)).toEqual([]);
  });

  test('people whose address is not verified, or of no verified domain, are one item, each until they are in', async () => {
    const acme = await scene.organization('claims.example');
    person('bob@claims.example', { email_verified: false });
    person('eve@claims.example', { email: 'eve@elsewhere.example' });
    scene.idp.people.set('eve@claims.example', {
      sub: 'eve',
      email: 'eve@elsewhere.example',
      email_verified: true,
    });
    expect((await signInBy(scene, 'bob@claims.example')).code).toBe('sign_on_email_unverified');
    const first = await need(acme, 'sign_on_claim');
    expect(first).toMatchObject({
      severity: 'act',
      count: 1,
      values: { name: 'bob@claims.example', unverified: 1, foreign: 0 },
    });
    await signInBy(scene, 'bob@claims.example');
    expect((await need(acme, 'sign_on_claim'))?.mark).toBe(first?.mark ?? '');
    expect((await signInBy(scene, 'eve@claims.example')).code).toBe('sign_on_domain_foreign');
    expect(await need(acme, 'sign_on_claim')).toMatchObject({
      count: 2,
      values: { unverified: 1, foreign: 1 },
    });
    person('bob@claims.example');
    expect((await signInBy(scene, 'bob@claims.example')).code).toBe('done');
    expect(await need(acme, 'sign_on_claim')).toMatchObject({
      count: 1,
      values: { name: 'eve@elsewhere.example' },
    });
    // What did not happen for a week is over.
    await db()
      .updateTable('sign_on_troubles')
      .set({ last_at: unixSeconds() - 8 * DAY_SECONDS })
      .where('organization_id', '=', acme.id)
      .execute();
    expect(await needs(acme.owner)).toEqual([]);
  });

  test('addresses that are refused are a bounded number, and hide no other trouble', async () => {
    const acme = await scene.organization('many.example');
    const note = (reason: 'foreign' | 'unreachable', subject: string) =>
      noteTrouble(scene.app.store, { organizationId: acme.id, reason, subject });
    for (let number = 0; number <= MOST_SUBJECTS; number += 1)
      await note('foreign', `${number}@elsewhere.example`);
    await note('foreign', '0@elsewhere.example');
    await note('unreachable', '');
    const rows = await troublesOf(db(), acme.id);
    const last = `${MOST_SUBJECTS}@elsewhere.example`;
    expect(rows.length).toBe(MOST_SUBJECTS + 1);
    expect(rows.some(({ subject }) => subject === last)).toBe(false);
    expect(rows.find(({ subject }) => subject === '0@elsewhere.example')?.count).toBe(2);
    expect(rows.some(({ reason }) => reason === 'unreachable')).toBe(true);
  });

  test('a domain without its record works for seven days, then leads here no more, and can be proven again', async () => {
    const acme = await scene.organization('gone.example');
    await db()
      .updateTable('users')
      .set({ email: 'owner@gone.test' })
      .where('id', '=', acme.owner.id)
      .execute();
    person('anna@gone.example');
    const domain = async () => {
      const { domains } = await acme.owner.client.organizationSignOn.read();
      const [found] = domains;
      if (found === undefined) throw new Error('no domain');
      return found;
    };
    const { id, record_name, record_value } = await domain();
    const set = (columns: { read_at?: number; missing_since?: number }) =>
      db().updateTable('sign_on_domains').set(columns).where('id', '=', id).execute();
    // Read a moment ago: not asked again.
    scene.names.records.delete(record_name);
    await check();
    expect((await domain()).missing_since).toBe(0);
    await set({ read_at: unixSeconds() - DAY_SECONDS });
    await check();
    const missing = await domain();
    expect(missing.ends_at).toBe(missing.missing_since + DOMAIN_GRACE_SECONDS);
    expect(await need(acme, 'domain_unproven')).toMatchObject({
      severity: 'act',
      values: { name: 'gone.example', record: record_name, ends_at: missing.ends_at },
    });
    expect((await signInBy(scene, 'anna@gone.example')).code).toBe('done');
    await check();
    expect(await mails('owner@gone.test')).toHaveLength(1);
    // Put back: as if nothing had been.
    scene.names.records.set(record_name, [record_value]);
    await check();
    expect((await domain()).missing_since).toBe(0);
    expect(await needs(acme.owner)).toEqual([]);

    scene.names.records.delete(record_name);
    await set({ read_at: 0, missing_since: unixSeconds() - DOMAIN_GRACE_SECONDS + 60 });
    await check();
    expect((await domain()).verified_at).toBeGreaterThan(0);
    await set({ missing_since: unixSeconds() - DOMAIN_GRACE_SECONDS });
    await check();
    expect(await domain()).toMatchObject({ verified_at: 0, ends_at: 0 });
    expect(await need(acme, 'domain_lost')).toMatchObject({ severity: 'stop' });
    expect(await mails('owner@gone.test')).toHaveLength(2);
    const refused: unknown = await new Visitor(scene)
      .begin('anna@gone.example')
      .catch((error: unknown) => error);
    expect(String(refused)).toContain('sign_on_unknown');
    const audited = await db()
      .selectFrom('audit')
      .select(['action', 'actor_name'])
      .where('organization_id', '=', acme.id)
      .where('actor_name', '=', 'job')
      .orderBy('id')
      .execute();
    expect(audited.map(({ action }) => action)).toEqual(['sign_on.miss_domain', 'sign_on.lose_domain']);

    scene.names.records.set(record_name, [record_value]);
    await acme.owner.client.organizationSignOn.verifyDomain({ params: { id } });
    expect(await needs(acme.owner)).toEqual([]);
    expect((await signInBy(scene, 'anna@gone.example')).code).toBe('done');
  });

  test('a name server that does not answer says nothing about a domain', async () => {
    const acme = await scene.organization('silent.example');
    const [domain] = (await acme.owner.client.organizationSignOn.read()).domains;
    scene.names.failing.add(domain?.record_name ?? '');
    await db()
      .updateTable('sign_on_domains')
      .set({ read_at: 0 })
      .where('organization_id', '=', acme.id)
      .execute();
    await check();
    expect((await acme.owner.client.organizationSignOn.read()).domains).toEqual([domain as never]);
    scene.names.failing.clear();
  });

  test('SCIM keys that are refused, revoked and still used, or not used', async () => {
    const acme = await scene.organization('keys.example');
    const scim = (token: string, body: object) =>
      scene.app.request(`${SCIM_ROOT}/Users`, { headers: { Authorization: `Bearer ${token}` }, body });
    const used = await acme.token('used');
    const user = (email: string) => ({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName: email,
      emails: [{ value: email, primary: true }],
    });
    expect((await scim(used, user('a@keys.example'))).status).toBe(201);
    // There already: the provider knows what to do.
    expect((await scim(used, user('a@keys.example'))).status).toBe(409);
    expect(await needs(acme.owner)).toEqual([]);
    expect((await scim(used, user('a@other.example'))).status).toBe(400);
    const refused = await need(acme, 'scim_refused');
    expect(refused).toMatchObject({ severity: 'act', values: { name: 'used', refusals: 1 } });
    expect(refused?.values['reason']).toContain('400');

    const [token] = (await acme.owner.client.organizationSignOn.read()).tokens;
    await acme.owner.client.organizationSignOn.revokeToken({ params: { id: token?.id ?? 0 } });
    expect(await needs(acme.owner)).toEqual([]);
    expect((await acme.owner.client.organizationSignOn.read()).tokens).toEqual([]);
    expect((await scim(used, user('b@keys.example'))).status).toBe(401);
    expect(await needs(acme.owner)).toMatchObject([
      { kind: 'scim_revoked', severity: 'act', values: { name: 'used', refusals: 1 } },
    ]);
    await db().deleteFrom('sign_on_troubles').where('organization_id', '=', acme.id).execute();

    await acme.token('idle');
    expect(await needs(acme.owner)).toEqual([]);
    await db()
      .updateTable('scim_tokens')
      .set({ created_at: unixSeconds() - 31 * DAY_SECONDS })
      .where('organization_id', '=', acme.id)
      .execute();
    expect(await needs(acme.owner)).toMatchObject([
      { kind: 'scim_unused', severity: 'wait', count: 1, values: { name: 'idle', days: 30 } },
    ]);
  });

  test('the operator’s switch ends all of it', async () => {
    const acme = await scene.organization('off.example');
    person('carl@off.example', { email_verified: false });
    await signInBy(scene, 'carl@off.example');
    expect(await needs(acme.owner)).toHaveLength(1);
    await scene.app.settings.set('OrganizationSignOn', 'false', 0);
    expect(await needs(acme.owner)).toEqual([]);
    await scene.app.settings.set('OrganizationSignOn', 'true', 0);
  });
});
