// An upload: the requests of a batch's input are checked and written for the channel that runs them, any other file passes
// as it is. One channel gets the file; every later call about it goes there.
import { randomBytes } from 'node:crypto';
import { unixSeconds } from '#contract/time.ts';
import { isObject } from '#server/models/formats/json.ts';
import { json } from '#server/relay/entry/handler.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import { mapModel } from '#server/relay/channel-choice/mapping.ts';
import { selectChannel } from '#server/relay/channel-choice/select.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { callerError } from '#server/relay/errors/upstream-failure.ts';
import { admitFree } from '#server/relay/money/admission.ts';
import type { Attempt, CallRecord } from '#server/relay/money/log-row.ts';
import { payersOf } from '#server/relay/money/payers.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { anotherChannel, beginAttempt, noteFailure } from '#server/relay/pipeline/retry.ts';
import { patchMembers } from '#server/relay/request/json-members.ts';
import { boundaryOf, parseMultipart } from '#server/relay/request/multipart.ts';
import { readBytes } from '#server/relay/request/read-body.ts';
import { fieldsOf } from '#server/relay/upstream-body/prepare-multipart.ts';
import { chosenChannel, wantedFor } from '#server/relay/tasks/channels.ts';
import { askUpstream } from '#server/relay/tasks/upstream.ts';
import { callerOf, fileObject, purposeIn, type BatchParts } from './answers.ts';
import { eachLine } from './lines.ts';
import { atPlace, bodyFor, readLine, RequestSum, type BatchInput } from './requests.ts';

const FORMAT = 'openai-batches';
const UPLOAD_SECONDS = 600;
const LONGEST_NAME = 200;

interface Upload {
  readonly content: Uint8Array;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly purpose: string;
  readonly filename: string;
}

export async function uploadFile(parts: BatchParts, incoming: Incoming): Promise<Response> {
  const { core, fileRows } = parts;
  const caller = await callerOf(parts, incoming);
  const { FilesPerUser } = core.settings.current;
  const upload = await readUpload(core, incoming);
  if ((await fileRows.count(caller.userId)) >= FilesPerUser)
    throw new RelayError('files_full', { count: FilesPerUser });
  const input = upload.purpose === 'batch' ? await readInput(core, caller, upload.content) : undefined;
  const { payer, model, channel } = keeperOf(core, caller, input?.model);
  incoming.model = model;
  const record: CallRecord & { attempts: Attempt[] } = {
    caller: payer,
    model,
    upstreamModel: model,
    channelId: channel.id,
    channelName: channel.name,
    address: incoming.address,
    path: '/v1/files',
    isStream: false,
    isWebSocket: false,
    reasoningEffort: '',
    attempts: [],
  };
  try {
    await admitFree(core, incoming.requestId, record);
  } catch (error) {
    core.breaker.end(channel.id);
    throw error;
  }
  const { upstreamId, expiresAt } = await send(core, incoming, record, { upload, input, first: channel });
  const row = {
    user_id: caller.userId,
    token_id: caller.tokenId,
    project_id: caller.organization?.projectId ?? 0,
    channel_id: record.channelId,
    upstream_id: upstreamId,
    purpose: upload.purpose,
    filename: upload.filename,
    bytes: upload.content.length,
    created_at: unixSeconds(),
    expires_at: expiresAt,
    model: input?.model ?? '',
    batch: input === undefined ? '' : JSON.stringify(input),
  };
  const file_id = await fileRows.add(row);
  return json(incoming, fileObject({ ...row, file_id }));
}

