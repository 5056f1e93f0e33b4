// Attacks on signing in by the provider of an organization.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { databaseLabels } from '#tests/support/databases.ts';
import { failure } from '#tests/support/failure.ts';
import { codeOf } from '#tests/integration/admin/organizations/support.ts';
import { openSignOn, signInBy, Visitor, type SignOnScene } from './support.ts';

setDefaultTimeout(120_000);

describe.each([...databaseLabels])('%s', (database) => {
  let scene: SignOnScene;
  beforeAll(async () => {
    scene = await openSignOn(database);
  });
  afterAll(() => scene.close());

  const person = (email: string) => {
    scene.idp.people.set(email, { sub: `sub-of-${email}`, email, email_verified: true });
    return email;
  };
  const codeAt = async (visitor: Visitor, url: URL) => (await visitor.finish(url)).body.code ?? 'done';

  test('a state works once, in the browser that began, for the organization that it was begun for', async () => {
    const { domain } = await scene.organization('state.example');
    const other = await scene.organization('state-other.example');
    const email = person(`ada@${domain}`);
    const visitor = new Visitor(scene);
    const returned = await scene.idp.visit(await visitor.begin(email));

    expect(await codeAt(new Visitor(scene), returned)).toBe('outside_state_invalid');
    const stolen = new URL(returned);
    stolen.searchParams.set('state', 'x'.repeat(43));
    expect(await codeAt(visitor, stolen)).toBe('outside_state_invalid');
    expect(await codeAt(visitor, returned)).toBe('done');
    expect(await codeAt(visitor, returned)).toBe('outside_state_invalid');

    const again = new Visitor(scene);
    const mixed = await scene.idp.visit(await again.begin(email));
    mixed.pathname = `/oauth/organization/${other.id}`;
    expect(await codeAt(again, mixed)).toBe('outside_state_invalid');
    // Taken by the attempt.
    mixed.pathname = `/oauth/organization/${other.id}`;
    expect(await codeAt(again, mixed)).toBe('outside_state_invalid');
  });

  test('an answer of another issuer is refused (mix-up), as is a code of another sign-in', async () => {
    const { domain } = await scene.organization('mixup.example');
    const email = person(`ada@${domain}`);
    const visitor = new Visitor(scene);
    const returned = await scene.idp.visit(await visitor.begin(email));
    returned.searchParams.set('iss', 'https://evil.example');
    expect(await codeAt(visitor, returned)).toBe('outside_refused');
    const [mine, theirs] = [new Visitor(scene), new Visitor(scene)];
    const first = await scene.idp.visit(await mine.begin(email));
    const second = await scene.idp.visit(await theirs.begin(person(`bob@${domain}`)));
    // Injected: PKCE and the nonce bind the code to the sign-in that began.
    first.searchParams.set('code', second.searchParams.get('code') ?? '');
    expect(await codeAt(mine, first)).toBe('outside_refused');
  });

  test('a sign-in that was begun before the client changed is void', async () => {
    const { domain, owner, id } = await scene.organization('changed.example');
    const visitor = new Visitor(scene);
    const returned = await scene.idp.visit(await visitor.begin(person(`ada@${domain}`)));
    scene.idp.register({
      id: 'another-client',
      secret: 'another',
      redirectUri: `${scene.app.url}/oauth/organization/${id}`,
    });
    await owner.client.organizationSignOn.saveProvider({
      body: { issuer: scene.idp.issuer, client_id: 'another-client', client_secret: 'another' },
    });
    expect(await codeAt(visitor, returned)).toBe('outside_state_invalid');
  });

  test('no parameter leads the browser anywhere but to the provider and back to the console', async () => {
    const { domain, id } = await scene.organization('redirect.example');
    const visitor = new Visitor(scene);
    const { body } = await visitor.call('/api/oauth/organization', {
      email: person(`ada@${domain}`),
      next: 'https://evil.example',
      redirect_uri: 'https://evil.example',
    });
    const { authorize_url } = body.data as { authorize_url: string };
    const url = new URL(authorize_url);
    expect(url.origin).toBe(scene.idp.issuer);
    expect(url.searchParams.get('redirect_uri')).toBe(`${scene.app.url}/oauth/organization/${id}`);
    const returned = await scene.idp.visit(authorize_url);
    expect(returned.origin).toBe(scene.app.url);
    const reply = await visitor.finish(returned);
    expect([reply.status, reply.headers.get('location')]).toEqual([200, null]);
    // A page of another site cannot begin or end one.
    const headers = { 'Sec-Fetch-Site': 'cross-site' };
    const begun = await scene.app.request('/api/oauth/organization', {
      headers,
      body: { email: `x@${domain}` },
    });
    expect(begun.body.code).toBe('cross_site');
    const finished = await scene.app.request(`/api/oauth/organization?organization=${id}`, { headers });
    expect(finished.body.code).toBe('cross_site');
  });

  test('a suspended organization, and one whose sign-on the operator turned off, sign nobody in', async () => {
    const { domain, id } = await scene.organization('paused.example');
    const email = person(`ada@${domain}`);
    const visitor = new Visitor(scene);
    const returned = await scene.idp.visit(await visitor.begin(email));
    const admin = scene.app.client(scene.root).organizationManagement;
    await admin.suspend({ params: { id }, body: { reason: 'unpaid' } });
    expect(await codeAt(visitor, returned)).toBe('outside_state_invalid');
    expect((await failure(new Visitor(scene).begin(email))).message).toContain('sign_on_unknown');
    await admin.lift({ params: { id } });
    await scene.app.settings.set('OrganizationSignOn', 'false', 0);
    expect((await failure(new Visitor(scene).begin(email))).message).toContain('sign_on_disabled');
    await scene.app.settings.set('OrganizationSignOn', 'true', 0);
    expect((await signInBy(scene, email)).code).toBe('done');
  });

  test('the address of a provider reaches no private network unless the operator allows it, and needs https', async () => {
    const { owner } = await scene.organization('inside.example');
    const save = (issuer: string) =>
      codeOf(
        owner.client.organizationSignOn.saveProvider({
          body: { issuer, client_id: 'x', client_secret: 'y' },
        }),
      );
    await scene.app.settings.set('OrganizationSignOnPrivateAddresses', 'false', 0);
    expect(await save(scene.idp.issuer)).toBe('sign_on_issuer_invalid');
    const reached = scene.idp.issuer.replace('http:', 'https:');
    for (const issuer of [reached, 'https://127.0.0.1', 'https://[::1]', 'https://169.254.169.254'])
      expect([issuer, await save(issuer)]).toEqual([issuer, 'sign_on_issuer_unusable']);
    for (const issuer of [
      'ftp://x.example',
      'https://u:p@x.example',
      'https://x.example/?a=b',
      'javascript:1',
    ])
      expect([issuer, await save(issuer)]).toEqual([issuer, 'sign_on_issuer_invalid']);
    await scene.app.settings.set('OrganizationSignOnPrivateAddresses', 'true', 0);
  });

  test('a person who was taken over by another subject at the provider does not get the first one’s account', async () => {
    const { domain } = await scene.organization('reused.example');
    const email = person(`ada@${domain}`);
    const { actor } = await signInBy(scene, email);
    scene.idp.people.set(email, { sub: 'a-successor', email, email_verified: true });
    const { code, actor: successor } = await signInBy(scene, email);
    expect([code, successor.id]).toEqual(['sign_on_account_taken', 0]);
    expect(actor.id).toBeGreaterThan(0);
  });

  test('a second factor of the account is still asked for', async () => {
    const { domain } = await scene.organization('factor.example');
    const email = person(`ada@${domain}`);
    const { actor } = await signInBy(scene, email);
    await scene.app.store.db
      .insertInto('totp_secrets')
      .values({ user_id: actor.id, secret_sealed: 'x', enabled_at: 1 })
      .execute();
    const { reply } = await signInBy(scene, email);
    expect(reply.body.data).toEqual({ require_2fa: true });
  });
});

test('sign-ins that fail are limited by address', async () => {
  const scene = await openSignOn('sqlite', { limits: { guess: { most: 3, seconds: 600 } } });
  try {
    const codes: string[] = [];
    for (let tries = 0; tries < 5; tries += 1) {
      const { body } = await scene.app.request('/api/oauth/organization', {
        body: { email: 'x@nobody.example' },
      });
      codes.push(body.code ?? '');
    }
    expect(codes).toEqual([
      'sign_on_unknown',
      'sign_on_unknown',
      'sign_on_unknown',
      'too_many_requests',
      'too_many_requests',
    ]);
  } finally {
    await scene.close();
  }
});
