// Entry of a model call into the pipeline: authenticates the caller and parses the request.
import type { Caller } from '#server/relay/caller/authenticate.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import { betasOf, isStrict } from '#server/relay/entry/handler.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { relayCall } from '#server/relay/pipeline/pipeline.ts';
import { responsesEndpoint, type RelayEndpoint } from '#server/relay/request/endpoints.ts';
import { namesFiles, withUpstreamFiles } from '#server/relay/request/file-ids.ts';
import { withConversation, prepareResponses } from '#server/relay/upstream-body/prepare-responses.ts';
import { readJson } from '#server/relay/request/read-body.ts';
import { prepareMultipart } from '#server/relay/upstream-body/prepare-multipart.ts';
import {
  isResponsesShape,
  prepareJsonBody,
  type PreparedCall,
  type PrepareOptions,
} from '#server/relay/upstream-body/prepare.ts';

export async function handleModelCall(
  core: Core,
  endpoint: RelayEndpoint,
  incoming: Incoming,
): Promise<Response> {
  const { request, address } = incoming;
  const found = core.authenticator.authenticate(request, address, core.settings.current);
  const caller = found instanceof Promise ? await found : found;
  incoming.caller = caller;
  const prepared = isMultipart(endpoint, request)
    ? await prepareMultipart(endpoint, incoming)
    : await prepareJsonCall(core, endpoint, incoming, caller);
  return await relayCall(core, incoming, caller, prepared);
}

async function prepareJsonCall(
  core: Core,
  endpoint: RelayEndpoint,
  incoming: Incoming,
  caller: Caller,
): Promise<PreparedCall> {
  const { request } = incoming;
  const options: PrepareOptions = { isStrict: isStrict(core, request, caller), betas: betasOf(request) };
  const received = await readJson(incoming);
  const isResponse = endpoint === responsesEndpoint || isResponsesShape(endpoint, received.value);
  const given = isResponse
    ? await withConversation(core.keptConversations, caller, received, options)
    : received;
  const kept = namesFiles(given) ? await withUpstreamFiles(core.store, caller.userId, given) : undefined;
  if (kept !== undefined) {
    options.affinity = { ...kept.place, isRequired: true };
    options.own = kept.own;
  }
  const body = kept?.body ?? given;
  // Some editors send a Responses body to the chat address.
  const meant = isResponsesShape(endpoint, body.value)
    ? responsesEndpoint
    : withDefaultModel(core, endpoint, caller, body.value['model']);
  return meant.format === 'openai-responses'
    ? await prepareResponses(core.conversations, caller, meant, body, options)
    : prepareJsonBody(meant, body, options);
}

function withDefaultModel(
  core: Core,
  endpoint: RelayEndpoint,
  { group }: Caller,
  model: unknown,
): RelayEndpoint {
  const { defaultModel, otherDefaultModel } = endpoint;
  if (otherDefaultModel === undefined || defaultModel === undefined || model !== undefined) return endpoint;
  return core.catalog.current.isOffered(group, defaultModel)
    ? endpoint
    : { ...endpoint, defaultModel: otherDefaultModel };
}

function isMultipart(endpoint: RelayEndpoint, request: Request): boolean {
  if (endpoint.body !== 'multipart') return false;
  const type = request.headers.get('content-type') ?? '';
  if (type.toLowerCase().startsWith('multipart/form-data')) return true;
  // Image edits may also come as JSON, with URLs in place of files.
  if (type.toLowerCase().startsWith('application/json') && endpoint.path === '/v1/images/edits') return false;
  throw new RelayError('unsupported_media_type');
}
