/** The thresholds of the specification: how long a call and its first token may take. */
import { DURATION_SECONDS, FIRST_TOKEN_SECONDS } from '#contract/admin/logs.ts';

export type SpeedTone = 'green' | 'orange' | 'red';

function toneOf(seconds: number, limits: { green: number; orange: number }): SpeedTone {
  if (seconds < limits.green) return 'green';
  return seconds < limits.orange ? 'orange' : 'red';
}

export function durationTone(useTimeSeconds: number): SpeedTone {
  return toneOf(useTimeSeconds, DURATION_SECONDS);
}

export function firstTokenTone(seconds: number): SpeedTone {
  return toneOf(seconds, FIRST_TOKEN_SECONDS);
}
