// A submission: checked like every model call, paid from a hold that lasts until the task ends, sent to the upstream, and
// stored as a row. The row is inserted before the hold, so that the poller finds and ends the hold after a crash.
import { factText } from '#contract/facts.ts';
import type { RequestClass } from '#contract/money/price-rules.ts';
import { unixSeconds } from '#contract/time.ts';
import type { Usage } from '#server/money/prices/usage.ts';
import { modelAllowed, type Caller } from '#server/relay/caller/authenticate.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import { neutralText, RelayError } from '#server/relay/errors/relay-error.ts';
import { callerError, type UpstreamFailure } from '#server/relay/errors/upstream-failure.ts';
import type { Attempt, CallRecord } from '#server/relay/money/log-row.ts';
import { payWithPlans, PlanEmptyError, type Payer } from '#server/relay/money/payers.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { anotherChannel, beginAttempt, noteFailure } from '#server/relay/pipeline/retry.ts';
import type { NewRow } from '#server/platform/store/schema.ts';
import { chosenChannel, hasOrigin, wantedFor, type Origin } from './channels.ts';
import { attribute } from '#server/relay/money/admission.ts';
import { tagsGiven } from '#server/relay/request/tags.ts';
import { endHold, holdForTask, snapshotText, taskPrice } from './money.ts';
import type { TaskParts } from './parts.ts';
import type { Platform } from './platform.ts';
import { textOf } from './report-fields.ts';
import type { Task, TaskChange } from './rows.ts';
import { SUBMISSION_SECONDS } from './upstream.ts';

/** What the caller wants, read from the request. */
export interface Asked {
  readonly platform: Platform;
  readonly incoming: Incoming;
  readonly caller: Caller;
  readonly action: string;
  readonly model: string;
  /** For the log. */
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** What the caller wrote: checked for forbidden words, and stored. */
  readonly prompt: string;
  /** Its channel is used. */
  readonly origin: Origin | undefined;
  /** Another channel may be tried when the first one fails. */
  readonly mayRetry: boolean;
  /** After this time an unfinished task fails. */
  readonly deadlineSeconds: number;
  /** What the hold is taken for when the price depends on what is used; otherwise one piece. */
  readonly estimate?: Usage;
  readonly requestClass?: RequestClass;
  /** The error when the channel of `origin` does not serve the payer. */
  readonly originAway?: RelayError;
  /** Columns that only this platform fills. */
  readonly columns?: Partial<NewRow<'tasks'>>;
}

export type TaskRecord = CallRecord & { attempts: Attempt[] };

/** A submission with its row. */
export interface Running extends Asked {
  readonly record: TaskRecord;
  readonly task: Task;
}

/** `code`: the platform's own code of a refusal. */
export type Sent<Answer> =
  | { answer: Answer; status: number }
  | { failure: UpstreamFailure; status: number; code?: number };

/** How one platform takes a submission. */
export interface Exchange<Answer> {
  /** One attempt on one channel. */
  send(channel: Channel, running: Running): Promise<Sent<Answer>>;
  accept(running: Running, answer: Answer): Promise<Response>;
  refuse(incoming: Incoming, error: RelayError, code: number | undefined): Response;
}

export async function submitTask<Answer>(
  parts: TaskParts,
  asked: Asked,
  exchange: Exchange<Answer>,
): Promise<Response> {
  const { core } = parts;
  const { caller, model, prompt, incoming } = asked;
  incoming.model = model;
  if (!modelAllowed(caller, model)) throw new RelayError('model_not_allowed', { model });
  refuseSensitive(core, prompt);
  return await payWithPlans(core, caller, model, (payer) => submitAs(parts, payer, asked, exchange));
}

async function submitAs<Answer>(
  parts: TaskParts,
  { caller, plans }: Payer,
  asked: Asked,
  exchange: Exchange<Answer>,
): Promise<Response> {
  const { core } = parts;
  const { incoming, model, path, platform, origin, estimate, requestClass } = asked;
  const wanted = wantedFor(platform.format, model);
  if (origin !== undefined && !hasOrigin(core, caller, wanted, origin)) {
    // The group of the next payer may have the channel.
    if (plans?.isRequired === true) throw new PlanEmptyError();
    throw asked.originAway ?? new RelayError('task_channel_away');
  }
  const began = { at: Date.now(), requestClass };
  const price = taskPrice(core, model, caller.group, began, estimate);
  const channel = chosenChannel(core, caller, wanted, origin?.channel_id);
  const record: TaskRecord = {
    caller,
    model,
    upstreamModel: model,
    channelId: channel.id,
    channelName: channel.name,
    address: incoming.address,
    path,
    isStream: false,
    isWebSocket: false,
    reasoningEffort: '',
    attempts: [],
    began,
  };
  const call = { ...asked, caller, record };
  let task: Task;
  try {
    const budgets = await attribute(core, record, () => tagsGiven(incoming.request.headers));
    task = await openTask(parts, call, price);
    await holdForTask(core, task.hold_id, { record, price, plans, budgets }).catch(async (error: unknown) => {
      await parts.rows.remove(task.id);
      throw error;
    });
  } catch (error) {
    core.breaker.end(channel.id);
    throw error;
  }
  return await tryChannels(parts, { ...call, task }, channel, exchange);
}

