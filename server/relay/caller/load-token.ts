// What the database knows of a token, its owner and the subscriptions that may pay for calls, as it was when the rows were read.
// How much is left is decided by the ledger, call by call.
import { compileAddressList, type AddressList } from '#contract/ip-address.ts';
import type { Store } from '#server/platform/store/store.ts';
import { listAllows } from './model-list.ts';

export const ACTIVE_USER = 1;

/** The organization that pays for the calls of a token, and whom they are attributed to; 0 for the one of the two that it is not. */
export interface CallerOrganization {
  readonly id: number;
  readonly memberId: number;
  readonly serviceAccountId: number;
  readonly projectId: number;
}

export interface KnownToken {
  tokenId: number;
  tokenName: string;
  status: number;
  expiredTime: number;
  group: string;
  models: ReadonlySet<string> | undefined;
  allow: AddressList;
  deny: AddressList;
  rateLimitMessage: string;
  isStrict: boolean;
  userId: number;
  username: string;
  role: number;
  userStatus: number;
  /** Of an organization: why it is suspended; may be blank. */
  suspendedReason: string;
  userGroup: string;
  isGone: boolean;
  plans: CallerPlans | undefined;
  /** Undefined for a person's own token, which costs no further query. */
  organization: CallerOrganization | undefined;
  /** Of its project, in addition to its own. */
  projectAllow: AddressList | undefined;
  /** The member it belongs to is banned or deleted on this site. */
  isMemberGone: boolean;
  /** Whether its answers are kept, and for how long; 0: as the site does. */
  answerCache: '' | 'on' | 'off';
  answerCacheSeconds: number;
  /** Its organization keeps answers for all of its keys. */
  organizationCache: boolean;
}

const COLUMNS = [
  'tokens.id as tokenId',
  'tokens.name as tokenName',
  'tokens.status as status',
  'tokens.expired_time as expiredTime',
  'tokens.group as group',
  'tokens.model_limits_enabled as modelLimitsEnabled',
  'tokens.model_limits as modelLimits',
  'tokens.allow_ips as allowIps',
  'tokens.deny_ips as denyIps',
  'tokens.rate_limit_message as rateLimitMessage',
  'tokens.strict_conversion as strictConversion',
  'tokens.answer_cache as answerCache',
  'tokens.answer_cache_seconds as answerCacheSeconds',
  'organizations.answer_cache as organizationCache',
  'tokens.member_id as memberId',
  'tokens.service_account_id as serviceAccountId',
  'tokens.project_id as projectId',
  'users.id as userId',
  'users.username as username',
  'users.role as role',
  'users.status as userStatus',
  'users.suspended_reason as suspendedReason',
  'users.group as userGroup',
  'users.deleted_at as userDeletedAt',
] as const;

export async function findToken(
  store: Store,
  wanted: { digest: string } | { tokenId: number },
): Promise<KnownToken | undefined> {
  const row = await store.db
    .selectFrom('tokens')
    .innerJoin('users', 'users.id', 'tokens.user_id')
    .leftJoin('organizations', 'organizations.id', 'tokens.user_id')
    .select([
      ...COLUMNS,
      // Only a user with a subscription costs a second query.
      (builder) =>
        builder
          .exists(
            builder
              .selectFrom('subscriptions')
              .select('subscriptions.id')
              .whereRef('subscriptions.user_id', '=', 'users.id')
              .where('subscriptions.status', '=', 'active'),
          )
          .as('hasPlans'),
    ])
    .where((builder) =>
      'digest' in wanted
        ? builder('tokens.key_digest', '=', wanted.digest)
        : builder('tokens.id', '=', wanted.tokenId),
    )
    .where('tokens.deleted_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const {
    modelLimits,
    modelLimitsEnabled,
    strictConversion,
    allowIps,
    denyIps,
    userDeletedAt,
    hasPlans,
    organizationCache,
    memberId,
    serviceAccountId,
    projectId,
    ...rest
  } = row;
  const own = modelLimitsEnabled === 1 ? modelSet(modelLimits) : undefined;
  const project = projectId === 0 ? undefined : await loadProject(store, projectId, memberId);
  return {
    ...rest,
    models: bothAllow(own, project?.models),
    isStrict: strictConversion === 1,
    allow: compileAddressList(allowIps),
    deny: compileAddressList(denyIps),
    isGone: userDeletedAt !== null,
    plans: hasPlans ? await loadPlans(store, row.userId, row.group !== '') : undefined,
    organization: projectId === 0 ? undefined : { id: row.userId, memberId, serviceAccountId, projectId },
    projectAllow: project?.allow,
    isMemberGone: project?.isMemberGone ?? false,
    organizationCache: organizationCache === 1,
  };
}

