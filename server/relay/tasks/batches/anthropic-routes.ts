// Anthropic's message batches: made, read, listed, cancelled, deleted; results pass as they arrive.
import { randomBytes } from 'node:crypto';
import { isFinished } from '#contract/relay/drawing.ts';
import { byMethod, betasOf, json, type RelayRoutes } from '#server/relay/entry/handler.ts';
import { errorAnswer } from '#server/relay/caller/error-answer.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import { mapModel } from '#server/relay/channel-choice/mapping.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { callerError, unansweredFailure } from '#server/relay/errors/upstream-failure.ts';
import { forwarded } from '#server/relay/pipeline/dispatch.ts';
import { messagesEndpoint } from '#server/relay/request/endpoints.ts';
import { itemTexts, memberText, patchMembers } from '#server/relay/request/json-members.ts';
import { readJson } from '#server/relay/request/read-body.ts';
import type { Task } from '#server/relay/tasks/rows.ts';
import { acceptTask, failSubmission, submitTask, type Sent } from '#server/relay/tasks/submit.ts';
import { askUpstream, READ_SECONDS, SUBMIT_SECONDS, type Reply } from '#server/relay/tasks/upstream.ts';
import {
  anthropicBatches,
  ANTHROPIC_FIELDS,
  anthropicView,
  hasResults,
  MESSAGE_BATCHES_PATH as path,
  resultsPath,
} from './anthropic.ts';
import { callerOf, limitIn, pageOf, type BatchParts } from './answers.ts';
import { channelOf, listBatches, ownBatch, pollSoon, removeBatch } from './batch-rows.ts';
import { openContent, passContent } from './content.ts';
import { turns } from './lines.ts';
import { idIn } from './methods.ts';
import { acceptedIn, SLACK_SECONDS } from './openai-routes.ts';
import { atPlace, bodyFor, estimateOf, readMessage, RequestSum } from './requests.ts';
import { shownOutput } from './shown-lines.ts';
import { batchFields, stateOf } from './state.ts';
import { batchless } from './upload.ts';

const { format } = anthropicBatches;
const WINDOW_SECONDS = 24 * 3600;

export function anthropicRoutes(parts: BatchParts): RelayRoutes {
  const { core } = parts;
  return {
    [path]: byMethod(core, {
      GET: (incoming) => list(parts, incoming),
      POST: (incoming) => create(parts, incoming),
    }),
    [`${path}/:id`]: byMethod(core, {
      GET: (incoming) => read(parts, incoming),
      DELETE: (incoming) => remove(parts, incoming),
    }),
    [`${path}/:id/cancel`]: byMethod(core, { POST: (incoming) => cancel(parts, incoming) }),
    [`${path}/:id/results`]: byMethod(core, { GET: (incoming) => results(parts, incoming) }),
  };
}

async function create(parts: BatchParts, incoming: Incoming): Promise<Response> {
  const { core } = parts;
  const caller = await callerOf(parts, incoming);
  const { text, value } = await readJson(incoming);
  if (!Array.isArray(value['requests']))
    throw new RelayError('invalid_field', { field: 'requests' }, { param: 'requests' });
  const requests = memberText(text, 'requests') ?? '[]';
  const betas = betasOf(incoming.request);
  const sum = new RequestSum(core, caller);
  await eachRequest(requests, (item) => sum.add(readMessage(item, messagesEndpoint, betas)));
  const { input } = sum;
  const origin = originOf(parts, incoming);
  try {
    return await submitTask(
      parts,
      {
        platform: anthropicBatches,
        incoming,
        caller,
        action: 'BATCH',
        model: input.model,
        path,
        body: value,
        prompt: `${input.requests} × ${messagesEndpoint.path}`,
        origin: undefined,
        mayRetry: true,
        deadlineSeconds: WINDOW_SECONDS + SLACK_SECONDS,
        estimate: estimateOf(input),
        requestClass: 'batch',
      },
      {
        send(channel, { record }) {
          record.upstreamModel = mapModel(channel.modelMapping, input.model);
          return send(parts, incoming, channel, requests);
        },
        async accept(running, { id, batch }) {
          // Without an id nothing can be asked for. Not sent again: the upstream may be running it.
          if (id === '') return refuse(incoming, await failSubmission(parts, running, unansweredFailure()));
          const task = await acceptTask(parts, running, {
            task_id: `msgbatch_${randomBytes(16).toString('hex')}`,
            status: 'IN_PROGRESS',
            properties: JSON.stringify({ upstream: id, batch, input }),
          });
          return json(incoming, anthropicView(task, origin));
        },
        refuse,
      },
    );
  } catch (error) {
    throw error instanceof RelayError ? batchless(core, error, caller, input.model) : error;
  }
}

const refuse = ({ request, requestId }: Incoming, error: RelayError): Response =>
  errorAnswer(error, request, requestId);

async function eachRequest(requests: string, use: (item: string) => void): Promise<void> {
  const turn = turns();
  let number = 0;
  for (const item of itemTexts(requests)) {
    number += 1;
    atPlace('request', number, () => use(item));
    await turn();
  }
}