function refuseSensitive({ filter }: Core, prompt: string): void {
  const words = filter?.find(prompt, 5) ?? [];
  if (words.length > 0) throw new RelayError('sensitive_words', { words: words.join(', ') });
}

async function openTask(
  { rows }: TaskParts,
  { incoming, caller, platform, action, prompt, record, deadlineSeconds, columns }: Omit<Running, 'task'>,
  { price, charge }: ReturnType<typeof taskPrice>,
): Promise<Task> {
  const now = unixSeconds();
  return await rows.insert({
    hold_id: incoming.requestId,
    platform: platform.name,
    action,
    model: record.model,
    user_id: caller.userId,
    username: caller.username,
    token_id: caller.tokenId,
    member_id: caller.organization?.memberId ?? 0,
    project_id: caller.organization?.projectId ?? 0,
    group: caller.group,
    channel_id: record.channelId,
    status: 'NOT_START',
    progress: '0%',
    prompt: textOf(prompt),
    submit_ms: Date.now(),
    quota: charge,
    snapshot: snapshotText(record, price),
    deadline_at: now + deadlineSeconds,
    next_poll_at: now + SUBMISSION_SECONDS,
    ...columns,
  });
}

async function tryChannels<Answer>(
  parts: TaskParts,
  running: Running,
  first: Channel,
  exchange: Exchange<Answer>,
): Promise<Response> {
  const { core } = parts;
  const { caller, model, record, platform, origin } = running;
  const mayRetry = origin === undefined && running.mayRetry;
  const tried: number[] = [];
  let channel = first;
  for (;;) {
    beginAttempt(record, channel, tried);
    const result = await attempt(parts, running, channel, exchange);
    if ('answer' in result) {
      core.breaker.succeeded(channel.id, model);
      core.health.answered(channel.id);
      return await exchange.accept(running, result.answer);
    }
    const { code } = result;
    const { requestId } = running.incoming;
    const requestText = () => JSON.stringify(running.body).slice(0, 100_000);
    const { hasOwnLimits } = platform;
    const failed = { requestId, record, requestText, hasOwnLimits };
    const failure = noteFailure(core, failed, channel, result.failure);
    const wanted = wantedFor(platform.format, model);
    // Another channel would make it, and be paid for it, a second time.
    const isRepeatable = mayRetry && failure.mayHaveArrived !== true;
    const next = isRepeatable ? anotherChannel(core, caller, wanted, failure, tried) : undefined;
    if (next === undefined) {
      const error = await failSubmission(parts, running, failure, code);
      return exchange.refuse(running.incoming, error, code);
    }
    channel = next;
  }
}

async function attempt<Answer>(
  parts: TaskParts,
  running: Running,
  channel: Channel,
  exchange: Exchange<Answer>,
): Promise<Sent<Answer>> {
  const { core, rows } = parts;
  const { record, task } = running;
  const begunAt = performance.now();
  try {
    const until = unixSeconds() + SUBMISSION_SECONDS;
    if (record.attempts.length > 0) await rows.change(task.id, { next_poll_at: until });
    const result = await exchange.send(channel, running);
    record.attempts.push({
      channel: channel.id,
      status: result.status,
      milliseconds: Math.round(performance.now() - begunAt),
    });
    return result;
  } finally {
    core.breaker.end(channel.id);
  }
}

/** Ends the task and releases its hold, also when the upstream may be working; resolves with the error for the caller. */
export async function failSubmission(
  { core, rows }: TaskParts,
  { task, record, platform }: Running,
  failure: UpstreamFailure,
  code = 0,
): Promise<RelayError> {
  const isUnconfirmed = failure.mayHaveArrived === true;
  const reason = isUnconfirmed ? factText('taskUnconfirmed') : failure.kind;
  await rows.end(task.id, {
    status: 'FAILURE',
    code,
    channel_id: record.channelId,
    fail_reason: neutralText(failure.error['message']) ?? reason,
    finish_ms: Date.now(),
  });
  await endHold(core, rows, platform, task.id);
  if (!isUnconfirmed) return callerError(failure, undefined, { isDescription: true });
  core.log.warn('an upstream may have taken a submission that it did not confirm', {
    task: task.id,
    channel_id: record.channelId,
  });
  return new RelayError('submission_unconfirmed', {}, { status: failure.status });
}

/** Stores the upstream's id, and the attempts for the log row that the node which ends the task writes. */
export async function acceptTask(
  { rows, pollSeconds }: TaskParts,
  { task, record }: Running,
  change: TaskChange & { task_id: string },
): Promise<Task> {
  const { price } = JSON.parse(task.snapshot) as { price: Parameters<typeof snapshotText>[1] };
  const all = {
    channel_id: record.channelId,
    status: 'SUBMITTED',
    snapshot: snapshotText(record, price),
    next_poll_at: unixSeconds() + pollSeconds,
    ...change,
  };
  // The task was failed meanwhile, and its hold is released.
  if (!(await rows.change(task.id, all))) throw new RelayError('upstream_timeout');
  return { ...task, ...all };
}
