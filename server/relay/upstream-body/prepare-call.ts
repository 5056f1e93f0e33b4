// Reads and prepares a call of any endpoint whose path names no model: an upload, a Responses request with what it continues, or
// another JSON body.
import type { Store } from '#server/platform/store/store.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import type { Catalog } from '#server/relay/channel-choice/catalog.ts';
import type { Conversations } from '#server/relay/conversations/conversations.ts';
import type { KeptConversations } from '#server/relay/conversations/kept-conversations.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { responsesEndpoint, type RelayEndpoint } from '#server/relay/request/endpoints.ts';
import { namesFiles, withUpstreamFiles } from '#server/relay/request/file-ids.ts';
import { readJson } from '#server/relay/request/read-body.ts';
import { prepareMultipart } from './prepare-multipart.ts';
import { withConversation, prepareResponses } from './prepare-responses.ts';
import { isResponsesShape, prepareJsonBody, type PreparedCall, type PrepareOptions } from './prepare.ts';

export interface PrepareParts {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly conversations: Conversations;
  readonly keptConversations: KeptConversations;
}

export async function prepareCall(
  parts: PrepareParts,
  endpoint: RelayEndpoint,
  incoming: Incoming,
  caller: Caller,
  options: PrepareOptions,
): Promise<PreparedCall> {
  if (isMultipart(endpoint, incoming.request)) return await prepareMultipart(endpoint, incoming);
  const received = await readJson(incoming);
  const isResponse = endpoint === responsesEndpoint || isResponsesShape(endpoint, received.value);
  const given = isResponse
    ? await withConversation(parts.keptConversations, caller, received, options)
    : received;
  const kept = namesFiles(given) ? await withUpstreamFiles(parts.store, caller, given) : undefined;
  if (kept !== undefined) {
    options.affinity = { ...kept.place, isRequired: true };
    options.own = kept.own;
  }
  const body = kept?.body ?? given;
  // Some editors send a Responses body to the chat address.
  const meant = isResponsesShape(endpoint, body.value)
    ? responsesEndpoint
    : endpoint.otherDefaultModel === undefined
      ? endpoint
      : withDefaultModel(parts, endpoint, caller, body.value['model']);
  return meant.format === 'openai-responses'
    ? await prepareResponses(parts.conversations, caller, meant, body, options)
    : prepareJsonBody(meant, body, options);
}

function withDefaultModel(
  { catalog }: PrepareParts,
  endpoint: RelayEndpoint,
  { group }: Caller,
  model: unknown,
): RelayEndpoint {
  const { defaultModel, otherDefaultModel } = endpoint;
  if (defaultModel === undefined || model !== undefined || catalog.current.isOffered(group, defaultModel))
    return endpoint;
  return { ...endpoint, defaultModel: otherDefaultModel };
}

function isMultipart(endpoint: RelayEndpoint, request: Request): boolean {
  if (endpoint.body !== 'multipart') return false;
  const type = request.headers.get('content-type') ?? '';
  if (type.toLowerCase().startsWith('multipart/form-data')) return true;
  // Image edits may also come as JSON, with URLs in place of files.
  if (type.toLowerCase().startsWith('application/json') && endpoint.path === '/v1/images/edits') return false;
  throw new RelayError('unsupported_media_type');
}
