// The caller's error for a hold that was refused: which limit, what is needed, what is left.
import { budgetEnd } from '#contract/money/budget-windows.ts';
import { formatMoney } from '#contract/money/quota-text.ts';
import { siteTime } from '#contract/site-day.ts';
import type { Refusal } from '#server/money/ledger/ledger.ts';
import type { PriceSnapshot } from '#server/money/prices/price.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import { RelayError, type RelayErrorCode } from '#server/relay/errors/relay-error.ts';
import type { RefusingBudget } from './budget-book.ts';
import { PlanEmptyError } from './payers.ts';

const REFUSALS = {
  insufficient_user_quota: 'insufficient_quota',
  insufficient_token_quota: 'insufficient_token_quota',
  user_unavailable: 'user_disabled',
  token_unavailable: 'invalid_api_key',
  token_expired: 'token_expired',
  requests_per_minute: 'rate_limited',
  tokens_per_minute: 'tokens_limited',
  concurrent_calls: 'concurrency_limited',
  day_budget: 'day_budget',
  month_budget: 'month_budget',
  organization_budget: 'organization_budget',
} as const satisfies Record<Exclude<Refusal['reason'], 'plan_empty'>, RelayErrorCode>;

/** The limits that a key shares with the others of its project. */
const PROJECT_REFUSALS: Partial<Record<Refusal['reason'], RelayErrorCode>> = {
  requests_per_minute: 'project_rate_limited',
  tokens_per_minute: 'project_tokens_limited',
};

/** What a refused call would have held. */
export interface RefusedDemand {
  readonly price: PriceSnapshot;
  readonly needed: number;
  /** Of the site: a budget is of its days. */
  readonly zone: string;
  /** Of an organization, which has refused the call. */
  readonly budget?: RefusingBudget | undefined;
}

export function refusalError(
  refusal: Refusal,
  caller: Caller,
  demand: RefusedDemand,
): RelayError | PlanEmptyError {
  if (refusal.reason === 'plan_empty') return new PlanEmptyError();
  // Another node knew it first; the next call is told why.
  if (refusal.reason === 'user_unavailable' && caller.organization !== undefined)
    return new RelayError('organization_suspended', { reason: '' });
  const code = REFUSALS[refusal.reason];
  const isRate = refusal.reason.endsWith('_minute') || refusal.reason === 'concurrent_calls';
  const { retryAfterSeconds } = refusal;
  if (isRate && refusal.subject === 'token' && caller.rateLimitMessage !== '') {
    return new RelayError(code, {}, { message: caller.rateLimitMessage, retryAfterSeconds });
  }
  const project = refusal.subject === 'project' ? PROJECT_REFUSALS[refusal.reason] : undefined;
  if (project !== undefined) return new RelayError(project, {}, { retryAfterSeconds });
  const { price, needed, zone, budget } = demand;
  const dollars = (amount: number) => formatMoney(amount / price.quotaPerUnit);
  const resets = siteTime(zone, budgetEnd(retryAfterSeconds));
  const parameters = { needed: dollars(needed), left: dollars(refusal.available), resets, zone };
  if (code !== 'organization_budget') return new RelayError(code, parameters, { retryAfterSeconds });
  const { name = '', owners = '', isTotal = false } = budget ?? {};
  const named = { ...parameters, name, owners };
  if (isTotal) return new RelayError('organization_budget_total', named);
  return new RelayError(code, named, { retryAfterSeconds });
}
