/** The sentences on top of a customer's overview: keys that will stop, the balance, what was used. What is zero is not said. */
import type { CustomerOverview } from '#contract/admin/overview.ts';
import { groupDigits, renderQuota, type QuotaDisplay } from '#contract/money/quota-text.ts';
import type { Joins } from './sentence.ts';

/** A message of `sentence`; `<name>…</name>` in it is a number. */
export type SayCustomer = (
  key: 'keysEnd' | 'balance' | 'balanceOnly' | 'usedToday' | 'usedYesterday' | 'answered',
  values: Record<string, string | number>,
) => string;

type Facts = Pick<CustomerOverview, 'balance' | 'pace' | 'days'>;

/** Calls that were answered, of those that were tried: `99.4%`. Never rounded up to all of them. */
export function answeredPercent(count: number, failures: number): string {
  const share = (count / (count + failures)) * 100;
  return `${failures === 0 ? '100' : Math.min(99.9, share).toFixed(1)}%`;
}

export function customerSentence(
  { balance, pace, days }: Facts,
  keysEnding: number,
  say: SayCustomer,
  display: QuotaDisplay,
  { comma, semicolon, stop, space }: Joins & { space: string },
): string {
  const amount = (quota: number) => renderQuota(quota, display, 2);
  const [today, yesterday] = [days.at(-1), days.at(-2)];
  const left = { amount: amount(balance.quota + balance.plans) };
  const calls = yesterday === undefined ? 0 : yesterday.count + yesterday.error_count;
  const before =
    yesterday === undefined || calls === 0
      ? ''
      : [
          say('usedYesterday', { amount: amount(yesterday.quota) }),
          say('answered', {
            count: calls,
            calls: groupDigits(calls),
            percent: answeredPercent(yesterday.count, yesterday.error_count),
          }),
        ].join(comma);
  const used = [
    today !== undefined && today.quota > 0 ? say('usedToday', { amount: amount(today.quota) }) : '',
    before,
  ]
    .filter(Boolean)
    .join(semicolon);
  return [
    keysEnding > 0 ? say('keysEnd', { count: keysEnding }) : '',
    pace.days_left === null
      ? say('balanceOnly', left)
      : say('balance', { ...left, count: Math.floor(pace.days_left) }),
    used === '' ? '' : used.slice(0, 1).toUpperCase() + used.slice(1) + stop,
  ]
    .filter(Boolean)
    .join(space);
}