function modelSet(names: string): ReadonlySet<string> {
  return new Set(
    names
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean),
  );
}

/** The models that both lists allow, each with or without a reasoning suffix. */
function bothAllow(
  own: ReadonlySet<string> | undefined,
  project: ReadonlySet<string> | undefined,
): ReadonlySet<string> | undefined {
  if (own === undefined || project === undefined) return own ?? project;
  const allowedBy = (models: ReadonlySet<string>) => (name: string) => listAllows(models, name);
  return new Set([...[...own].filter(allowedBy(project)), ...[...project].filter(allowedBy(own))]);
}

interface Project {
  models: ReadonlySet<string> | undefined;
  allow: AddressList | undefined;
  isMemberGone: boolean;
}

async function loadProject({ db }: Store, projectId: number, memberId: number): Promise<Project> {
  const row = await db
    .selectFrom('projects')
    .leftJoin('users', (join) => join.on('users.id', '=', memberId))
    .select(['projects.models', 'projects.allow_ips', 'users.id', 'users.status', 'users.deleted_at'])
    .where('projects.id', '=', projectId)
    .executeTakeFirst();
  const isMemberGone = memberId > 0 && (row?.status !== ACTIVE_USER || row.deleted_at !== null);
  return {
    models: row === undefined || row.models === '' ? undefined : modelSet(row.models),
    allow: row === undefined || row.allow_ips === '' ? undefined : compileAddressList(row.allow_ips),
    isMemberGone,
  };
}

export interface CallerPlan {
  readonly id: number;
  /** Unix seconds. */
  readonly startsAt: number;
  readonly endsAt: number;
  /** Undefined when every model is allowed. */
  readonly models: ReadonlySet<string> | undefined;
  /** Empty: the plan changes no group. */
  readonly group: string;
}

export interface CallerPlans {
  /** The one that ends first is first. */
  readonly list: readonly CallerPlan[];
  /** The balance pays before a subscription does. */
  readonly isWalletFirst: boolean;
  /** The token or the call names a group: no plan changes it. */
  readonly keepsGroup: boolean;
}

export async function loadPlans(
  { db }: Store,
  userId: number,
  keepsGroup: boolean,
): Promise<CallerPlans | undefined> {
  const rows = await db
    .selectFrom('subscriptions')
    .innerJoin('users', 'users.id', 'subscriptions.user_id')
    .select([
      'subscriptions.id',
      'subscriptions.started_at as startsAt',
      'subscriptions.ends_at as endsAt',
      'subscriptions.models',
      'subscriptions.group',
      'users.wallet_first',
    ])
    .where('subscriptions.user_id', '=', userId)
    .where('subscriptions.status', '=', 'active')
    .orderBy('subscriptions.ends_at')
    .orderBy('subscriptions.id')
    .execute();
  const [first] = rows;
  if (first === undefined) return undefined;
  const list = rows.map(({ models, wallet_first: _walletFirst, ...plan }) => ({
    ...plan,
    models: models === '' ? undefined : new Set(models.split(',')),
  }));
  return { list, isWalletFirst: first.wallet_first === 1, keepsGroup };
}
