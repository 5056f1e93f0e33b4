// Single sign-on and SCIM of organizations.
import type { Default, Flag } from './column.ts';

type GivenRole = 'admin' | 'billing' | 'member' | 'viewer';

export interface SignOnProvidersTable {
  organization_id: number;
  issuer: string;
  client_id: string;
  secret_sealed: string;
  scopes: Default<string>;
  /** Blank: groups come by SCIM. */
  groups_claim: Default<string>;
  default_role: Default<GivenRole>;
  enabled: Default<Flag>;
  required: Default<Flag>;
  created_at: number;
  changed_at: number;
}

export interface SignOnDomainsTable {
  id: Default<number>;
  organization_id: number;
  /** In lower case, as DNS has it. */
  domain: string;
  /** What the TXT record must have. */
  proof: string;
  created_at: number;
  /** 0: not yet, or no more. A domain is verified for one organization at most. */
  verified_at: Default<number>;
  /** When the TXT record was last asked for with an answer; 0: not since it was verified. */
  read_at: Default<number>;
  /** Since when the answer has no proof; 0: it has. With `verified_at` 0: the domain was lost by it. */
  missing_since: Default<number>;
}

/** What a group of the provider means here; SCIM's groups are these. */
export interface SignOnGroupsTable {
  id: Default<number>;
  organization_id: number;
  name: string;
  external_id: Default<string>;
  role: Default<GivenRole | ''>;
  /** Comma list; blank: all. */
  project_ids: Default<string>;
  by_scim: Default<Flag>;
  created_at: number;
  changed_at: number;
  version: Default<number>;
}

/** An account as an organization's provider knows it; SCIM's users are these. */
export interface SignOnPeopleTable {
  id: Default<number>;
  organization_id: number;
  user_id: number;
  /** In lower case; of a domain that was verified when it was stored. */
  email: string;
  user_name: string;
  /** Issuer and subject; blank: has not signed in yet. */
  subject: Default<string>;
  external_id: Default<string>;
  /** JSON of the other attributes of SCIM, or blank. */
  attributes: Default<string>;
  /** JSON list of the names that the claim had at the last sign-in, or blank. */
  claimed_groups: Default<string>;
  /** 0: SCIM ended the membership. */
  active: Default<Flag>;
  by_scim: Default<Flag>;
  created_at: number;
  changed_at: number;
  version: Default<number>;
}

export interface SignOnGroupPeopleTable {
  group_id: number;
  person_id: number;
}

export interface ScimTokensTable {
  id: Default<number>;
  organization_id: number;
  name: string;
  token_digest: string;
  hint: Default<string>;
  created_by: number;
  created_at: number;
  /** 0: never. */
  last_used_at: Default<number>;
  /** 0: not. Kept for a while, to name it while the provider still uses it. */
  revoked_at: Default<number>;
}

export type SignOnTroubleReason =
  | 'unreachable'
  | 'secret'
  | 'clock'
  | 'answer'
  | 'unverified'
  | 'foreign'
  | 'scim_refused'
  | 'scim_revoked';

/** What went wrong lately: one row for each reason and whom it is about. */
export interface SignOnTroublesTable {
  organization_id: number;
  reason: SignOnTroubleReason;
  /** An address of a person, the id of a SCIM token, or blank. */
  subject: Default<string>;
  /** For the reader: the last one in technical words. */
  detail: Default<string>;
  first_at: number;
  last_at: number;
  count: Default<number>;
}
