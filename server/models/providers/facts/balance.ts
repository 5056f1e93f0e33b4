// How an upstream reports the balance of the operator's account: paths, and how the answers are read.
import { DAY_SECONDS } from '#contract/time.ts';
import { member } from '#server/models/providers/shared/json.ts';

export type BalanceKind =
  | 'openai'
  | 'deepseek'
  | 'moonshot'
  | 'siliconflow'
  | 'openrouter'
  | 'aiproxy'
  | 'api2gpt'
  | 'aigc2d';

export interface BalanceReading {
  readonly currency: 'USD' | 'CNY';
  /** Requested one after the other below the channel's base URL; `now` in Unix seconds. */
  paths(now: number): readonly string[];
  headers?(key: string): Record<string, string>;
  /** Undefined when the answers contain no balance. */
  read(answers: readonly unknown[]): number | undefined;
}

/** The longest range of OpenAI's usage report. */
const REPORT_DAYS = 99;

const readings: Record<BalanceKind, BalanceReading> = {
  openai: {
    currency: 'USD',
    paths: (now) => [
      '/v1/dashboard/billing/subscription',
      `/v1/dashboard/billing/usage?start_date=${day(now - REPORT_DAYS * DAY_SECONDS)}&end_date=${day(now + DAY_SECONDS)}`,
    ],
    read([subscription, usage]) {
      const limit = number(subscription, 'hard_limit_usd');
      // In cents.
      const used = number(usage, 'total_usage');
      return limit === undefined || used === undefined ? undefined : limit - used / 100;
    },
  },
  deepseek: {
    currency: 'CNY',
    paths: () => ['/user/balance'],
    read([answer]) {
      const infos = member(answer, 'balance_infos');
      if (!Array.isArray(infos)) return undefined;
      const info: unknown = infos.find((each) => member(each, 'currency') === 'CNY') ?? infos[0];
      return number(info, 'total_balance');
    },
  },
  moonshot: {
    currency: 'CNY',
    paths: () => ['/v1/users/me/balance'],
    read: ([answer]) => number(member(answer, 'data'), 'available_balance'),
  },
  siliconflow: {
    currency: 'CNY',
    paths: () => ['/v1/user/info'],
    read: ([answer]) => number(member(answer, 'data'), 'totalBalance'),
  },
  openrouter: {
    currency: 'USD',
    paths: () => ['/v1/credits'],
    read([answer]) {
      const data = member(answer, 'data');
      const bought = number(data, 'total_credits');
      const used = number(data, 'total_usage');
      return bought === undefined || used === undefined ? undefined : bought - used;
    },
  },
  aiproxy: {
    currency: 'USD',
    paths: () => ['/api/report/getUserOverview'],
    headers: (key) => ({ 'Api-Key': key }),
    read: ([answer]) => number(member(answer, 'data'), 'totalPoints'),
  },
  api2gpt: {
    currency: 'USD',
    paths: () => ['/dashboard/billing/credit_grants'],
    read: ([answer]) => number(answer, 'total_remaining'),
  },
  aigc2d: {
    currency: 'USD',
    paths: () => ['/dashboard/billing/credit_grants'],
    read: ([answer]) => number(answer, 'total_available'),
  },
};

export function balanceReading(kind: BalanceKind): BalanceReading {
  return readings[kind];
}

function day(unixSeconds: number): string {
  return new Date(unixSeconds * 1000).toISOString().slice(0, 10);
}

/** Amounts are numbers or decimal strings. */
function number(value: unknown, name: string): number | undefined {
  const found = member(value, name);
  if (typeof found !== 'number' && (typeof found !== 'string' || found.trim() === '')) return undefined;
  const amount = Number(found);
  return Number.isFinite(amount) ? amount : undefined;
}
