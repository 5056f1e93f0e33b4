// How long an upstream wants to be left alone after a refusal, as its headers, the details or the words of its error name it.
import { secondsIn } from '#server/models/limits/amounts.ts';
import { waitInDetails, waitInWords } from '#server/models/limits/refused-limit.ts';

type ErrorObject = Readonly<Record<string, unknown>>;

const MOST_SECONDS = 3600;

/** In seconds, 0: not named. `resetIn`: when the limit is reset, for an error that names no time. */
export function namedWait(
  status: number,
  error: ErrorObject,
  retryAfter: string | undefined,
  resetIn?: (error: ErrorObject) => string | undefined,
): number {
  const named = retryAfter ?? waitInDetails(error) ?? waitSaid(status, error) ?? resetIn?.(error);
  return Math.min(secondsIn(named, Date.now()) ?? 0, MOST_SECONDS);
}

/** Only limits and overload name a time in their words. */
function waitSaid(status: number, { message }: ErrorObject): string | undefined {
  const mayWait = status === 429 || status === 503 || status === 529;
  return mayWait && typeof message === 'string' ? waitInWords(message) : undefined;
}
