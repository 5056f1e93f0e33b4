// One question to a provider and its JSON answer. What goes wrong on the way is either "not reached" or "not confirmed";
// what the provider said goes to nobody, because it may repeat a code or a secret.
import type { z } from 'zod';
import type { Log } from '#contract/context.ts';
import { AppError } from '#contract/errors.ts';
import type { Egress } from '#server/egress/index.ts';

export interface Question<Schema extends z.ZodType> {
  url: string;
  /** Sent as a form. */
  form?: Record<string, string>;
  /** Sent as JSON. */
  json?: Record<string, string>;
  headers?: Record<string, string>;
  answer: Schema;
}

export type Ask = <Schema extends z.ZodType>(
  provider: string,
  question: Question<Schema>,
) => Promise<z.output<Schema>>;

const TIMEOUT_SECONDS = 10;
const LIMIT_BYTES = 1024 * 1024;

export function createAsk(egress: Pick<Egress, 'fetch'>, log: Log): Ask {
  return async (provider, { url, form, json, headers = {}, answer }) => {
    const response = await egress
      .fetch('system', url, {
        method: form || json ? 'POST' : 'GET',
        headers: {
          Accept: 'application/json',
          'User-Agent': 'Tollgate',
          ...(form ? { 'Content-Type': 'application/x-www-form-urlencoded' } : {}),
          ...(json ? { 'Content-Type': 'application/json' } : {}),
          ...headers,
        },
        body: form ? new URLSearchParams(form).toString() : json && JSON.stringify(json),
        timeoutSeconds: TIMEOUT_SECONDS,
        limitBytes: LIMIT_BYTES,
      })
      .catch((error: unknown) => {
        log.warn('login provider not reached', { provider, error });
        throw new AppError('outside_unreachable', { provider });
      });
    if (response.status >= 500) {
      log.warn('login provider not reached', { provider, status: response.status });
      throw new AppError('outside_unreachable', { provider });
    }
    const parsed = answer.safeParse(await response.json().catch(() => undefined));
    if (response.ok && parsed.success) return parsed.data;
    // A refusal (400, 401) has another shape, and so has a redirect or a page for people.
    log.info('login provider refused', { provider, status: response.status });
    throw new AppError('outside_refused', { provider });
  };
}
