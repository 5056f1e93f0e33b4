// Redemption codes: made by administrators, redeemed by users for quota.
import { z } from 'zod';
import { basedOn } from '#contract/based-on.ts';
import { endpoint } from '#contract/endpoint.ts';
import { idParams, itemList, pageFromOne, queryFlag } from '#contract/lists.ts';

export const REDEMPTION_STATUS = { unused: 1, disabled: 2, used: 3 } as const;
export const REDEMPTION_NEVER_EXPIRES = 0;
export const REDEMPTION_BATCH_MAX = 100;
export const REDEMPTION_NAME_MAX = 20;
export const REDEMPTION_DEFAULT_QUOTA = 100_000;
export const REDEMPTION_PRESETS_DOLLARS = [1, 5, 10, 20, 50, 100] as const;
/** Hexadecimal digits of a code: 128 random bits. */
export const REDEMPTION_KEY_LENGTH = 32;
export const REDEMPTION_BATCHES_SHOWN = 100;

const quota = z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER);
const expiry = z.number().int().min(0).max(253_402_300_799);
/** The server cuts a default name and refuses a long one, counted in characters. */
const name = z.string().trim().max(1000);

export const redemptionView = z.object({
  id: z.number(),
  /** The administrator who created the code. */
  user_id: z.number(),
  name: z.string(),
  /** Whole for a browser session, masked for a system access token. */
  key: z.string(),
  status: z.number(),
  quota: z.number(),
  created_time: z.number(),
  /** 0: not redeemed. */
  redeemed_time: z.number(),
  /** 0: none. */
  used_user_id: z.number(),
  used_username: z.string(),
  /** Unix seconds; 0: never. */
  expired_time: z.number(),
  /** Codes created by one call have the same batch. */
  batch: z.string(),
});
export type RedemptionView = z.output<typeof redemptionView>;

/** `expired`: unused, but past its end. A disabled or used code keeps its status. */
export const REDEMPTION_STATES = ['unused', 'disabled', 'used', 'expired'] as const;
export type RedemptionState = (typeof REDEMPTION_STATES)[number];

export function redemptionStateAt(
  code: Pick<RedemptionView, 'status' | 'expired_time'>,
  nowSeconds: number,
): RedemptionState {
  if (code.status === REDEMPTION_STATUS.used) return 'used';
  if (code.status === REDEMPTION_STATUS.disabled) return 'disabled';
  return redemptionExpired(code, nowSeconds) ? 'expired' : 'unused';
}

export function redemptionExpired(
  { expired_time }: Pick<RedemptionView, 'expired_time'>,
  nowSeconds: number,
): boolean {
  return expired_time !== REDEMPTION_NEVER_EXPIRES && expired_time <= nowSeconds;
}

/** Counted as people count: a Chinese character or an emoji is one. */
export function redemptionNameLength(text: string): number {
  return Array.from(text).length;
}

export function cutRedemptionName(text: string): string {
  return Array.from(text).slice(0, REDEMPTION_NAME_MAX).join('');
}

/** A code as a person pastes it: spaces, line breaks, hyphens, invisible characters and capitals make no difference. */
export function redemptionKeyOf(text: string): string {
  return text.replaceAll(/[\s\p{Cf}\p{Pd}]+/gu, '').toLowerCase();
}

export const redemptionCreate = z.object({
  /** Blank: the formatted quota. */
  name: name.default(''),
  quota,
  count: z.coerce.number().int().default(1),
  expired_time: expiry.default(REDEMPTION_NEVER_EXPIRES),
});

/** PUT takes any subset beside the id; `count`, which some clients send, is ignored. */
export const redemptionChange = z.object({
  id: z.number().int().positive(),
  name: name.optional(),
  quota: quota.optional(),
  expired_time: expiry.optional(),
  status: z.number().int().optional(),
  based_on: basedOn,
});

export const REDEMPTION_BATCH_ACTIONS = ['enable', 'disable', 'delete'] as const;

