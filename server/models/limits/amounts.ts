// Amounts and times as upstreams write them in headers and errors. What cannot be read is undefined; nothing is negative, without
// end or in the past.

/** `-1` and `NaN` are sent by upstreams that do not know. */
const AMOUNT = /^\d{1,15}(?:\.\d{1,6})?$/;
const NUMBER = /^\d{1,16}(?:\.\d{1,9})?$/;
/** `6m0s`, `17ms`, `1h2m3.5s`. */
const DURATION =
  /^(?:(\d{1,5})d)?(?:(\d{1,6})h)?(?:(\d{1,7})m(?!s))?(?:(\d{1,9}(?:\.\d{1,9})?)s)?(?:(\d{1,9}(?:\.\d{1,9})?)ms)?$/;
const DATE = /^(?:\d{4}-\d\d-\d\d[T ]|[A-Z][a-z]{2}, \d)/;
const LONGEST_TEXT = 64;
/** Larger numbers are moments, in seconds or milliseconds since 1970. */
const LEAST_MOMENT_SECONDS = 1e9;
const LEAST_MOMENT_MILLISECONDS = 1e12;
const MOST_SECONDS = 86_400;
const UNITS = [86_400, 3600, 60, 1, 0.001];

export const amountIn = (text: string | undefined): number | undefined =>
  text !== undefined && text.length <= LONGEST_TEXT && AMOUNT.test(text) ? Number(text) : undefined;

/** Seconds from now until the time that is named: a duration, a number of seconds or a moment. At most a day. */
export function secondsIn(text: string | undefined, nowMilliseconds: number): number | undefined {
  if (text === undefined || text === '' || text.length > LONGEST_TEXT) return undefined;
  if (NUMBER.test(text)) return bounded(fromNumber(Number(text), nowMilliseconds));
  const parts = DURATION.exec(text);
  if (parts !== null)
    return bounded(UNITS.reduce((sum, unit, at) => sum + Number(parts[at + 1] ?? 0) * unit, 0));
  if (!DATE.test(text)) return undefined;
  const moment = Date.parse(text);
  return Number.isNaN(moment) ? undefined : bounded((moment - nowMilliseconds) / 1000);
}

function fromNumber(value: number, nowMilliseconds: number): number {
  if (value >= LEAST_MOMENT_MILLISECONDS) return (value - nowMilliseconds) / 1000;
  return value >= LEAST_MOMENT_SECONDS ? value - nowMilliseconds / 1000 : value;
}

const bounded = (seconds: number): number => Math.min(Math.max(seconds, 0), MOST_SECONDS);
