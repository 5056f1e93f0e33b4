// Requests to a login provider. A failure is either "not reached" or "refused"; the provider's answer is neither logged nor
// shown, because it may repeat a code or a secret.
import type { Log } from '#contract/context.ts';
import { AppError } from '#contract/errors.ts';
import type { Egress, EgressClass } from '#server/platform/egress/index.ts';

export interface ProviderRequest {
  method: string;
  headers: Record<string, string>;
  body?: string | undefined;
}

/** Throws `outside_unreachable` without an answer and for a 5xx. Redirects are answers, not followed. */
export type SendToProvider = (provider: string, url: string, request: ProviderRequest) => Promise<Response>;

const TIMEOUT_SECONDS = 10;
const LIMIT_BYTES = 1024 * 1024;

/** `kind` is read for each request, because it may depend on a setting. */
export function createProviderSend(
  egress: Pick<Egress, 'fetch'>,
  log: Log,
  kind: () => EgressClass,
): SendToProvider {
  return async (provider, url, { method, headers, body }) => {
    const response = await egress
      .fetch(kind(), url, {
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
  };
}
