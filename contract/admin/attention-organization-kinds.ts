// What needs somebody of an organization, as attention-kinds.ts lists it, and which right shows it to them.
import type { OrganizationAccess } from './organization-rights.ts';

/** In an organization: the right that shows an item, and the one that its action needs; who has only the first is led there to look. */
export interface OrganizationReaders {
  sees: OrganizationAccess;
  acts?: OrganizationAccess;
}

const base = { access: 'organization', check: 'organization' } as const;
const BUDGETS = { sees: 'budgets.read' } as const;
/** One's own keys, or those of all. */
export const KEY_READERS = {
  sees: { own: 'tokens.own', all: 'tokens.read_all' },
  acts: { own: 'tokens.own', all: 'tokens.all' },
} as const satisfies OrganizationReaders;
export const MONEY_READERS = {
  sees: 'billing.read',
  acts: 'billing.manage',
} as const satisfies OrganizationReaders;

const signOn = {
  ...base,
  action: 'open_sign_on',
  menu: '/organization-sign-on',
  readers: { sees: 'sign_on.read', acts: 'sign_on.manage' },
} as const;

export const ORGANIZATION_KINDS = {
  /** Its keys are refused and nothing can be changed. */
  organization_suspended: {
    ...base,
    severities: ['stop'],
    action: 'ask_site',
    menu: '/organization',
    readers: { sees: 'organization.read' },
  },
  /** In place of `balance_low` when nothing is left. */
  wallet_empty: {
    ...base,
    severities: ['stop'],
    action: 'top_up',
    menu: '/topup',
    notice: 'low_balance',
    readers: MONEY_READERS,
  },
  keys_exhausted: {
    ...base,
    severities: ['act'],
    action: 'raise_limit',
    menu: '/token',
    notice: 'budget_reached',
    readers: KEY_READERS,
  },
  keys_expired: {
    ...base,
    severities: ['wait'],
    action: 'extend',
    menu: '/token',
    notice: 'token_expiring',
    readers: KEY_READERS,
  },
  /** A hard one refuses calls. */
  budget_over: {
    ...base,
    severities: ['wait', 'stop'],
    action: 'open_budgets',
    menu: '/budgets',
    notice: 'organization_budget',
    readers: BUDGETS,
  },
  /** At the pace of its window it will be used up before that ends. */
  budget_forecast: {
    ...base,
    severities: ['wait'],
    action: 'open_budgets',
    menu: '/budgets',
    readers: BUDGETS,
  },
  budget_requested: {
    ...base,
    severities: ['act'],
    action: 'decide',
    menu: '/budgets',
    notice: 'budget_asked',
    readers: { sees: 'budgets.manage' },
  },
  /** Not answered, or ended without an answer. */
  invitation_waits: {
    ...base,
    severities: ['wait'],
    action: 'open_members',
    menu: '/members',
    readers: { sees: 'members.manage' },
  },
  /** Money out of the organization that the reader may accept. */
  move_waits: {
    ...base,
    severities: ['wait'],
    action: 'decide',
    menu: '/topup',
    readers: { sees: 'billing.release' },
  },
  /** To the reader, who has not answered. */
  ownership_offered: {
    ...base,
    severities: ['act'],
    action: 'decide',
    menu: '/organization',
    readers: { sees: 'organization.read' },
  },
  /** To another member, who has not answered. */
  ownership_waits: {
    ...base,
    severities: ['wait'],
    action: 'look',
    menu: '/organization-settings',
    readers: { sees: 'ownership.hand_over' },
  },
  /** The document of the provider cannot be read: nobody signs in by it. */
  sign_on_unreachable: { ...signOn, severities: ['act', 'stop'] },
  /** The provider refuses the client secret. */
  sign_on_secret: { ...signOn, severities: ['stop'] },
  /** The clocks of the provider and of this site differ. */
  sign_on_clock: { ...signOn, severities: ['stop'] },
  /** What the provider says cannot be trusted: another issuer, client or key. */
  sign_on_answer: { ...signOn, severities: ['act'] },
  /** People whose address is not verified by the provider, or is of no verified domain. */
  sign_on_claim: { ...signOn, severities: ['act'] },
  /** The TXT record is gone, and the domain still leads here for some days. */
  domain_unproven: { ...signOn, severities: ['act'] },
  /** It leads here no more. */
  domain_lost: { ...signOn, severities: ['stop'] },
  scim_unused: { ...signOn, severities: ['wait'] },
  scim_refused: { ...signOn, severities: ['act'] },
  /** The provider still uses it. */
  scim_revoked: { ...signOn, severities: ['act'] },
} as const;
