/** The rules that show an entry of the menus: by the user's role and by what the installation has switched on. */
import { isAdmin, isRoot } from '#contract/access.ts';
import { hasRight, type OrganizationRight } from '#contract/admin/organization-rights.ts';
import type { SessionUser } from '#contract/admin/session.ts';
import type { StatusView } from '#contract/admin/site.ts';
import type { Scope } from '#web/api/scope.ts';

export interface NavigationContext {
  /** A reseller, now or before. */
  isAgent?: boolean | undefined;
  /** The organization that the reader acts for. */
  organization?: Pick<Scope, 'role'> | undefined;
  user: Pick<SessionUser, 'role'> | undefined;
  status:
    | Pick<
        StatusView,
        | 'organizations'
        | 'enable_data_export'
        | 'enable_drawing'
        | 'enable_task'
        | 'public_docs'
        | 'public_models'
        | 'public_status'
        | 'chats'
        | 'chat_link'
      >
    | undefined;
}

export type Rule = (context: NavigationContext) => boolean;

export const always: Rule = () => true;
/** Users have their plans in the menu of the console. */
export const visitor: Rule = ({ user }) => user === undefined;
export const signedIn: Rule = ({ user }) => user !== undefined;
export const admin: Rule = ({ user }) => user !== undefined && isAdmin(user.role);
export const root: Rule = ({ user }) => user !== undefined && isRoot(user.role);
export const docsVisible: Rule = (context) => signedIn(context) || context.status?.public_docs !== false;
export const isPublic =
  (name: 'public_models' | 'public_status'): Rule =>
  ({ status }) =>
    status?.[name] === true;
/** What belongs to the reader's own account and not to an organization. */
export const personal: Rule = (context) => signedIn(context) && context.organization === undefined;
/** In the reader's own account always, in an organization with one of these rights. */
export const mayUse =
  (...rights: readonly OrganizationRight[]): Rule =>
  (context) =>
    personal(context) || (signedIn(context) && inOrganization(...rights)(context));
/** Pages of an organization. */
export const inOrganization =
  (...rights: readonly OrganizationRight[]): Rule =>
  ({ organization }) => {
    const role = organization?.role;
    return role !== undefined && rights.some((right) => hasRight(role, right));
  };
export const organizationsOn: Rule = (context) => admin(context) && context.status?.organizations === true;
export const agentOrAdmin: Rule = (context) =>
  admin(context) || (personal(context) && context.isAgent === true);
export const flag =
  (name: 'enable_data_export' | 'enable_drawing' | 'enable_task'): Rule =>
  (context) =>
    signedIn(context) && context.status?.[name] === true;
export const chatConfigured: Rule = (context) =>
  personal(context) && ((context.status?.chats.length ?? 0) > 0 || Boolean(context.status?.chat_link));
