/** Grades of a channel's numbers: response time, health per hour, low balance, reason of its disabling. */
import { RESPONSE_SECONDS, type ChannelView } from '#contract/channel-fields.ts';
import type { Health } from '#web/ui/badge/posts.tsx';

export type ResponseGrade = 'untested' | 'green' | 'lime' | 'yellow' | 'red';

export function responseGrade(milliseconds: number): ResponseGrade {
  if (milliseconds <= 0) return 'untested';
  const seconds = milliseconds / 1000;
  if (seconds <= RESPONSE_SECONDS.green) return 'green';
  if (seconds <= RESPONSE_SECONDS.lime) return 'lime';
  return seconds <= RESPONSE_SECONDS.yellow ? 'yellow' : 'red';
}

/** `412 ms` below a second, `1.24 s` above. */
export function responseText(milliseconds: number): { digits: string; unit: string } {
  if (milliseconds < 1000) return { digits: String(Math.round(milliseconds)), unit: 'ms' };
  return { digits: (milliseconds / 1000).toFixed(2), unit: 's' };
}

const FAILING = 0.5;
const DEGRADED = 0.05;

/** Failed calls are counted separately from served ones. */
export function healthOf({ calls, errors }: ChannelView['health'][number]): Health {
  const total = calls + errors;
  if (total === 0) return 'idle';
  const share = errors / total;
  if (share >= FAILING) return 'failing';
  return share >= DEGRADED ? 'degraded' : 'healthy';
}

export function healthTotals(hours: ChannelView['health']): { calls: number; errors: number } {
  return {
    calls: hours.reduce((sum, hour) => sum + hour.calls + hour.errors, 0),
    errors: hours.reduce((sum, hour) => sum + hour.errors, 0),
  };
}

/** A balance below this is low. */
const LOW_BALANCE = 5;

export function isLowBalance(balance: number): boolean {
  return balance < LOW_BALANCE;
}

export type DisableReason =
  | { key: 'status'; value: string }
  | { key: 'code'; value: string }
  | { key: 'type'; value: string }
  | { key: 'keyword'; value: string }
  | { key: 'slow'; value: string }
  | { key: 'test'; value: string }
  | { key: 'balance'; value: string }
  | { key: 'account'; value: string }
  | { key: 'other'; value: string };

const REASONS = ['status', 'code', 'type', 'keyword', 'slow', 'test', 'balance', 'account'] as const;

/** The stored reason begins with its kind: `status 401`, `slow 6.20 s > 5 s`. */
export function disableReason(text: string): DisableReason {
  const kind = REASONS.find((each) => text.startsWith(`${each} `));
  return kind === undefined
    ? { key: 'other', value: text }
    : { key: kind, value: text.slice(kind.length + 1) };
}

/** The HTTP status of a failed test, if there was an answer. */
export function errorStatus(error: string): string | undefined {
  return /^(\d{3})\b/.exec(error)?.[1];
}