async function readUpload({ settings }: Core, incoming: Incoming): Promise<Upload> {
  const { headers } = incoming.request;
  const megabytes = settings.current.FileUploadMegabytes;
  const contentType = headers.get('content-type') ?? '';
  if (!contentType.toLowerCase().startsWith('multipart/form-data'))
    throw new RelayError('unsupported_media_type');
  const tooLarge = new RelayError('file_too_large', { megabytes });
  const most = (megabytes + 1) * 1024 * 1024;
  if (Number(headers.get('content-length') ?? 0) > most) throw tooLarge;
  const boundary = boundaryOf(contentType);
  if (boundary === undefined) throw new RelayError('invalid_body', { detail: 'boundary' });
  const bytes = await readBytes(incoming);
  const parts = parseMultipart(bytes, boundary);
  if (parts === undefined) throw new RelayError('invalid_body', { detail: 'multipart' });
  const fields = fieldsOf(parts, bytes);
  const purpose = purposeIn(fields['purpose']);
  const [file, ...others] = parts.filter(({ name, isFile }) => isFile || name === 'file');
  // Of two files the upstream might take the one that was not checked.
  if (file === undefined || others.length > 0 || file.name !== 'file' || !file.isFile) throw invalid('file');
  const content = bytes.subarray(file.bodyStart, file.bodyEnd);
  if (content.length > megabytes * 1024 * 1024) throw tooLarge;
  const head = new TextDecoder().decode(bytes.subarray(file.start, file.bodyStart));
  const [, given = ''] = /;\s*filename="([^"\\\r\n]*)"/i.exec(head) ?? [];
  const filename = given.replaceAll(/\p{Cc}/gu, '');
  return { content, fields, purpose, filename: filename.slice(0, LONGEST_NAME) || 'file' };
}

async function readInput(core: Core, caller: Caller, content: Uint8Array): Promise<BatchInput> {
  const sum = new RequestSum(core, caller);
  await eachLine(content, (text, number) => atPlace('line', number, () => sum.add(readLine(text))));
  return sum.input;
}

interface Keeper {
  readonly payer: Caller;
  readonly model: string;
  /** Counts as busy. */
  readonly channel: Channel;
}

/** The channel for a file: for the model of its requests, else any of the group that takes files. */
function keeperOf(core: Core, caller: Caller, model: string | undefined): Keeper {
  const { current } = core.catalog;
  if (model === undefined) {
    for (const each of current.models(caller.group)) {
      // The admission of the call writes a price, though nothing is charged.
      if (typeof core.prices.resolve(each, caller.group) === 'string') continue;
      const wanted = wantedFor(FORMAT, each);
      if (caller.channelId !== undefined)
        return { payer: caller, model: each, channel: chosenChannel(core, caller, wanted, undefined) };
      const selection = selectChannel(
        core.orders.of(current.tiers(caller.group, each), each),
        [],
        core.breaker,
        wanted,
      );
      if (!('channel' in selection)) continue;
      core.breaker.begin(selection.channel.id, each);
      return { payer: caller, model: each, channel: selection.channel };
    }
    throw new RelayError('no_file_channel', { group: caller.group });
  }
  let refusal: unknown;
  for (const { caller: payer } of payersOf(core, caller, model)) {
    try {
      return { payer, model, channel: chosenChannel(core, payer, wantedFor(FORMAT, model), undefined) };
    } catch (error) {
      if (!(error instanceof RelayError)) throw error;
      refusal = batchless(core, error, payer, model);
    }
  }
  throw refusal;
}

/** A group that has the model, but no channel that runs batches of it. */
export function batchless(core: Core, error: RelayError, { group }: Caller, model: string): RelayError {
  const isOffered = core.catalog.current.isOffered(group, model);
  return error.code === 'no_channel' && isOffered
    ? new RelayError('no_batch_channel', { group, model })
    : error;
}

interface Sending {
  readonly upload: Upload;
  readonly input: BatchInput | undefined;
  readonly first: Channel;
}

