// Requests to a login provider with a JSON answer.
import type { z } from 'zod';
import type { Log } from '#server/admin/context.ts';
import { createProviderSend, type SendToProvider } from '#server/admin/login-provider.ts';
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

export interface Exchange {
  send: SendToProvider;
  /** One request with a JSON answer; throws `outside_refused` for any other answer. */
  ask: <Schema extends z.ZodType>(provider: string, question: Question<Schema>) => Promise<z.output<Schema>>;
}

export function createExchange(egress: Pick<Egress, 'fetch'>, log: Log): Exchange {
  const send = createProviderSend(egress, log, () => 'system');
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
