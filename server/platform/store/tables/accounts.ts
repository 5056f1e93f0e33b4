// People and how they sign in.
import type { Default, Flag } from './column.ts';

export interface UsersTable {
  id: Default<number>;
  /** Nobody signs in to an `organization`: it is a wallet that people act for. */
  kind: Default<'person' | 'organization'>;
  username: string;
  password_hash: Default<string>;
  password_is_initial: Default<Flag>;
  display_name: Default<string>;
  role: Default<number>;
  status: Default<number>;
  email: Default<string>;
  github_id: Default<string>;
  wechat_id: Default<string>;
  telegram_id: Default<string>;
  linux_do_id: Default<string>;
  oidc_id: Default<string>;
  /** The name of the bound account at its site, as of the last sign-in with it; empty when it is not known. */
  github_name: Default<string>;
  wechat_name: Default<string>;
  telegram_name: Default<string>;
  linux_do_name: Default<string>;
  oidc_name: Default<string>;
  group: Default<string>;
  quota: Default<number>;
  held_quota: Default<number>;
  /** What running calls hold of the user's subscriptions. */
  plan_held_quota: Default<number>;
  /** 1 = calls are paid from the balance before a subscription. */
  wallet_first: Default<Flag>;
  /** Of copies of the calls: 0 = nothing said, 1 = allowed, 2 = refused. */
  shadow_consent: Default<number>;
  used_quota: Default<number>;
  request_count: Default<number>;
  aff_code: string;
  aff_count: Default<number>;
  aff_quota: Default<number>;
  aff_history_quota: Default<number>;
  /** Dividends of an agent that were not transferred or withdrawn. */
  dividend_quota: Default<number>;
  inviter_id: Default<number>;
  access_token_digest: string | null;
  auth_version: Default<number>;
  created_at: Default<number>;
  last_login_at: Default<number>;
  deleted_at: number | null;
  setting: Default<string>;
  suspended_reason: Default<string>;
  low_balance_mail_at: Default<number>;
  requests_per_minute: Default<number>;
  tokens_per_minute: Default<number>;
  concurrent_calls: Default<number>;
  day_budget: Default<number>;
  month_budget: Default<number>;
}

export interface SessionsTable {
  id_digest: string;
  user_id: Default<number>;
  auth_version: Default<number>;
  created_at: number;
  seen_at: number;
  expires_at: number;
  ip: Default<string>;
  user_agent: Default<string>;
  flow: Default<string>;
  verified_at: Default<number>;
  /** The organization whose provider signed in; 0: another way. */
  organization_id: Default<number>;
}

export interface VerificationCodesTable {
  id: Default<number>;
  purpose: string;
  subject: string;
  code_digest: string;
  created_at: number;
  expires_at: number;
  tries: Default<number>;
  used_at: Default<number>;
}

export interface TotpSecretsTable {
  user_id: number;
  secret_sealed: string;
  last_step: Default<number>;
  enabled_at: Default<number>;
  failures: Default<number>;
  blocked_until: Default<number>;
}

export interface RecoveryCodesTable {
  id: Default<number>;
  user_id: number;
  code_digest: string;
  used_at: Default<number>;
}

/** Proofs of a sign-in that must not be used again; deleted after `expires_at`. */
export interface UsedProofsTable {
  digest: string;
  expires_at: number;
}

/** Tries at passwords and codes: of an account from an address, of an account, of an address. */
export interface LoginAttemptsTable {
  kind: 'pair' | 'account' | 'address';
  digest: string;
  failures: Default<number>;
  blocked_until_ms: Default<number>;
  last_at_ms: Default<number>;
  /** Of a pair: the owner signed in from there. */
  known: Default<Flag>;
}

export interface PasskeysTable {
  id: Default<number>;
  user_id: number;
  credential_id: string;
  public_key: string;
  counter: Default<number>;
  name: Default<string>;
  created_at: number;
  last_used_at: Default<number>;
}