/** Tries one channel after the other. A second upload costs nothing: the file that is not known here is never used. */
async function send(
  core: Core,
  { requestId }: Incoming,
  record: CallRecord & { attempts: Attempt[] },
  { upload, input, first }: Sending,
): Promise<{ upstreamId: string; expiresAt: number }> {
  const tried: number[] = [];
  let channel = first;
  for (;;) {
    beginAttempt(record, channel, tried);
    const begunAt = performance.now();
    const reply = await attempt(core, channel, requestId, upload, input).finally(() =>
      core.breaker.end(channel.id),
    );
    const milliseconds = Math.round(performance.now() - begunAt);
    record.attempts.push({ channel: channel.id, status: reply.status, milliseconds });
    if (!('failure' in reply)) {
      core.breaker.succeeded(channel.id, record.model);
      core.health.answered(channel.id);
      const { id, expires_at: expiresAt } = isObject(reply.value) ? reply.value : {};
      if (typeof id !== 'string' || !/^[\w.-]{1,200}$/.test(id)) throw new RelayError('upstream_failed');
      return { upstreamId: id, expiresAt: Number.isSafeInteger(expiresAt) ? Number(expiresAt) : 0 };
    }
    const failure = noteFailure(
      core,
      { requestId, record, requestText: () => textOf(upload), hasOwnLimits: true },
      channel,
      reply.failure,
    );
    const { caller, model } = record;
    const next = anotherChannel(core, caller, wantedFor(FORMAT, model), failure, tried);
    if (next === undefined) throw callerError(failure, { model, upstreamModel: nameAt(channel, model) });
    channel = next;
  }
}

/** The beginning of what the caller wrote. */
const textOf = ({ filename, content }: Upload): string =>
  `${filename}\n${new TextDecoder().decode(content.subarray(0, 100_000))}`;

const nameAt = ({ modelMapping }: Channel, model: string): string => mapModel(modelMapping, model);

async function attempt(
  core: Core,
  channel: Channel,
  requestId: string,
  upload: Upload,
  input: BatchInput | undefined,
) {
  const { content } = upload;
  const pieces = input === undefined ? [content] : await linesFor(channel, requestId, content);
  return await askUpstream(core, channel, {
    format: FORMAT,
    path: '/v1/files',
    content: multipartOf(upload, pieces),
    timeoutSeconds: UPLOAD_SECONDS,
  });
}

/** Written anew: what the upstream reads is what was checked here, however it reads a form. */
function multipartOf({ fields, filename }: Upload, pieces: readonly Uint8Array[]) {
  const boundary = `tollgate-${randomBytes(16).toString('hex')}`;
  const part = (disposition: string): string =>
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n`;
  const texts = Object.entries(fields)
    .filter(([name]) => /^[\w[\].-]{1,60}$/.test(name))
    .map(([name, value]) => `${part(`name="${name}"`)}\r\n${String(value)}\r\n`);
  const file = `${part(`name="file"; filename="${filename}"`)}Content-Type: application/octet-stream\r\n\r\n`;
  const bytes = Buffer.concat([
    Buffer.from(texts.join('') + file),
    ...pieces,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  return { type: `multipart/form-data; boundary=${boundary}`, bytes };
}

/** Each request with the channel's name for the model and its other settings. */
async function linesFor(channel: Channel, requestId: string, content: Uint8Array): Promise<Uint8Array[]> {
  const lines: Uint8Array[] = [];
  await eachLine(content, (text, number) => {
    const line = atPlace('line', number, () => {
      const { prepared } = readLine(text);
      const { path } = prepared.endpoint;
      const changes = new Map([['body', bodyFor(channel, prepared, requestId)]]);
      const url = channel.provider.batchPath?.(path) ?? path;
      if (url !== path) changes.set('url', JSON.stringify(url));
      // Outside of texts CR is a space; for some upstreams it ends a line, and what is nested would be a request.
      return patchMembers(text, changes).replaceAll('\r', ' ');
    });
    lines.push(Buffer.from(`${line}\n`));
  });
  return lines;
}

const invalid = (field: string): RelayError => new RelayError('invalid_field', { field }, { param: field });
