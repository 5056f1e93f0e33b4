// What every path of the relay shares: an id, a time, the caller's address and language, and one place for errors.
import { failed } from '#server/relay/caller/error-answer.ts';
import { answerHeaders, preflight } from '#server/relay/caller/answer-headers.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import type { Server } from 'bun';
import { responseOf, type FastHandler, type PlainAnswer, type PlainRequest } from '#server/edge/index.ts';
import { readBetas } from '#server/providers/anthropic/betas.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';

export type RelayServer = Pick<Server<unknown>, 'requestIP' | 'timeout' | 'upgrade'>;
export type RelayHandler = (
  request: Request,
  server: RelayServer,
) => Response | undefined | Promise<Response | undefined>;
export type RelayRoutes = Record<string, RelayHandler>;

type Answering = (incoming: Incoming) => Promise<PlainAnswer>;

/** What a request needs whatever becomes of it: an id, a time, the caller's address and language, and one place for errors. */
export function route(core: Core, method: string, answer: Answering): FastHandler {
  return callRoute(core, method, (incoming) =>
    answer(incoming).catch((error: unknown) => failed(core, incoming, error)),
  );
}

/** For calls of models, whose promise keeps: whatever goes wrong after the first moment is their answer. */
export function callRoute(core: Core, method: string, answer: Answering): FastHandler {
  return (request, connection) => {
    const incoming = incomingOf(core, request, connection);
    try {
      if (request.method !== method) {
        throw new RelayError('method_not_allowed', { method: request.method, path: pathOf(request) });
      }
      if (core.isDraining) throw new RelayError('draining', {}, { retryAfterSeconds: 1 });
      if ((core.gate.left -= 1) < 0) return refusedLater(core, incoming);
      return answer(incoming);
    } catch (error) {
      return failed(core, incoming, error);
    }
  };
}

async function refusedLater(core: Core, incoming: Incoming): Promise<PlainAnswer> {
  return failed(core, incoming, await overloaded(core));
}

/**
 * Before anything is read, asked or held for the call, but not at once: callers that come again as soon as they are refused
 * would keep the event loop so busy with refusing that it did nothing else.
 */
export async function overloaded({ gate }: Core): Promise<RelayError> {
  await gate.nextLook;
  return new RelayError('overloaded', {}, { retryAfterSeconds: gate.retryAfterSeconds });
}

/** The same path for the platform's server. */
export function served(handler: FastHandler): RelayHandler {
  return async (request, server) => {
    if (request.method === 'OPTIONS') return preflight(request);
    // The upstream sets the pace; the server's own idle limit is for callers that do not send.
    server.timeout(request, 0);
    return responseOf(await handler(request, connectionOf(request, server)));
  };
}

export const connectionOf = (request: Request, server: RelayServer): string =>
  server.requestIP(request)?.address ?? '';

/** `connection`: the address of the other end; empty when it has none. */
export function incomingOf(core: Core, request: PlainRequest, connection: string): Incoming {
  return {
    requestId: Bun.randomUUIDv7(),
    startedAt: performance.now(),
    request,
    address: addressOf(core, request, connection),
  };
}

const addressLimit = 10_000;

/** Without a word of a proxy the address follows from the connection alone, and callers come again. */
function addressOf(core: Core, request: PlainRequest, connection: string): string {
  if (connection === '' || request.headers.get('x-forwarded-for') !== null)
    return core.clientAddress(request, connection);
  let address = core.addresses.get(connection);
  if (address === undefined) {
    address = core.clientAddress(request, connection);
    if (core.addresses.size >= addressLimit) core.addresses.clear();
    core.addresses.set(connection, address);
  }
  return address;
}

export async function authenticated(
  core: Core,
  incoming: Incoming,
  answer: (caller: Caller) => unknown,
): Promise<PlainAnswer> {
  const { request, address } = incoming;
  const caller = await core.authenticator.authenticate(request, address, core.settings.current);
  return json(incoming, await answer(caller));
}

export function json({ request, requestId }: Incoming, value: unknown): PlainAnswer {
  const headers = answerHeaders(request, requestId, 'application/json');
  return { status: 200, headers, body: JSON.stringify(value) };
}

/** The call, its token or the operator for everybody would rather be refused than lose something between two formats. */
export function isStrict(core: Core, request: PlainRequest, caller: Caller): boolean {
  const wish = request.headers.get('x-tollgate-strict');
  if (wish !== null) return /^(?:1|true|yes|on)$/i.test(wish.trim());
  return caller.isStrict || core.settings.current.StrictConversionEnabled;
}

export const betasOf = ({ headers }: PlainRequest): readonly string[] =>
  readBetas(headers.get('anthropic-beta'));

export function pathOf({ url }: Pick<PlainRequest, 'url'>): string {
  const start = url.startsWith('/') ? 0 : url.indexOf('/', 8);
  const query = url.indexOf('?', start);
  return start < 0 ? '/' : query < 0 ? url.slice(start) : url.slice(start, query);
}

export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
