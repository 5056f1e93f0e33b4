// An application with organizations turned on, and people in their roles.
import type { OrganizationRole } from '#contract/admin/organization-rights.ts';
import type { Client } from '#contract/client.ts';
import type { TollgateApi } from '#contract/api.ts';
import type { DatabaseLabel } from '#tests/support/databases.ts';
import {
  ApiRefusal,
  startApplication,
  type Actor,
  type NewUser,
  type TestApplication,
} from '#tests/support/application.ts';

export interface Scene {
  app: TestApplication;
  root: Actor;
  /** An organization of a new owner. */
  organization(name?: string): Promise<Organization>;
  close(): Promise<void>;
}

export interface Member extends Actor {
  /** Acts for the organization. */
  client: Client<TollgateApi>;
  /** Acts for the person. */
  own: Client<TollgateApi>;
}

export interface Organization {
  id: number;
  name: string;
  owner: Member;
  /** Invited, accepted, and of this role. */
  member(role: OrganizationRole, user?: NewUser): Promise<Member>;
  /** The same organization, seen by somebody else. */
  as(actor: Actor): Member;
}

export const SETTINGS = { OrganizationsEnabled: 'true', OrganizationSignOn: 'true' } as const;

export async function openScene(database: DatabaseLabel): Promise<Scene> {
  const app = await startApplication({ database, settings: SETTINGS });
  const root = await app.actor({ role: 100 });
  return {
    app,
    root,
    organization: (name = 'Acme') => makeOrganization(app, name),
    close: () => app.close(),
  };
}

export async function makeOrganization(app: TestApplication, name: string): Promise<Organization> {
  const founder = await app.actor();
  const { id } = await app.client(founder).organizations.create({ body: { name } });
  const as = (actor: Actor): Member => ({ ...actor, client: app.client(actor, id), own: app.client(actor) });
  const owner = as(founder);
  return {
    id,
    name,
    owner,
    as,
    async member(role, user) {
      const person = as(await app.actor(user));
      const given = role === 'owner' ? 'admin' : role;
      const { id: invitation } = await owner.client.invitations.create({
        body: { to: person.username, role: given },
      });
      await person.own.invitations.accept({ body: { id: invitation } });
      if (role === 'owner') {
        const offer = await owner.client.organizations.offerOwnership({
          body: { user_id: person.id, then_role: 'owner' },
        });
        await person.own.invitations.accept({ body: { id: offer.id } });
      }
      return person;
    },
  };
}

/** The code of the refusal, or `done`. */
export async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'done';
  } catch (error) {
    if (error instanceof ApiRefusal) return error.body.code ?? String(error.status);
    throw error;
  }
}
