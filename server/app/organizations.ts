// Joins organizations with the nouns whose rows their verbs change: keys, balances, mail; and their API for programs.
import type { Hono } from 'hono';
import type { TollgateApi } from '#contract/api.ts';
import type { LeaveOrganizations } from '#server/admin/accounts.ts';
import { createOrganizationAuditHandlers } from '#server/admin/audit/index.ts';
import {
  createOrganizationHandlers,
  leaveAll,
  type LetterQueue,
  type OrganizationDependencies,
} from '#server/admin/organizations/index.ts';
import {
  createScimDirectory,
  createSignOn,
  holderOf,
  noteRefusedCall,
  requireSignOn,
  type SignOnDependencies,
} from '#server/admin/organizations/sign-on/index.ts';
import { organizationKeys } from '#server/admin/tokens/of-organization.ts';
import {
  removeKeysOfOrganization,
  type OrganizationDependencies as ReportDependencies,
} from '#server/admin/usage-api/index.ts';
import type { HonoEnvironment } from '#server/admin/http/call.ts';
import { writeAudit } from '#server/admin/http/audit.ts';
import { createInnerApi } from '#server/admin/http/inner-api.ts';
import { mountOrganizationApi } from '#server/admin/http/organization-api.ts';
import { mountScim } from '#server/admin/http/scim.ts';
import type { WebParts } from '#server/admin/http/server.ts';
import { adjustQuota } from '#server/admin/users/adjust-quota.ts';
import type { Ledger } from '#server/money/ledger/ledger.ts';
import type { Store } from '#server/platform/store/store.ts';

const keys = { ...organizationKeys, removeAdminKeys: removeKeysOfOrganization };

interface OrganizationParts {
  store: Store;
  settings: OrganizationDependencies['settings'] & SignOnDependencies['settings'];
  ledger: Ledger;
  letters: LetterQueue;
  egress: SignOnDependencies['egress'];
  log: SignOnDependencies['log'];
  ownerLetters: SignOnDependencies['ownerLetters'];
  enter: SignOnDependencies['enter'];
}

export function joinOrganizations(parts: OrganizationParts) {
  const { store, settings, ledger, letters } = parts;
  const leaveOrganizations: LeaveOrganizations = (transaction, actor, userId) =>
    leaveAll({ store, keys }, transaction, actor, userId);
  const verbs = createOrganizationHandlers({
    store,
    settings,
    ledger,
    keys,
    letters,
    adjustBalance: (transaction, caller, user, request) =>
      adjustQuota({ ledger }, transaction, { caller, user, request, difference: request.quota_change }),
  });
  const signOn = createSignOn({
    ...parts,
    keys,
    audit: (transaction, entry) =>
      writeAudit(store, transaction, {
        actorId: 0,
        actorName: 'job',
        address: '',
        requestId: '',
        ...entry,
      }),
  });
  const handlers = {
    ...verbs,
    ...signOn.handlers,
    organizationAudit: createOrganizationAuditHandlers({ store }),
  };
  return { handlers, leaveOrganizations, checkSignOn: (signal: AbortSignal) => signOn.check(signal) };
}

/** `/v1/organization` and `/scim/v2`; of the first, changes go through the endpoints of the console. */
export function joinOrganizationApi(reports: ReportDependencies) {
  return (app: Hono<HonoEnvironment>, parts: WebParts<TollgateApi>): void => {
    const { members, invitations, projects, serviceAccounts, tokens, adminKeys } = parts.api;
    const groups = { members, invitations, projects, serviceAccounts, tokens, adminKeys };
    const clientOf = createInnerApi(groups, parts.handlers, parts);
    mountOrganizationApi(app, { reports, clientOf, limiter: parts.limiter });
    const { store, settings, limiter } = parts;
    mountScim(app, {
      store,
      settings,
      limiter,
      directory: createScimDirectory({ store, keys }),
      holderOf: (token) => holderOf(store, token),
      onRefused: (holder, reason) => noteRefusedCall(store, holder, reason),
      requireOn: () => requireSignOn(settings.current),
    });
  };
}
