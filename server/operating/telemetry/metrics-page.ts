// GET /metrics. Open for a bearer token, or for addresses; with neither configured the path does not exist.
import { createHash, timingSafeEqual } from 'node:crypto';
import { compileAddressList } from '#contract/ip-address.ts';
import { AggregatorRegistry, type Registry } from 'prom-client';
import type { MetricsAccess } from '#server/platform/env.ts';
import type { Siblings } from './siblings.ts';

export function createMetricsPage(
  registry: Registry,
  { token, addresses }: MetricsAccess,
  siblings: Siblings | undefined,
) {
  const allowed = compileAddressList(addresses.join('\n'));
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const expected = token === undefined ? undefined : digest(`Bearer ${token}`);
  const text = async () => {
    if (siblings === undefined) return await registry.metrics();
    const all = [await registry.getMetricsAsJSON(), ...(await siblings.figures())];
    return await AggregatorRegistry.aggregate(all).metrics();
  };
  return async (request: Request, address: string): Promise<Response> => {
    const given = digest(request.headers.get('authorization') ?? '');
    const hasToken = expected !== undefined && timingSafeEqual(given, expected);
    if (!hasToken && !allowed.matches(address))
      return new Response('401 a bearer token or an allowed address is needed\n', {
        status: 401,
        headers: { 'WWW-Authenticate': 'Bearer', 'Cache-Control': 'no-store' },
      });
    return new Response(await text(), {
      headers: { 'Content-Type': registry.contentType, 'Cache-Control': 'no-store' },
    });
  };
}
