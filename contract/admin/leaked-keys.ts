// Keys that were found in the open: an operator finds the token of a key and disables that one key; a scanner reports many.
// Keys are in bodies only, never in an address, a log or an audit row.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';
import { idParams } from '#contract/lists.ts';

export const REPORTED_KEYS_MAX = 1000;
/** A masked key may fit several tokens; so many are shown. */
export const FOUND_KEYS_MAX = 20;
export const LEAK_REASON_MAX = 200;

const keyText = z.string().trim().min(1).max(200);
const reason = z.string().trim().max(LEAK_REASON_MAX).default('');

export const foundKey = z.object({
  token_id: z.number(),
  name: z.string(),
  /** The first and the last four characters. */
  key: z.string(),
  /** As in the list of tokens; disabled keys are refused. */
  status: z.number(),
  /** The token or its owner is deleted: the key is refused already. */
  deleted: z.boolean(),
  created_time: z.number(),
  accessed_time: z.number(),
  user_id: z.number(),
  username: z.string(),
  /** False: the owner's role is equal or higher, so the caller may not disable it. */
  manageable: z.boolean(),
});
export type FoundKey = z.output<typeof foundKey>;

/**
 * `disabled`: now, and its owner is notified. `inactive`: it was disabled before, or token or owner is deleted. `not_allowed`:
 * the owner's role is equal or higher. `unknown`: no key of this site. `invalid`: no whole key.
 */
export const KEY_VERDICTS = ['disabled', 'inactive', 'not_allowed', 'unknown', 'invalid'] as const;

/** In the order of the report. */
export const keyVerdict = z.object({
  verdict: z.enum(KEY_VERDICTS),
  /** 0 when unknown. */
  token_id: z.number(),
  user_id: z.number(),
  /** Masked; empty when unknown. */
  key: z.string(),
});
export type KeyVerdict = z.output<typeof keyVerdict>;

export const leakedKeys = {
  find: endpoint({
    method: 'POST',
    path: '/api/token/find',
    access: 'admin',
    summary: { zh: '按密钥查找令牌及其所有者', en: 'Find an API key and its owner by the key itself' },
    body: z.object({
      /** Whole, with or without `sk-`, or masked: `sk-abcd…wxyz`. */
      key: keyText,
    }),
    returns: z.array(foundKey),
    limit: 'search',
    limitPer: 'user',
    secret: true,
  }),
  disable: endpoint({
    method: 'POST',
    path: '/api/token/{id}/disable',
    access: 'admin',
    summary: { zh: '禁用泄露的密钥并通知其所有者', en: 'Disable a leaked key and notify its owner' },
    params: idParams,
    body: z.object({ reason }),
    returns: foundKey,
  }),
  report: endpoint({
    method: 'POST',
    path: '/api/token/report',
    access: 'admin',
    summary: { zh: '上报泄露的密钥', en: 'Report leaked keys' },
    /** `reason`: where they were found; the owner reads it. */
    body: z.object({ keys: z.array(keyText).min(1).max(REPORTED_KEYS_MAX), reason }),
    returns: z.array(keyVerdict),
    limit: 'search',
    limitPer: 'user',
    secret: true,
  }),
};
