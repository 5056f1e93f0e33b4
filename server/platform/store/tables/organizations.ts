// Organizations: who may act for an account, and what its tokens belong to.
import type { Default, Flag } from './column.ts';

/** As contract/admin/organization-rights.ts, which says what each may do. */
type OrganizationRole = 'owner' | 'admin' | 'billing' | 'member' | 'viewer';

/** One for each row of `users` with the kind `organization`, under the same id. */
export interface OrganizationsTable {
  id: number;
  name: string;
  created_at: number;
  /** 0: the person's account is not known any more. */
  created_by: number;
  /** What receipts name as the buyer. */
  company_name: Default<string>;
  company_address: Default<string>;
  tax_id: Default<string>;
  billing_email: Default<string>;
  /** Comma list of the tags that are kept of its calls. */
  tag_keys: Default<string>;
  /** Answers to the calls of its keys are kept for all of them. */
  answer_cache: Default<Flag>;
  deleted_at: number | null;
}

export interface OrganizationMembersTable {
  id: Default<number>;
  organization_id: number;
  user_id: number;
  role: OrganizationRole;
  source: 'created' | 'invited' | 'sign_on' | 'scim' | 'admin';
  joined_at: number;
  /** 0: is a member. */
  left_at: Default<number>;
  /** Comma list of the projects that the member may make keys in, by the groups of the sign-on; blank: all. */
  project_ids: Default<string>;
}

export interface OrganizationInvitationsTable {
  id: Default<number>;
  organization_id: number;
  kind: Default<'join' | 'ownership'>;
  /** Blank for an invitation by username and for an offer of ownership. */
  email: Default<string>;
  /** 0: whoever has the link of the mail. */
  user_id: Default<number>;
  role: OrganizationRole;
  /** Of an offer: the role that the owner who made it has afterwards. */
  then_role: Default<OrganizationRole | ''>;
  token_digest: string | null;
  invited_by: number;
  created_at: number;
  expires_at: number;
  /** When a mail was queued last; 0: none. */
  sent_at: Default<number>;
  /** One that nobody answered stays `open` after `expires_at`. */
  status: Default<'open' | 'accepted' | 'declined' | 'revoked'>;
  answered_at: Default<number>;
  answered_by: Default<number>;
}

export interface ProjectsTable {
  id: Default<number>;
  organization_id: number;
  name: string;
  is_default: Default<Flag>;
  /** Comma list; blank: every model. */
  models: Default<string>;
  /** One address or range per line; blank: every address. */
  allow_ips: Default<string>;
  /** Of all its keys together; 0: no limit. */
  requests_per_minute: Default<number>;
  tokens_per_minute: Default<number>;
  created_at: number;
  archived_at: Default<number>;
}

/** Money between two balances; what leaves an organization may wait for one of its owners. */
export interface BalanceMovesTable {
  id: Default<number>;
  from_id: number;
  to_id: number;
  amount: number;
  reason: Default<string>;
  asked_by: number;
  /** Of the form that asked: a retry is the same move. */
  request_key: string;
  created_at: number;
  status: Default<'open' | 'done' | 'declined'>;
  decided_by: Default<number>;
  decided_at: Default<number>;
}

export interface ServiceAccountsTable {
  id: Default<number>;
  organization_id: number;
  project_id: number;
  name: string;
  created_by: number;
  created_at: number;
  deleted_at: Default<number>;
}
