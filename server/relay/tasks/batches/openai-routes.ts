// OpenAI's batches: made of an input file, on the channel that keeps it; read, listed, cancelled.
import { randomBytes } from 'node:crypto';
import { isObject, type Json } from '#server/models/formats/json.ts';
import { byMethod, json, type RelayRoutes } from '#server/relay/entry/handler.ts';
import { errorAnswer } from '#server/relay/caller/error-answer.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import { mapModel } from '#server/relay/channel-choice/mapping.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { callerError, unansweredFailure } from '#server/relay/errors/upstream-failure.ts';
import { readJson } from '#server/relay/request/read-body.ts';
import { acceptTask, failSubmission, submitTask, type Sent } from '#server/relay/tasks/submit.ts';
import { askUpstream, READ_SECONDS, SUBMIT_SECONDS } from '#server/relay/tasks/upstream.ts';
import { callerOf, limitIn, pageOf, type BatchParts } from './answers.ts';
import { channelOf, listBatches, ownBatch, pollSoon } from './batch-rows.ts';
import type { StoredFile } from './file-rows.ts';
import { ownFile } from './file-routes.ts';
import { idIn } from './methods.ts';
import { openAiBatches, OPEN_AI_FIELDS, openAiView } from './openai.ts';
import { batchEndpoint, estimateOf, type BatchInput } from './requests.ts';
import { batchFields, stateOf } from './state.ts';
import { toldTo } from '#server/relay/tasks/fail-words.ts';

const PATH = '/v1/batches';
/** After its window the upstream still has so long to write the output, and we to read it. The hold lasts longer. */
export const SLACK_SECONDS = 48 * 3600;
const LONGEST_WINDOW_HOURS = 72;

export function openAiRoutes(parts: BatchParts): RelayRoutes {
  const { core } = parts;
  return {
    [PATH]: byMethod(core, {
      GET: (incoming) => list(parts, incoming),
      POST: (incoming) => create(parts, incoming),
    }),
    [`${PATH}/:id`]: byMethod(core, { GET: (incoming) => read(parts, incoming) }),
    [`${PATH}/:id/cancel`]: byMethod(core, { POST: (incoming) => cancel(parts, incoming) }),
  };
}

async function create(parts: BatchParts, incoming: Incoming): Promise<Response> {
  const caller = await callerOf(parts, incoming);
  const body = (await readJson(incoming)).value;
  const { input_file_id: fileId, endpoint } = body;
  if (typeof fileId !== 'string') throw invalid('input_file_id');
  const file = await ownFile(parts, caller, fileId);
  if (file.batch === '')
    throw new RelayError('file_not_for_batches', { id: fileId }, { param: 'input_file_id' });
  const input = JSON.parse(file.batch) as BatchInput;
  const asked = batchEndpoint(endpoint).path;
  if (asked !== input.path) throw new RelayError('batch_other_endpoint', { path: asked, other: input.path });
  const hours = windowHours(body['completion_window']);
  return await submitTask(
    parts,
    {
      platform: openAiBatches,
      incoming,
      caller,
      action: 'BATCH',
      model: input.model,
      path: PATH,
      body,
      prompt: `${file.filename} (${input.requests} × ${input.path})`,
      origin: file,
      mayRetry: false,
      deadlineSeconds: hours * 3600 + SLACK_SECONDS,
      estimate: estimateOf(input),
      requestClass: 'batch',
      originAway: new RelayError('file_channel_away', { id: file.file_id }),
    },
    {
      send(channel, { record }) {
        record.upstreamModel = mapModel(channel.modelMapping, input.model);
        return send(parts, channel, file, body, input);
      },
      async accept(running, { id, batch }) {
        // Without an id nothing can be asked for. Not sent again: the upstream may be running it.
        if (id === '') return refuse(incoming, await failSubmission(parts, running, unansweredFailure()));
        const state = { upstream: id, batch, input, inputFile: file.file_id };
        const task = await acceptTask(parts, running, {
          task_id: `batch_${randomBytes(16).toString('hex')}`,
          status: 'QUEUED',
          properties: JSON.stringify(state),
        });
        return json(incoming, openAiView(task));
      },
      refuse,
    },
  );
}

const refuse = ({ request, requestId }: Incoming, error: RelayError): Response =>
  errorAnswer(error, request, requestId);

async function send(
  { core }: BatchParts,
  channel: Channel,
  file: StoredFile,
  body: Readonly<Record<string, unknown>>,
  input: BatchInput,
): Promise<Sent<{ id: string; batch: Json }>> {
  const { provider } = channel;
  const reply = await askUpstream(core, channel, {
    format: openAiBatches.format,
    path: PATH,
    body: {
      ...body,
      input_file_id: file.upstream_id,
      endpoint: provider.batchPath?.(input.path) ?? input.path,
    },
    timeoutSeconds: SUBMIT_SECONDS,
  });
  if ('failure' in reply) return { failure: reply.failure, status: reply.status };
  return { answer: acceptedIn(reply.value, OPEN_AI_FIELDS), status: reply.status };
}

export function acceptedIn(value: unknown, fields: readonly string[]): { id: string; batch: Json } {
  const id = isObject(value) ? value['id'] : undefined;
  const isId = typeof id === 'string' && /^[\w.-]{1,200}$/.test(id);
  return { id: isId ? id : '', batch: batchFields(value, fields) };
}

function windowHours(window: unknown): number {
  const hours = typeof window === 'string' ? Number(/^(\d{1,3})h$/.exec(window)?.[1] ?? 0) : 0;
  if (hours < 1 || hours > LONGEST_WINDOW_HOURS) throw invalid('completion_window');
  return hours;
}

async function read(parts: BatchParts, incoming: Incoming): Promise<Response> {
  const caller = await callerOf(parts, incoming);
  const task = await ownBatch(parts, openAiBatches, caller, idIn(incoming.request, PATH));
  if (task.money === 'open') await pollSoon(parts, task);
  return json(incoming, openAiView(toldTo(incoming, task)));
}

async function list(parts: BatchParts, incoming: Incoming): Promise<Response> {
  const caller = await callerOf(parts, incoming);
  const query = new URL(incoming.request.url).searchParams;
  const limit = limitIn(query, 20, 100);
  const cursor = query.get('after');
  const after = cursor === null ? undefined : await ownBatch(parts, openAiBatches, caller, cursor);
  const tasks = await listBatches(parts, openAiBatches, caller, { limit, after, before: undefined });
  return json(
    incoming,
    pageOf(
      tasks.map((task) => openAiView(toldTo(incoming, task))),
      limit,
    ),
  );
}

async function cancel(parts: BatchParts, incoming: Incoming): Promise<Response> {
  const caller = await callerOf(parts, incoming);
  const task = await ownBatch(parts, openAiBatches, caller, idIn(incoming.request, PATH));
  const before = stateOf(task);
  const reply = await askUpstream(parts.core, channelOf(parts, openAiBatches, task), {
    format: openAiBatches.format,
    path: `${PATH}/${encodeURIComponent(before.upstream)}/cancel`,
    method: 'POST',
    timeoutSeconds: READ_SECONDS,
  });
  if ('failure' in reply) throw callerError(reply.failure);
  const state = { ...before, batch: batchFields(reply.value, OPEN_AI_FIELDS) };
  await parts.rows.change(task.id, { properties: JSON.stringify(state) });
  await pollSoon(parts, task);
  return json(incoming, openAiView(task, state));
}

const invalid = (field: string): RelayError => new RelayError('invalid_field', { field }, { param: field });
