// OpenAI's files: uploaded, listed, read, deleted. The list has the files of every channel.
import {
  byMethod,
  decode,
  json,
  pathOf,
  type RelayHandler,
  type RelayRoutes,
} from '#server/relay/entry/handler.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import { mapModel } from '#server/relay/channel-choice/mapping.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { refuseState } from '#server/relay/routes/unserved.ts';
import { callerError } from '#server/relay/errors/upstream-failure.ts';
import type { Owner } from '#server/relay/request/owner.ts';
import { serves } from '#server/relay/tasks/channels.ts';
import { askUpstream, READ_SECONDS } from '#server/relay/tasks/upstream.ts';
import { callerOf, fileObject, limitIn, pageOf, purposeIn, type BatchParts } from './answers.ts';
import { openContent, passContent } from './content.ts';
import type { StoredFile } from './file-rows.ts';
import { shownInput, shownOutput } from './shown-lines.ts';
import { isId } from './methods.ts';
import { uploadFile } from './upload.ts';

const FORMAT = 'openai-batches';
const MOST_LISTED = 10_000;

export function fileRoutes(parts: BatchParts): RelayRoutes {
  return Object.fromEntries(
    Object.entries(openAiFiles(parts)).map(([path, handler]) => [path, forOpenAi(parts, handler)]),
  );
}

/** Anthropic has files at the same path, of another shape; what its messages refer to is kept with no channel here. */
function forOpenAi({ core }: BatchParts, handler: RelayHandler): RelayHandler {
  const refuse = refuseState(core, 'source.type base64');
  return (request, connection) =>
    (request.headers.get('anthropic-version') === null ? handler : refuse)(request, connection);
}

function openAiFiles(parts: BatchParts): RelayRoutes {
  return {
    '/v1/files': byMethod(parts.core, {
      GET: (incoming) => listFiles(parts, incoming),
      POST: (incoming) => uploadFile(parts, incoming),
    }),
    '/v1/files/:id': byMethod(parts.core, {
      GET: async (incoming) => json(incoming, fileObject(await fileOf(parts, incoming))),
      DELETE: (incoming) => deleteFile(parts, incoming),
    }),
    '/v1/files/:id/content': byMethod(parts.core, { GET: (incoming) => readContent(parts, incoming) }),
  };
}

async function fileOf(parts: BatchParts, incoming: Incoming): Promise<StoredFile> {
  const caller = await callerOf(parts, incoming);
  const [, id = ''] = /^\/v1\/files\/([^/]+)/.exec(pathOf(incoming.request)) ?? [];
  return await ownFile(parts, caller, decode(id));
}

export async function ownFile({ fileRows }: BatchParts, owner: Owner, id: string): Promise<StoredFile> {
  const file = isId(id) ? await fileRows.find(owner, id) : undefined;
  if (file === undefined)
    throw new RelayError(
      'file_unknown',
      { id: id.slice(0, 200) },
      { type: 'invalid_request_error', param: 'id' },
    );
  return file;
}

/** A disabled channel takes no new work, but gives back what it keeps. */
function channelOf({ core }: BatchParts, file: StoredFile): Channel {
  const channel = core.catalog.current.channel(file.channel_id);
  if (!serves(channel, FORMAT)) throw new RelayError('file_channel_away', { id: file.file_id });
  return channel;
}

async function listFiles(parts: BatchParts, incoming: Incoming): Promise<Response> {
  const caller = await callerOf(parts, incoming);
  const query = new URL(incoming.request.url).searchParams;
  const limit = limitIn(query, MOST_LISTED, MOST_LISTED);
  const after = query.get('after');
  const purpose = query.get('purpose');
  const found = await parts.fileRows.list(caller, {
    purpose: purpose === null ? undefined : purposeIn(purpose),
    isAscending: query.get('order') === 'asc',
    after: after === null ? undefined : await ownFile(parts, caller, after),
    limit: limit + 1,
  });
  return json(incoming, pageOf(found.map(fileObject), limit));
}

async function deleteFile(parts: BatchParts, incoming: Incoming): Promise<Response> {
  const file = await fileOf(parts, incoming);
  const reply = await askUpstream(parts.core, channelOf(parts, file), {
    format: FORMAT,
    path: `/v1/files/${encodeURIComponent(file.upstream_id)}`,
    method: 'DELETE',
    timeoutSeconds: READ_SECONDS,
  });
  // The upstream may have let it expire.
  if ('failure' in reply && reply.status !== 404) throw callerError(reply.failure);
  await parts.fileRows.remove(file.user_id, file.file_id);
  return json(incoming, { id: file.file_id, object: 'file', deleted: true });
}

async function readContent(parts: BatchParts, incoming: Incoming): Promise<Response> {
  const file = await fileOf(parts, incoming);
  const channel = channelOf(parts, file);
  const path = `/v1/files/${encodeURIComponent(file.upstream_id)}/content`;
  const opened = await openContent(parts.core, channel, FORMAT, path);
  if ('failure' in opened) throw callerError(opened.failure);
  return passContent(parts.core, incoming, opened, changeFor(file, channel));
}

/** The channel's own name of the model is not shown; a file without it passes unchanged. */
function changeFor(file: StoredFile, { modelMapping }: Channel): ((line: string) => string) | undefined {
  const { model, purpose } = file;
  if (model === '') return undefined;
  const shown = mapModel(modelMapping, model) === model ? undefined : model;
  if (purpose === 'batch') return shown === undefined ? undefined : (line) => shownInput(line, shown);
  return (line) => shownOutput(line, shown);
}