const listQuery = pageFromOne.extend({
  state: z.enum(REDEMPTION_STATES).optional(),
  batch: z.string().max(64).optional(),
  sort: z.enum(['id', 'name', 'quota', 'created_time', 'expired_time', 'redeemed_time']).optional(),
  order: z.enum(['asc', 'desc']).optional(),
});

const redemptionList = itemList(redemptionView);

const sum = z.object({ codes: z.number(), quota: z.number() });

export const redemptionBatch = z.object({
  batch: z.string(),
  /** The name its codes were created with, unless they were renamed. */
  name: z.string(),
  created_time: z.number(),
  total: z.number(),
  used: z.number(),
  /** What unused codes of the batch can still be redeemed for. */
  open_quota: z.number(),
});
export type RedemptionBatch = z.output<typeof redemptionBatch>;

export const redemptionOverview = z.object({
  /** Unused codes that can be redeemed now: what users may still ask for. */
  outstanding: sum,
  disabled: sum,
  redeemed: sum,
  expired: sum,
  /** Newest first. */
  batches: z.array(redemptionBatch),
});
export type RedemptionOverview = z.output<typeof redemptionOverview>;

export const redemptions = {
  list: endpoint({
    method: 'GET',
    path: '/api/redemption/',
    access: 'admin',
    summary: { zh: '兑换码列表', en: 'List redemption codes' },
    query: listQuery,
    returns: redemptionList,
    secret: true,
  }),
  search: endpoint({
    method: 'GET',
    path: '/api/redemption/search',
    access: 'admin',
    summary: { zh: '搜索兑换码', en: 'Search redemption codes' },
    /** The id, a part of the name, or a whole code. */
    query: listQuery.extend({ keyword: z.string().trim().max(100).default('') }),
    returns: redemptionList,
    limit: 'search',
    secret: true,
  }),
  overview: endpoint({
    method: 'GET',
    path: '/api/redemption/overview',
    access: 'admin',
    summary: { zh: '兑换码批次与未兑换总额', en: 'Batches of codes and the outstanding amount' },
    returns: redemptionOverview,
  }),
  read: endpoint({
    method: 'GET',
    path: '/api/redemption/{id}',
    access: 'admin',
    summary: { zh: '读取兑换码', en: 'Read one redemption code' },
    params: idParams,
    returns: redemptionView,
    secret: true,
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/redemption/',
    access: 'admin',
    summary: { zh: '创建兑换码', en: 'Create redemption codes' },
    body: redemptionCreate,
    /** The codes. */
    returns: z.array(z.string()),
    secret: true,
  }),
  change: endpoint({
    method: 'PUT',
    path: '/api/redemption/',
    access: 'admin',
    summary: { zh: '修改兑换码或其状态', en: 'Change a redemption code or its status' },
    query: z.object({ status_only: queryFlag }),
    body: redemptionChange,
    returns: redemptionView,
    secret: true,
  }),
  /** The same action on many codes at once. A used code is never enabled or disabled. */
  batch: endpoint({
    method: 'POST',
    path: '/api/redemption/batch',
    access: 'admin',
    summary: { zh: '批量启用、禁用或删除兑换码', en: 'Enable, disable or delete many redemption codes' },
    body: z.object({
      ids: z.array(z.number().int().positive()).min(1).max(1000),
      action: z.enum(REDEMPTION_BATCH_ACTIONS),
    }),
    returns: z.object({ changed: z.array(z.number()), refused: z.array(z.number()) }),
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/redemption/{id}/',
    access: 'admin',
    summary: { zh: '删除兑换码', en: 'Delete a redemption code' },
    params: idParams,
    returns: z.null(),
  }),
  /** Credits the caller with the quota of the code; the answer is that quota. */
  redeem: endpoint({
    method: 'POST',
    path: '/api/user/topup',
    access: 'user',
    organization: 'billing.manage',
    summary: { zh: '兑换码充值', en: 'Redeem a code' },
    body: z.object({ key: z.string().max(1000).default('') }),
    returns: z.number(),
    secret: true,
  }),
};