async function send(
  { core }: BatchParts,
  { request, requestId }: Incoming,
  channel: Channel,
  requests: string,
): Promise<Sent<ReturnType<typeof acceptedIn>>> {
  const items: string[] = [];
  const betas = betasOf(request);
  await eachRequest(requests, (item) => {
    const { prepared } = readMessage(item, messagesEndpoint, betas);
    items.push(patchMembers(item, new Map([['params', bodyFor(channel, prepared, requestId)]])));
  });
  const reply = await askUpstream(core, channel, {
    format,
    path,
    content: { type: 'application/json', bytes: Buffer.from(`{"requests":[${items.join(',')}]}`) },
    headers: forwarded(request.headers, 'anthropic-messages', channel),
    timeoutSeconds: SUBMIT_SECONDS,
  });
  if ('failure' in reply) return { failure: reply.failure, status: reply.status };
  return { answer: acceptedIn(reply.value, ANTHROPIC_FIELDS), status: reply.status };
}

/** Where the caller reached us; the configured address knows whether that is https. */
function originOf({ core }: BatchParts, { request }: Incoming): string {
  const { origin, host } = new URL(request.url);
  const own = URL.parse(core.settings.current.ServerAddress);
  return own?.host === host ? own.origin : origin;
}

async function ownOf(parts: BatchParts, incoming: Incoming): Promise<Task> {
  const caller = await callerOf(parts, incoming);
  return await ownBatch(parts, anthropicBatches, caller, idIn(incoming.request, path));
}

async function read(parts: BatchParts, incoming: Incoming): Promise<Response> {
  const task = await ownOf(parts, incoming);
  if (task.money === 'open') await pollSoon(parts, task);
  return json(incoming, anthropicView(task, originOf(parts, incoming)));
}

async function list(parts: BatchParts, incoming: Incoming): Promise<Response> {
  const caller = await callerOf(parts, incoming);
  const query = new URL(incoming.request.url).searchParams;
  const limit = limitIn(query, 20, 1000);
  const at = async (name: string): Promise<Task | undefined> => {
    const id = query.get(name);
    return id === null ? undefined : await ownBatch(parts, anthropicBatches, caller, id);
  };
  const before = await at('before_id');
  const after = await at('after_id');
  const found = await listBatches(parts, anthropicBatches, caller, { limit, after, before });
  // A page before an id ends next to it: of too many the newest goes.
  const isBackwards = before !== undefined && after === undefined;
  const shown = isBackwards ? found.slice(-limit) : found.slice(0, limit);
  const origin = originOf(parts, incoming);
  const { data, first_id, last_id } = pageOf(
    shown.map((task) => anthropicView(task, origin)),
    limit,
  );
  return json(incoming, { data, first_id, last_id, has_more: found.length > limit });
}

async function ask(parts: BatchParts, task: Task, end: string, method: 'POST' | 'DELETE'): Promise<Reply> {
  const { upstream } = stateOf(task);
  return await askUpstream(parts.core, channelOf(parts, anthropicBatches, task), {
    format,
    path: `${path}/${encodeURIComponent(upstream)}${end}`,
    method,
    timeoutSeconds: READ_SECONDS,
  });
}

async function cancel(parts: BatchParts, incoming: Incoming): Promise<Response> {
  const task = await ownOf(parts, incoming);
  const reply = await ask(parts, task, '/cancel', 'POST');
  if ('failure' in reply) throw callerError(reply.failure);
  const state = { ...stateOf(task), batch: batchFields(reply.value, ANTHROPIC_FIELDS) };
  await parts.rows.change(task.id, { properties: JSON.stringify(state) });
  await pollSoon(parts, task);
  return json(incoming, anthropicView(task, originOf(parts, incoming), state));
}

async function remove(parts: BatchParts, incoming: Incoming): Promise<Response> {
  const task = await ownOf(parts, incoming);
  if (!isFinished(task.status) || task.money === 'open')
    throw new RelayError('batch_unfinished', { id: task.task_id });
  const reply = await ask(parts, task, '', 'DELETE');
  // The upstream may have let it expire.
  if ('failure' in reply && reply.status !== 404) throw callerError(reply.failure);
  await removeBatch(parts, task);
  return json(incoming, { id: task.task_id, type: 'message_batch_deleted' });
}

async function results(parts: BatchParts, incoming: Incoming): Promise<Response> {
  const task = await ownOf(parts, incoming);
  if (!hasResults(task)) throw new RelayError('batch_unfinished', { id: task.task_id });
  const channel = channelOf(parts, anthropicBatches, task);
  const opened = await openContent(parts.core, channel, format, resultsPath(stateOf(task).upstream));
  if ('failure' in opened) throw callerError(opened.failure);
  const shown = mapModel(channel.modelMapping, task.model) === task.model ? undefined : task.model;
  return passContent(parts.core, incoming, opened, (line) => shownOutput(line, shown));
}
