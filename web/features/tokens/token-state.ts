/** The state of a token, and the figures of its row. */
import { TOKEN_STATUS, type TokenView } from '#contract/admin/tokens.ts';
import type { StatusKind } from '#web/ui/badge/status.tsx';

export type TokenStateKind = Extract<
  StatusKind,
  'enabled' | 'restricted' | 'disabled' | 'expired' | 'exhausted'
>;

/** Another member's key of an organization comes masked: it can be managed, not read. */
export const isWhole = ({ key }: Pick<TokenView, 'key'>): boolean => !key.includes('…');

/** An enabled token with model limits shows as restricted. */
export function tokenState(token: Pick<TokenView, 'status' | 'model_limits_enabled'>): TokenStateKind {
  switch (token.status) {
    case TOKEN_STATUS.enabled:
      return token.model_limits_enabled ? 'restricted' : 'enabled';
    case TOKEN_STATUS.expired:
      return 'expired';
    case TOKEN_STATUS.exhausted:
      return 'exhausted';
    default:
      return 'disabled';
  }
}

/** The total quota of the token; undefined for unlimited. */
export function totalQuota(token: Pick<TokenView, 'used_quota' | 'remain_quota' | 'unlimited_quota'>) {
  return token.unlimited_quota ? undefined : token.used_quota + token.remain_quota;
}

export function lineCount(text: string): number {
  return text.split('\n').filter((line) => line.trim() !== '').length;
}
