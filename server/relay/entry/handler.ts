// Shared by every path of the relay: request id, start time, the caller's address and language, the handling of errors, and the
// beginning of a model call.
import { readBetas } from '#server/models/providers/anthropic/betas.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import { answerHeaders, preflight } from '#server/relay/caller/response.ts';
import { errorAnswer, publicError } from '#server/relay/caller/error-answer.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { relayCall } from '#server/relay/pipeline/pipeline.ts';
import type { CallerConnection } from '#server/relay/request/connection.ts';
import type { RelayEndpoint } from '#server/relay/request/endpoints.ts';
import { nextTurn } from '#server/relay/request/read-body.ts';
import { prepareCall } from '#server/relay/upstream-body/prepare-call.ts';

/** undefined: the connection is a WebSocket now. */
export type RelayHandler = (request: Request, connection: CallerConnection) => Promise<Response | undefined>;
export type RelayRoutes = Record<string, RelayHandler>;

export type Answering = (incoming: Incoming) => Response | undefined | Promise<Response | undefined>;

/** A path of one method. The overload gate counts its requests. */
export function route(core: Core, method: string, answer: Answering): RelayHandler {
  return withErrors(core, (incoming) => {
    const { request } = incoming;
    if (request.method !== method)
      throw new RelayError('method_not_allowed', { method: request.method, path: pathOf(request) });
    return (core.gate.left -= 1) < 0 ? refuseOverloaded(core) : answer(incoming);
  });
}

/** A path with several methods. */
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

/** `refuse` writes an error in the format of the API that was called. */
export function withErrors(
  core: Core,
  answer: Answering,
  refuse: (incoming: Incoming, error: RelayError) => Response = ({ request, requestId }, error) =>
    errorAnswer(error, request, requestId),
): RelayHandler {
  return async (request, connection) => {
    if (request.method === 'OPTIONS') {
      await nextTurn();
      return preflight(request);
    }
    const incoming = incomingOf(core, request, connection);
    let response: Response | undefined;
    try {
      refuseForms(request);
      if (core.isDraining) throw new RelayError('draining', {}, { retryAfterSeconds: 1 });
      response = await answer(incoming);
    } catch (error) {
      // The platform closes a connection that sends its next request before the answer. Answering in a later turn of the
      // event loop applies that to every refusal, so thousands of pipelined requests cost nothing.
      await nextTurn();
      const shown = publicError(core, error, incoming.requestId);
      core.refusals.note(incoming, shown);
      if (!shown.isLogged) core.watcher?.refused(shown.code);
      response = refuse(incoming, shown);
    }
    if (response !== undefined) connection.timeout(core.seconds.idle);
    return response;
  };
}

/**
 * Refuses before anything is read, looked up or held for the call, but waits first: callers that retry as soon as they
 * are refused would otherwise keep the event loop busy with refusals alone.
 */
async function refuseOverloaded({ gate }: Core): Promise<never> {
  await gate.nextLook;
  throw new RelayError('overloaded', {}, { retryAfterSeconds: gate.retryAfterSeconds });
}

const FORM_TYPE = /^(?:application\/x-www-form-urlencoded|text\/plain)\b/i;

/**
 * Forms of other sites are refused: a page of another site can send a form with a key in its URL without a CORS
 * preflight. Clients other than browsers send neither header.
 */
function refuseForms({ method, headers }: Request): void {
  if (method !== 'POST') return;
  const site = headers.get('sec-fetch-site');
  if (site === null && headers.get('origin') === null) return;
  if (site === 'same-origin' || site === 'none') return;
  const isForm = FORM_TYPE.test(headers.get('content-type') ?? '');
  if (isForm || headers.get('sec-fetch-mode') === 'navigate') throw new RelayError('unsupported_media_type');
}

export function incomingOf(core: Core, request: Request, connection: CallerConnection): Incoming {
  return {
    requestId: Bun.randomUUIDv7(),
    startedAt: performance.now(),
    request,
    connection,
    seconds: core.seconds,
    address: connection.address,
  };
}

/** A model call: authenticates the caller, reads and prepares the request, and hands it to the pipeline. */
export async function handleModelCall(
  core: Core,
  endpoint: RelayEndpoint,
  incoming: Incoming,
): Promise<Response> {
  const { request, address } = incoming;
  const found = core.authenticator.authenticate(request, address, core.settings.current);
  const caller = found instanceof Promise ? await found : found;
  incoming.caller = caller;
  const options = { isStrict: isStrict(core, request, caller), betas: betasOf(request) };
  return await relayCall(
    core,
    incoming,
    caller,
    await prepareCall(core, endpoint, incoming, caller, options),
  );
}

export async function answerAuthenticated(
  core: Core,
  incoming: Incoming,
  answer: (caller: Caller) => unknown,
): Promise<Response> {
  const { request, address } = incoming;
  const caller = await core.authenticator.authenticate(request, address, core.settings.current);
  incoming.caller = caller;
  const value = await answer(caller);
  await nextTurn();
  return json(incoming, value);
}

export function json({ request, requestId }: Incoming, value: unknown): Response {
  return new Response(JSON.stringify(value), {
    headers: answerHeaders(request, requestId, 'application/json'),
  });
}

/** True when the call, its token or the operator's setting refuses conversions that lose something. */
export function isStrict(core: Core, request: Request, caller: Caller): boolean {
  const wish = request.headers.get('x-tollgate-strict');
  if (wish !== null) return /^(?:1|true|yes|on)$/i.test(wish.trim());
  return caller.isStrict || core.settings.current.StrictConversionEnabled;
}

export const betasOf = ({ headers }: Request): readonly string[] => readBetas(headers.get('anthropic-beta'));

export function pathOf({ url }: Pick<Request, 'url'>): string {
  const start = url.indexOf('/', 8);
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
