/** Grades of a channel's numbers: response time, health per hour, low balance, reason of its disabling. */
import { factIn } from '#contract/facts.ts';
import { RESPONSE_SECONDS, type ChannelView } from '#contract/relay/channel-fields.ts';
import type { Health } from '#web/ui/badge/health-strip.tsx';

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

/** The status of a refusal, which names a failed test at a glance. A 200 with a useless answer is no status to show. */
export function errorStatus(error: string): string | undefined {
  // Rows of earlier versions begin with the status.
  const status = Number(factIn(error)?.values['status'] ?? /^(\d{3})\b/.exec(error)?.[1]);
  return status >= 400 ? String(status) : undefined;
}
