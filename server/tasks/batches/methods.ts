// A path with several methods. The overload gate counts its requests, as it does those of model calls.
import { pathOf, route, type Answering, type RelayHandler } from '#server/relay/entry/handler.ts';
import type { Core } from '#server/relay/pipeline/core.ts';

export function byMethod(
  core: Core,
  answers: Partial<Record<'GET' | 'POST' | 'DELETE', Answering>>,
): RelayHandler {
  const handlers = new Map(
    Object.entries(answers).map(([method, answer]) => [method, route(core, method, answer)]),
  );
  const [first] = handlers.values();
  if (first === undefined) throw new Error('a path without a method');
  // A wrong method is refused by the handler of another one.
  return (request, connection) => (handlers.get(request.method) ?? first)(request, connection);
}

/** The id in `/v1/batches/{id}` and below it. */
export function idIn(request: Request, base: string): string {
  const [id = ''] = pathOf(request)
    .slice(base.length + 1)
    .split('/');
  return isId(id) ? id : '';
}

/** PostgreSQL cannot compare with every text, such as one with a NUL. */
export const isId = (text: string): boolean => /^[\w-]{1,200}$/.test(text);
