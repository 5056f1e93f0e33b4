// The way of a call into the pipeline: whose it is and what it asks for.
import { failed } from '#server/relay/caller/error-answer.ts';
import { prepareResponses } from '#server/relay/upstream/prepare-responses.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import type { PlainAnswer, PlainRequest } from '#server/edge/index.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { responsesEndpoint, type RelayEndpoint } from '#server/relay/request/endpoints.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { relayCall } from '#server/relay/pipeline/pipeline.ts';
import { isResponsesShape, prepareJsonBody, type PreparedCall } from '#server/relay/upstream/prepare.ts';
import { prepareMultipart } from '#server/relay/upstream/prepare-multipart.ts';
import { readJson, type JsonBody } from '#server/relay/request/read-body.ts';
import { betasOf, isStrict } from '#server/relay/entry/handler.ts';

/** A known key and a body that has arrived, as nearly always, are waited for by nobody. */
export function relayed(core: Core, endpoint: RelayEndpoint, incoming: Incoming): Promise<PlainAnswer> {
  const { request, address } = incoming;
  const caller = core.authenticator.authenticate(request, address, core.settings.current);
  if (caller instanceof Promise) return relayedLater(core, endpoint, incoming, caller, undefined);
  const prepared = preparedFor(core, endpoint, request, caller);
  if (prepared instanceof Promise) return relayedLater(core, endpoint, incoming, caller, prepared);
  return relayCall(core, incoming, caller, prepared);
}

async function relayedLater(
  core: Core,
  endpoint: RelayEndpoint,
  incoming: Incoming,
  caller: Caller | Promise<Caller>,
  prepared: Promise<PreparedCall> | undefined,
): Promise<PlainAnswer> {
  try {
    const known = await caller;
    const call = await (prepared ?? preparedFor(core, endpoint, incoming.request, known));
    return await relayCall(core, incoming, known, call);
  } catch (error) {
    return failed(core, incoming, error);
  }
}

function preparedFor(
  core: Core,
  endpoint: RelayEndpoint,
  request: PlainRequest,
  caller: Caller,
): PreparedCall | Promise<PreparedCall> {
  return isMultipart(endpoint, request)
    ? prepareMultipart(endpoint, request)
    : preparedJson(core, endpoint, request, caller);
}

function preparedJson(
  core: Core,
  endpoint: RelayEndpoint,
  request: PlainRequest,
  caller: Caller,
): PreparedCall | Promise<PreparedCall> {
  const body = readJson(request);
  if (body instanceof Promise) return preparedLater(core, endpoint, request, caller, body);
  return preparedBody(core, endpoint, request, caller, body);
}

async function preparedLater(
  core: Core,
  endpoint: RelayEndpoint,
  request: PlainRequest,
  caller: Caller,
  body: Promise<JsonBody>,
): Promise<PreparedCall> {
  return await preparedBody(core, endpoint, request, caller, await body);
}

function preparedBody(
  core: Core,
  endpoint: RelayEndpoint,
  request: PlainRequest,
  caller: Caller,
  body: JsonBody,
): PreparedCall | Promise<PreparedCall> {
  const options = { isStrict: isStrict(core, request, caller), betas: betasOf(request) };
  // Some editors send the newer request shape to the older address.
  const meant = isResponsesShape(endpoint, body.value) ? responsesEndpoint : endpoint;
  return meant.format === 'openai-responses'
    ? prepareResponses(core.conversations, caller, meant, body, options)
    : prepareJsonBody(meant, body, options);
}

function isMultipart(endpoint: RelayEndpoint, request: PlainRequest): boolean {
  if (endpoint.body !== 'multipart') return false;
  const type = request.headers.get('content-type') ?? '';
  if (type.toLowerCase().startsWith('multipart/form-data')) return true;
  // Edits of pictures may also be told in JSON, with addresses in place of files.
  if (type.toLowerCase().startsWith('application/json') && endpoint.path === '/v1/images/edits') return false;
  throw new RelayError('unsupported_media_type');
}
