// Invitations to an organization: by username and by email, expired, revoked, of somebody else, answered twice.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { databaseLabels } from '#tests/support/databases.ts';
import type { Actor } from '#tests/support/application.ts';
import { codeOf, openScene, type Organization, type Scene } from './support.ts';

setDefaultTimeout(120_000);

describe.each([...databaseLabels])('%s', (database) => {
  let scene: Scene;
  let organization: Organization;
  beforeAll(async () => {
    scene = await openScene(database);
    organization = await scene.organization();
  });
  afterAll(() => scene.close());

  const accept = (as: Actor, body: { id: number } | { token: string }) =>
    codeOf(scene.app.client(as).invitations.accept({ body }));
  const invite = (to: string) =>
    organization.owner.client.invitations.create({ body: { to, role: 'member' } });

  test('an invitation by username is for that account alone, and is answered once', async () => {
    const { app } = scene;
    const [invited, other] = [await app.actor(), await app.actor()];
    const { id, state } = await invite(invited.username.toUpperCase());
    expect(state).toBe('open');
    expect(await accept(other, { id })).toBe('invitation_missing');
    expect(await app.client(invited).invitations.mine()).toMatchObject([
      { id, kind: 'join', organization_name: 'Acme', role: 'member', state: 'open' },
    ]);
    expect(await codeOf(invite(invited.username))).toBe('invitation_open');
    const answers = await Promise.all([accept(invited, { id }), accept(invited, { id })]);
    expect(answers.toSorted()).toEqual(['done', 'invitation_answered']);
    expect(await codeOf(invite(invited.username))).toBe('already_member');
    expect(await app.client(invited).invitations.mine()).toEqual([]);
  });

  test('a declined, revoked or expired invitation makes nobody a member', async () => {
    const { app } = scene;
    const person = await app.actor();
    const declined = await invite(person.username);
    await app.client(person).invitations.decline({ body: { id: declined.id } });
    expect(await accept(person, { id: declined.id })).toBe('invitation_answered');
    const revoked = await invite(person.username);
    await organization.owner.client.invitations.revoke({ params: { id: revoked.id } });
    expect(await accept(person, { id: revoked.id })).toBe('invitation_missing');
    const expired = await invite(person.username);
    await app.store.db
      .updateTable('organization_invitations')
      .set({ expires_at: Math.floor(Date.now() / 1000) - 1, sent_at: 0 })
      .where('id', '=', expired.id)
      .execute();
    expect(await accept(person, { id: expired.id })).toBe('invitation_expired');
    const { items } = await organization.owner.client.invitations.list({ query: { state: 'expired' } });
    expect(items.map(({ id }) => id)).toEqual([expired.id]);
    await organization.owner.client.invitations.resend({ params: { id: expired.id } });
    expect(await accept(person, { id: expired.id })).toBe('done');
  });

  test('without a mail server an address cannot be invited; an unknown name is refused', async () => {
    expect(await codeOf(invite('somebody@example.com'))).toBe('mail_not_configured');
    expect(await codeOf(invite('nobody-of-this-name'))).toBe('invited_user_unknown');
    expect(await codeOf(invite('@acme'))).toBe('invited_user_unknown');
  });

  test('an invitation by email works by its newest link, or for whoever has bound the address', async () => {
    const { app } = scene;
    await app.settings.set('SMTPServer', '127.0.0.1', 0);
    await app.settings.set('SMTPFrom', 'gate@example.com', 0);
    const linkIn = async (recipient: string): Promise<string> => {
      const mail = await app.store.db
        .selectFrom('mails')
        .selectAll()
        .where('recipient', '=', recipient)
        .orderBy('id', 'desc')
        .executeTakeFirstOrThrow();
      // Sealed: the link opens the organization.
      expect(mail.sealed).toBe(1);
      const text = app.store.vault.open(mail.body, `mails:${mail.created_at}:${mail.recipient}`);
      return /token=([\w-]+)/.exec(text)?.[1] ?? '';
    };
    const { id } = await invite('New@Example.com');
    const first = await linkIn('new@example.com');
    const resend = () => codeOf(organization.owner.client.invitations.resend({ params: { id } }));
    expect(await resend()).toBe('invitation_sent_recently');
    await app.store.db
      .updateTable('organization_invitations')
      .set({ sent_at: 1 })
      .where('id', '=', id)
      .execute();
    expect(await resend()).toBe('done');
    const second = await linkIn('new@example.com');
    const person = await app.actor();
    expect(await accept(person, { token: first })).toBe('invitation_missing');
    expect(await accept(person, { id })).toBe('invitation_missing');
    const visitor = await app.client().invitations.readByToken({ body: { token: second } });
    expect(visitor).toMatchObject({ id: 0, organization_name: 'Acme', state: 'open', role: 'member' });
    expect(await accept(person, { token: second })).toBe('done');
    expect(await accept(person, { token: second })).toBe('invitation_answered');

    const owner = await app.actor({ row: { email: 'Bound@example.com' } });
    const bound = await invite('bound@example.com');
    expect((await app.client(owner).invitations.mine()).map((each) => each.id)).toEqual([bound.id]);
    expect(await accept(owner, { id: bound.id })).toBe('done');
    expect(await codeOf(invite('bound@example.com'))).toBe('already_member');
  });

  test('who is removed cannot come back by an invitation of their own', async () => {
    const { app } = scene;
    const admin = await organization.member('admin');
    const friend = await app.actor();
    const { id } = await admin.client.invitations.create({ body: { to: friend.username, role: 'admin' } });
    await organization.owner.client.members.remove({ params: { user_id: admin.id }, body: {} });
    expect(await accept(friend, { id })).toBe('invitation_missing');
  });

  test('nobody joins a suspended organization, and its owners get the reason by mail', async () => {
    const { app } = scene;
    const own = await scene.organization('Paused');
    await app.settings.set('SMTPServer', '127.0.0.1', 0);
    await app.settings.set('SMTPFrom', 'gate@example.com', 0);
    await app.store.db
      .updateTable('users')
      .set({ email: 'paused@example.com' })
      .where('id', '=', own.owner.id)
      .execute();
    const person = await app.actor();
    const { id } = await own.owner.client.invitations.create({
      body: { to: person.username, role: 'member' },
    });
    await app.client(scene.root).organizationManagement.suspend({
      params: { id: own.id },
      body: { reason: 'unpaid bill' },
    });
    const letter = await app.store.db
      .selectFrom('mails')
      .selectAll()
      .where('recipient', '=', 'paused@example.com')
      .executeTakeFirstOrThrow();
    expect(letter.body).toContain('unpaid bill');
    expect(await accept(person, { id })).toBe('organization_suspended');
  });
});
