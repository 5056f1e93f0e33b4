// Fields of an upstream's report, read as untrusted input: bounded texts, valid URLs, plausible times.

const LONGEST_ADDRESS = 4000;
const LONGEST_JSON = 50_000;
export const LONGEST_TEXT = 8000;

/** Without NUL, which PostgreSQL cannot store: the row could not be written, and the task would not end. */
export const textOf = (value: unknown, longest = LONGEST_TEXT): string =>
  typeof value === 'string' ? value.slice(0, longest).replaceAll('\0', '') : '';

const ORDER = ['NOT_START', 'SUBMITTED', 'QUEUED', 'IN_PROGRESS'];

/** Reports of an upstream with several nodes may arrive in the wrong order: a task does not go back to an earlier status. */
export function laterStatus(known: string, reported: string): string {
  const place = ORDER.indexOf(reported);
  return place >= 0 && place < ORDER.indexOf(known) ? known : reported;
}

/** `37%`, `37` or 37 as `37%`. */
export function progressOf(value: unknown): string | undefined {
  const [, digits] = /^(\d{1,3})(?:\.\d+)?%?$/.exec(String(value).trim()) ?? [];
  return digits === undefined ? undefined : `${Math.min(100, Number(digits))}%`;
}

export function addressOf(value: unknown): string {
  if (typeof value !== 'string' || value.length > LONGEST_ADDRESS || value.includes('\0')) return '';
  const url = URL.parse(value);
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? value : '';
}

/** The value, if it is not too long as JSON. */
export function jsonOf(value: unknown): unknown {
  if (value === undefined || value === null) return undefined;
  return JSON.stringify(value).length <= LONGEST_JSON ? value : undefined;
}

/** Unix milliseconds; 0 for times before 2017 or more than a day ahead. */
export function timeOf(value: unknown, now: number): number {
  const time = Number(value);
  return Number.isSafeInteger(time) && time > 1_500_000_000_000 && time < now + 86_400_000 ? time : 0;
}
