// The paths of usage and cost reports on the public port. They take admin keys only, and admin keys open nothing else.
import { ParameterError } from '#server/admin/query-parameters.ts';
import {
  readReport,
  REPORT_PATHS,
  ReportTooLarge,
  scopeOf,
  type OrganizationDependencies,
  type Refused,
  type ReportScope,
} from '#server/admin/usage-api/index.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import { json, pathOf, route, type RelayRoutes } from '#server/relay/entry/handler.ts';
import { RelayError, type RelayErrorCode } from '#server/relay/errors/relay-error.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import type { Limiter } from './limits.ts';

/** Reports of one key that this node reads at once. */
const MOST_AT_ONCE = 4;

const REFUSALS: Readonly<Record<Refused, RelayErrorCode>> = {
  not_admin: 'admin_key_required',
  unknown: 'invalid_api_key',
  owner_disabled: 'user_disabled',
};

export function organizationRoutes(
  core: Core,
  dependencies: OrganizationDependencies,
  limiter: Limiter,
): RelayRoutes {
  const running = new Map<number, number>();

  async function answer(incoming: Incoming): Promise<Response> {
    const { request, address } = incoming;
    // Before the key is looked up, so that keys cannot be tried out.
    const seconds = limiter.take('api', address);
    if (seconds > 0) throw new RelayError('rate_limited', {}, { retryAfterSeconds: seconds });
    const scope = await scopeOf(dependencies, presentedKey(request.headers));
    if (typeof scope === 'string') throw new RelayError(REFUSALS[scope]);
    const count = running.get(scope.keyId) ?? 0;
    if (count >= MOST_AT_ONCE) throw new RelayError('rate_limited', {}, { retryAfterSeconds: 1 });
    running.set(scope.keyId, count + 1);
    try {
      return json(incoming, await read(request, scope));
    } finally {
      const left = (running.get(scope.keyId) ?? 1) - 1;
      if (left > 0) running.set(scope.keyId, left);
      else running.delete(scope.keyId);
    }
  }

  async function read(request: Request, scope: ReportScope): Promise<object> {
    const query = new URL(request.url).searchParams;
    try {
      return await readReport(dependencies, scope, { path: pathOf(request), query });
    } catch (error) {
      const type = 'invalid_request_error';
      if (error instanceof ParameterError)
        throw new RelayError('invalid_field', { field: error.parameter }, { type, param: error.parameter });
      if (error instanceof ReportTooLarge)
        throw new RelayError('report_too_large', { most: error.most }, { type });
      throw error;
    }
  }

  return Object.fromEntries(REPORT_PATHS.map((path) => [path, route(core, 'GET', answer)]));
}

/** From a header only: addresses are kept in the logs of proxies. */
function presentedKey(headers: Headers): string {
  const authorization = headers.get('authorization') ?? '';
  const bearer = /^bearer\s+(.+)$/i.exec(authorization)?.[1];
  const key = (bearer ?? headers.get('x-api-key') ?? '').trim();
  if (key === '') throw new RelayError('missing_api_key');
  return key;
}
