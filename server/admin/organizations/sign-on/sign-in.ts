// Signs in a person whom the provider has vouched for: finds or makes the account, the membership and its role in one transaction.
import type { LoginAnswer } from '#contract/admin/session.ts';
import { AppError } from '#contract/errors.ts';
import { unixSeconds } from '#contract/time.ts';
import type { RequestContext } from '#server/admin/context.ts';
import { lockOrganization, memberOf } from '#server/admin/organizations/acting.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { Transaction } from 'kysely';
import { accountOf, requireOrdinary, withFreeName } from './account.ts';
import { domainOf, isVerifiedDomain, requireActive } from './allowed.ts';
import type { SignOnDependencies } from './dependencies.ts';
import type { SignOnIdentity } from './identity.ts';
import { applyGroups, becomeMember, type MemberChange } from './mapping.ts';

type Person = Row<'sign_on_people'>;

interface Signed {
  person: Person;
  linked: 'join' | 'link' | undefined;
  isMember: boolean;
  change: MemberChange | undefined;
}

export async function signInPerson(
  parts: SignOnDependencies,
  context: RequestContext,
  { provider, name }: { provider: Row<'sign_on_providers'>; name: string },
  identity: SignOnIdentity,
): Promise<LoginAnswer> {
  const { store, ownerLetters } = parts;
  const organizationId = provider.organization_id;
  const target = `organization:${organizationId}` as const;
  const { person, linked } = await withFreeName(() =>
    store.db.transaction().execute(async (transaction) => {
      await lockOrganization(store, transaction, organizationId);
      await requireActive(transaction, organizationId);
      const done = await admit(parts, transaction, organizationId, identity);
      const { user_id, email } = done.person;
      // The owner of an account that existed learns that another way into it was opened.
      if (done.linked === 'link')
        await ownerLetters.put(transaction, user_id, 'outside_bound', context.address, name);
      if (done.linked !== undefined || done.isMember)
        await context.audit(transaction, `sign_on.${done.linked ?? 'join'}`, target, undefined, {
          user_id,
          email,
          issuer: provider.issuer,
        });
      if (done.change !== undefined)
        await context.audit(
          transaction,
          'sign_on.change_member',
          target,
          done.change.before,
          done.change.after,
        );
      return done;
    }),
  );
  if (linked === 'link') ownerLetters.wake();
  await store.changes.announce('organizations', String(organizationId));
  await store.changes.announce('tokens');
  return await parts.enter(person.user_id, context, 'sign_on', organizationId);
}

/** With the organization locked. */
async function admit(
  { keys }: SignOnDependencies,
  transaction: Transaction<Schema>,
  organizationId: number,
  identity: SignOnIdentity,
): Promise<Signed> {
  const domain = domainOf(identity.email);
  if (!(await isVerifiedDomain(transaction, organizationId, domain)))
    throw new AppError('sign_on_domain_foreign', { domain });
  const found = await findPerson(transaction, organizationId, identity);
  const { person, linked } = found ?? (await newPerson(transaction, organizationId, identity));
  if (person.active === 0) throw new AppError('sign_on_inactive');
  const change = await claim(transaction, person, identity);
  const known = { ...person, ...change };
  const wasMember = (await memberOf(transaction, organizationId, person.user_id)) !== undefined;
  const isMember = await becomeMember(transaction, known, 'sign_on');
  return {
    person: known,
    linked,
    isMember,
    change: wasMember ? await applyGroups(keys, transaction, known) : undefined,
  };
}

/** By the provider's id of the person; by the address only where SCIM has put it and nobody has signed in with it yet. */
async function findPerson(
  transaction: Transaction<Schema>,
  organizationId: number,
  { subject, email }: SignOnIdentity,
): Promise<{ person: Person; linked: undefined } | undefined> {
  const people = () =>
    transaction.selectFrom('sign_on_people').selectAll().where('organization_id', '=', organizationId);
  const person =
    (await people().where('subject', '=', subject).executeTakeFirst()) ??
    (await people().where('subject', '=', '').where('email', '=', email).orderBy('id').executeTakeFirst());
  if (person === undefined) return undefined;
  const account = await requireOrdinary(transaction, person.user_id);
  if (account !== undefined) return { person, linked: undefined };
  // The account was deleted: the person begins again.
  await transaction.deleteFrom('sign_on_group_people').where('person_id', '=', person.id).execute();
  await transaction.deleteFrom('sign_on_people').where('id', '=', person.id).execute();
  return undefined;
}

async function newPerson(
  transaction: Transaction<Schema>,
  organizationId: number,
  { subject, email, name }: SignOnIdentity,
): Promise<{ person: Person; linked: 'join' | 'link' }> {
  const account = await accountOf(transaction, organizationId, { email, name });
  const now = unixSeconds();
  const already = await transaction
    .selectFrom('sign_on_people')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', account.id)
    .executeTakeFirst();
  // Another person of the provider has this account; the address went from one to the other there.
  if (already !== undefined && already.subject !== '') throw new AppError('sign_on_account_taken');
  const person =
    already ??
    (await transaction
      .insertInto('sign_on_people')
      .values({
        organization_id: organizationId,
        user_id: account.id,
        email,
        user_name: await freeUserName(transaction, organizationId, email),
        subject,
        created_at: now,
        changed_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow());
  return { person, linked: account.isNew ? 'join' : 'link' };
}

/** The address, unless SCIM has given it to another person as a name. */
async function freeUserName(
  transaction: Transaction<Schema>,
  organizationId: number,
  email: string,
): Promise<string> {
  const taken = await transaction
    .selectFrom('sign_on_people')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where((builder) => builder(builder.fn('lower', ['user_name']), '=', email))
    .executeTakeFirst();
  return taken === undefined ? email : `${email}#${unixSeconds()}`;
}

/** Stores whose account it is now, and the groups of this sign-in. */
async function claim(
  transaction: Transaction<Schema>,
  person: Person,
  { subject, groups }: SignOnIdentity,
): Promise<Partial<Person>> {
  const claimed_groups = groups === undefined ? '' : JSON.stringify(groups);
  if (person.subject === subject && person.claimed_groups === claimed_groups) return {};
  const changed = { subject, claimed_groups, changed_at: unixSeconds() };
  await transaction.updateTable('sign_on_people').set(changed).where('id', '=', person.id).execute();
  return changed;
}
