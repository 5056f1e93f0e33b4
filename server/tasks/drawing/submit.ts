// A submission: checked like every model call, paid from a hold that lasts until the drawing ends, sent to the upstream, and
// stored as a row. The row is inserted before the hold, so that the poller finds and ends the hold after a crash.
import type { Incoming } from '#server/relay/caller/incoming.ts';
import { modelAllowed } from '#server/relay/caller/allowed-models.ts';
import { drawingModel, type DrawingSpeed } from '#contract/drawing.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import type { Channel } from '#server/relay/channels/catalog.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { readJson } from '#server/relay/request/read-body.ts';
import { payWithPlans, type Payer } from '#server/relay/money/payers.ts';
import { anotherChannel, beginAttempt, noteFailure } from '#server/relay/pipeline/retry.ts';
import { holdForTask, snapshotText, taskPrice } from '#server/tasks/money.ts';
import type { Task } from '#server/tasks/rows.ts';
import {
  accepted,
  failSubmission,
  refusedBy,
  acceptSubmission,
  type Body,
  type DrawingRecord,
  type Running,
} from './accept.ts';
import type { Submission } from './actions.ts';
import { reportAddress } from './addresses.ts';
import { upstreamBody } from './body.ts';
import { chosenChannel, drawingOf } from './channels.ts';
import { callerOf, PLATFORM, type DrawingParts } from './parts.ts';
import { addressOf, propertiesText } from './report.ts';
import { submissionSeconds, submit, type Submitted } from './upstream.ts';
import { tokenSettingsOf } from './token-settings.ts';

/** After this time an unfinished drawing fails. */
const deadlineSeconds = 3600;
const longestPrompt = 8000;

export async function submitDrawing(
  parts: DrawingParts,
  incoming: Incoming,
  path: string,
  read: (body: Body) => Submission,
  speed: DrawingSpeed | undefined,
): Promise<Response> {
  const { core } = parts;
  const caller = await callerOf(parts, incoming);
  const body = (await readJson(incoming)).value;
  const submission = read(body);
  const model = drawingModel(submission.action);
  incoming.model = model;
  if (!modelAllowed(caller, model)) throw new RelayError('model_not_allowed', { model });
  refuseSensitive(core, body);
  const tokenSettings = await tokenSettingsOf(core.store, caller.tokenId);
  const origin = await originOf(parts, caller, submission);
  const asked = { incoming, submission, model, path, body, speed, tokenSettings };
  return await payWithPlans(core, caller, model, (payer) => submitAs(parts, payer, asked, origin));
}

async function submitAs(
  parts: DrawingParts,
  { caller, plans }: Payer,
  asked: Omit<Running, 'task' | 'caller' | 'record'>,
  origin: Task | undefined,
): Promise<Response> {
  const { core } = parts;
  const { incoming, model, path } = asked;
  const price = taskPrice(core, model, caller.group);
  const channel = chosenChannel(core, caller, model, origin?.channel_id);
  const record: DrawingRecord = {
    caller,
    model,
    upstreamModel: model,
    channelId: channel.id,
    channelName: channel.name,
    address: incoming.address,
    path: `/mj/${path}`,
    isStream: false,
    isWebSocket: false,
    reasoningEffort: '',
    attempts: [],
  };
  const call = { ...asked, caller, record };
  let task: Task;
  try {
    task = await openTask(parts, call, price);
    await holdForTask(core, task.hold_id, { record, price, plans }).catch(async (error: unknown) => {
      await parts.rows.remove(task.id);
      throw error;
    });
  } catch (error) {
    core.breaker.end(channel.id);
    throw error;
  }
  return await tryChannels(parts, { ...call, task }, channel, origin !== undefined);
}

function refuseSensitive({ filter }: Core, { prompt }: Body): void {
  if (filter === undefined || typeof prompt !== 'string') return;
  const words = filter.find(prompt, 5);
  if (words.length > 0) throw new RelayError('sensitive_words', { words: words.join(', ') });
}

