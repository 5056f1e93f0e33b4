// What server/admin/organizations needs from the application.
import type { Kysely, Transaction } from 'kysely';
import type { Settings } from '#contract/settings.ts';
import type { Ledger } from '#server/money/ledger/ledger.ts';
import type { Caller } from '#server/admin/context.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';

/** Exactly one of the two: who has the keys afterwards. */
export type KeyHolder = { memberId: number } | { serviceAccountId: number };

/** The keys of an organization, as its verbs change them in their own transactions. Each returns how many. */
export interface OrganizationKeys {
  disableOfMember(
    transaction: Transaction<Schema>,
    organizationId: number,
    memberId: number,
  ): Promise<number>;
  handOver(
    transaction: Transaction<Schema>,
    organizationId: number,
    memberId: number,
    to: KeyHolder,
  ): Promise<number>;
  disableOfProject(
    transaction: Transaction<Schema>,
    organizationId: number,
    projectId: number,
  ): Promise<number>;
  /** Of a member who may use these projects only. */
  disableOutsideProjects(
    transaction: Transaction<Schema>,
    organizationId: number,
    memberId: number,
    projectIds: readonly number[],
  ): Promise<number>;
  /** Copies its limits to its keys. */
  limitProject(
    transaction: Transaction<Schema>,
    organizationId: number,
    project: Pick<Row<'projects'>, 'id' | 'requests_per_minute' | 'tokens_per_minute'>,
  ): Promise<void>;
  removeOfServiceAccount(
    transaction: Transaction<Schema>,
    organizationId: number,
    serviceAccountId: number,
  ): Promise<number>;
  removeAll(transaction: Transaction<Schema>, organizationId: number): Promise<number>;
  /** Of one member, or of all. */
  removeAdminKeys(transaction: Transaction<Schema>, organizationId: number, memberId?: number): Promise<void>;
}

interface Letter {
  recipient: string;
  subject: string;
  text: string;
  secret?: boolean;
  expiresAt?: number;
}

export interface LetterQueue {
  readonly configured: boolean;
  put(db: Kysely<Schema>, letter: Letter): Promise<number>;
  wake(): void;
}

interface BalanceRequest {
  quota_change: number;
  quota_reason?: string | undefined;
  quota_key?: string | undefined;
}

export interface OrganizationDependencies {
  store: Store;
  settings: {
    readonly current: Pick<
      Settings,
      | 'OrganizationsEnabled'
      | 'OrganizationCreation'
      | 'OrganizationCreationGroups'
      | 'OrganizationsPerUser'
      | 'GroupRatio'
      | 'QuotaPerUnit'
      | 'ServerAddress'
      | 'SystemName'
      | 'SiteTimeZone'
    >;
  };
  ledger: Pick<Ledger, 'writeHolds'>;
  keys: OrganizationKeys;
  letters: LetterQueue;
  /** Books it with its log row; undefined when it was booked before. `account` is a locked row. */
  adjustBalance: (
    transaction: Transaction<Schema>,
    caller: Caller,
    account: Row<'users'>,
    request: BalanceRequest,
  ) => Promise<{ difference: number; quota: number; reason: string } | undefined>;
}
