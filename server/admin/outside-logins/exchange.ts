// Requests to a login provider. A failure is either "not reached" or "refused"; the provider's answer is neither logged nor
// shown, because it may repeat a code or a secret.
import type { z } from 'zod';
import type { Log } from '#server/admin/context.ts';
import { AppError } from '#contract/errors.ts';
import type { Egress } from '#server/platform/egress/index.ts';

export interface Question<Schema extends z.ZodType> {
  url: string;
  /** Sent as a form. */
  form?: Record<string, string>;
  /** Sent as JSON. */
  json?: Record<string, string>;
  headers?: Record<string, string>;
  answer: Schema;
}

export interface ProviderRequest {
  method: string;
  headers: Record<string, string>;
  body?: string | undefined;
}

export interface Exchange {
  /** Throws `outside_unreachable` without an answer and for a 5xx. Redirects are answers, not followed. */
  send: (provider: string, url: string, request: ProviderRequest) => Promise<Response>;
  /** One request with a JSON answer; throws `outside_refused` for any other answer. */
  ask: <Schema extends z.ZodType>(provider: string, question: Question<Schema>) => Promise<z.output<Schema>>;
}

const TIMEOUT_SECONDS = 10;
const LIMIT_BYTES = 1024 * 1024;

export function createExchange(egress: Pick<Egress, 'fetch'>, log: Log): Exchange {
  async function send(
    provider: string,
    url: string,
    { method, headers, body }: ProviderRequest,
  ): Promise<Response> {
    const response = await egress
      .fetch('system', url, {
        method,
        headers: { 'User-Agent': 'Tollgate', ...headers },
        ...(body === undefined ? {} : { body }),
        timeoutSeconds: TIMEOUT_SECONDS,
        limitBytes: LIMIT_BYTES,
      })
      .catch((error: unknown) => {
        log.warn('login provider not reached', { provider, error });
        throw new AppError('outside_unreachable', { provider });
      });
    if (response.status < 500) return response;
    log.warn('login provider not reached', { provider, status: response.status });
    throw new AppError('outside_unreachable', { provider });
  }

  return {
    send,
    async ask(provider, { url, form, json, headers = {}, answer }) {
      const response = await send(provider, url, {
        method: form || json ? 'POST' : 'GET',
        headers: {
          Accept: 'application/json',
          ...(form ? { 'Content-Type': 'application/x-www-form-urlencoded' } : {}),
          ...(json ? { 'Content-Type': 'application/json' } : {}),
          ...headers,
        },
        body: form ? new URLSearchParams(form).toString() : json && JSON.stringify(json),
      });
      const parsed = answer.safeParse(await response.json().catch(() => undefined));
      if (response.ok && parsed.success) return parsed.data;
      // A refusal (400, 401), a redirect and an HTML page have other shapes.
      log.info('login provider refused', { provider, status: response.status });
      throw new AppError('outside_refused', { provider });
    },
  };
}