/** The original drawing of a follow-up: the caller's own, and finished if the setting requires it. */
async function originOf(
  { core, rows }: DrawingParts,
  caller: Caller,
  { origin, isConfirmation }: Submission,
): Promise<Task | undefined> {
  if (origin === undefined) return undefined;
  const tasks = await rows.named(PLATFORM, [origin], caller.userId);
  // A confirmation has the id of the drawing it confirms, and may have failed when the drawing did not.
  const task = tasks.find(({ status }) => status === 'SUCCESS') ?? tasks[0];
  if (task === undefined) throw new RelayError('task_unknown');
  const mustBeFinished = core.settings.current.MjActionCheckSuccessEnabled;
  if (mustBeFinished && isConfirmation !== true && task.status !== 'SUCCESS')
    throw new RelayError('task_unfinished');
  return task;
}

async function openTask(
  { core, rows }: DrawingParts,
  { incoming, caller, submission, tokenSettings: { isForwarded }, body, record }: Omit<Running, 'task'>,
  { price, charge }: ReturnType<typeof taskPrice>,
): Promise<Task> {
  const { prompt, notifyHook } = body;
  const now = Math.floor(Date.now() / 1000);
  const { MjNotifyEnabled } = core.settings.current;
  return await rows.insert({
    hold_id: incoming.requestId,
    platform: PLATFORM,
    action: submission.action,
    model: record.model,
    user_id: caller.userId,
    username: caller.username,
    token_id: caller.tokenId,
    group: caller.group,
    channel_id: record.channelId,
    status: 'NOT_START',
    progress: '0%',
    prompt: typeof prompt === 'string' ? prompt.slice(0, longestPrompt) : '',
    submit_ms: Date.now(),
    quota: charge,
    snapshot: snapshotText(record, price),
    properties: isForwarded ? propertiesText({ isForwarded }) : '',
    notify_url: MjNotifyEnabled ? addressOf(notifyHook) : '',
    deadline_at: now + deadlineSeconds,
    next_poll_at: now + submissionSeconds,
  });
}

async function tryChannels(
  parts: DrawingParts,
  running: Running,
  first: Channel,
  isPinned: boolean,
): Promise<Response> {
  const { core } = parts;
  const { caller, model, record, tokenSettings } = running;
  const mayRetry = !isPinned && tokenSettings.mayRetry;
  const tried: number[] = [];
  let channel = first;
  for (;;) {
    beginAttempt(record, channel, tried);
    const result = await attempt(parts, running, channel);
    if ('answer' in result && accepted.has(result.answer.code)) {
      core.breaker.succeeded(channel.id);
      core.health.answered(channel.id);
      return await acceptSubmission(parts, running, result.answer);
    }
    const given = 'failure' in result ? result.failure : refusedBy(result.answer);
    const code = 'answer' in result ? result.answer.code : 0;
    const { requestId } = running.incoming;
    const requestText = () => JSON.stringify(running.body).slice(0, 100_000);
    const failure = noteFailure(core, { requestId, record, requestText }, channel, given);
    const next = mayRetry ? anotherChannel(core, caller, drawingOf(model), failure, tried) : undefined;
    if (next === undefined) return await failSubmission(parts, running, failure, code);
    channel = next;
  }
}

async function attempt(parts: DrawingParts, running: Running, channel: Channel): Promise<Submitted> {
  const { core } = parts;
  const { store, settings } = core;
  const begunAt = performance.now();
  try {
    const until = Math.floor(Date.now() / 1000) + submissionSeconds;
    if (running.record.attempts.length > 0) await parts.rows.change(running.task.id, { next_poll_at: until });
    const body = upstreamBody(running.body, {
      settings: settings.current,
      speed: running.speed,
      usualSpeed: running.tokenSettings.speed,
      reportTo: reportAddress(store.vault, settings.current, running.task),
    });
    const result = await submit(core, channel, running.path, body);
    running.record.attempts.push({
      channel: channel.id,
      status: 'failure' in result ? result.failure.rawStatus : result.status,
      milliseconds: Math.round(performance.now() - begunAt),
    });
    return result;
  } finally {
    core.breaker.end(channel.id);
  }
}
