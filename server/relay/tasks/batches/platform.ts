// Batches as a platform of tasks, the same for both APIs: ask the upstream, and when a batch has ended read its output for the
// usage before its end is written. A caller reads the output only after the charge.
import { factText } from '#contract/facts.ts';
import { isFinished } from '#contract/relay/drawing.ts';
import { unixSeconds } from '#contract/time.ts';
import type { Format } from '#server/models/formats/format.ts';
import { isObject, type Json } from '#server/models/formats/json.ts';
import type { Usage } from '#server/money/prices/usage.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import type { Platform, RawReport } from '#server/relay/tasks/platform.ts';
import type { Task } from '#server/relay/tasks/rows.ts';
import { askUpstream, READ_SECONDS } from '#server/relay/tasks/upstream.ts';
import { batchFields, stateOf, type BatchState } from './state.ts';
import { readOutput, UsageSum, type OutputUsage } from './usage-sum.ts';

/** What differs between the APIs. */
export interface BatchApi {
  readonly name: string;
  readonly format: Format;
  /** The path of all batches. */
  readonly path: string;
  /** Fields of the upstream's answer that are kept and shown. */
  readonly fields: readonly string[];
  progressOf(batch: Json): Progress;
  /** Where the answers are; undefined when no request was answered, null when the upstream has not written them yet. */
  outputPath(batch: Json, upstream: string): string | null | undefined;
  /** The answer in a line of the output; undefined for a request that failed. */
  answerIn(line: Json): Json | undefined;
  /** Files that the batch left at the upstream, as the caller will know them. */
  keepFiles?(core: Core, channel: Channel, task: Task, batch: Json): Promise<Partial<BatchState>>;
}

export interface Progress {
  /** `refused`: the upstream ran nothing of it. */
  readonly phase: 'waiting' | 'running' | 'ended' | 'refused';
  readonly percent: number;
  /** Why nothing or not everything was answered; shown in the console. */
  readonly reason: string;
}

/** Time for one reading of an output; another node does not begin meanwhile. The poller writes the next turn after it. */
const READING_SECONDS = 900;
/** Reading is given up so long before the deadline, and the charge is estimated. */
const ESTIMATE_SECONDS = 3600;
/** Most batches take hours. */
export const LONGEST_WAIT_SECONDS = 600;
const AT_ONCE = 4;

export function batchPlatform(api: BatchApi): Platform {
  /** Undefined when the upstream could not be asked. */
  async function readBatch(
    core: Core,
    channel: Channel,
    task: Task,
    signal: AbortSignal,
  ): Promise<RawReport | undefined> {
    const { upstream, input } = stateOf(task);
    const reply = await askUpstream(core, channel, {
      format: api.format,
      path: `${api.path}/${encodeURIComponent(upstream)}`,
      timeoutSeconds: READ_SECONDS,
      signal,
    });
    if ('failure' in reply || !isObject(reply.value)) {
      if (!signal.aborted) core.log.warn('the state of a batch could not be read', { task: task.id });
      return undefined;
    }
    const batch = reply.value;
    if (api.progressOf(batch).phase !== 'ended') return { batch };
    await holdTurn(core, task);
    const path = api.outputPath(batch, upstream);
    const sum = new UsageSum(input);
    const output =
      path === undefined
        ? sum.result
        : path === null
          ? undefined
          : await readOutput(core, { channel, format: api.format, path, signal }, sum, (line) =>
              api.answerIn(line),
            );
    const charged = output ?? lateOutput(core, task, batch);
    if (charged === undefined || signal.aborted) return { batch };
    return { batch, output: charged, files: await api.keepFiles?.(core, channel, task, batch) };
  }

  return {
    name: api.name,
    format: api.format,
    lateReason: factText('batchLate'),
    hasOwnLimits: true,
    longestWaitSeconds: LONGEST_WAIT_SECONDS,
    async reportsOf(core, channel, ids, signal) {
      const { db } = core.store;
      const tasks = await db
        .selectFrom('tasks')
        .selectAll()
        .where('platform', '=', api.name)
        .where('task_id', 'in', [...ids])
        .execute();
      const reports = new Map<string, RawReport>();
      for (let start = 0; start < tasks.length; start += AT_ONCE) {
        await Promise.all(
          tasks.slice(start, start + AT_ONCE).map(async (task) => {
            // One that fails must not keep the others waiting.
            const found = await readBatch(core, channel, task, signal).catch((error: unknown) => {
              core.log.error('a batch could not be read', { task: task.id, error });
              return undefined;
            });
            if (found !== undefined) reports.set(task.task_id, found);
          }),
        );
      }
      return reports;
    },
    changeIn: (task, given, now) => changeIn(api, task, given, now),
    usageOf: (task): Usage | undefined => (isFinished(task.status) ? stateIfAny(task)?.usage : undefined),
    isEstimated: (task) => stateIfAny(task)?.estimated === true,
    doubtsOf: (task) => stateIfAny(task)?.doubts ?? [],
  };
}

/** Undefined for a submission that was interrupted. */
function stateIfAny(task: Task): BatchState | undefined {
  return task.properties === '' ? undefined : stateOf(task);
}

async function holdTurn({ store }: Core, { id }: Task): Promise<void> {
  const until = unixSeconds() + READING_SECONDS;
  await store.db
    .updateTable('tasks')
    .set({ next_poll_at: until })
    .where('id', '=', id)
    .where('money', '=', 'open')
    .execute();
}

function changeIn(api: BatchApi, task: Task, given: RawReport, now: number) {
  const before = stateOf(task);
  if (!isObject(given['batch'])) return { change: { status: task.status }, ends: false };
  const batch = batchFields(given['batch'], api.fields);
  const { phase, percent, reason } = api.progressOf(batch);
  const output = given['output'] as OutputUsage | undefined;
  const files = (given['files'] ?? {}) as Partial<BatchState>;
  const state: BatchState = { ...before, batch, ...files };
  const progress = `${Math.min(100, Math.max(0, Math.floor(percent)))}%`;
  const start_ms = task.start_ms || (phase === 'waiting' ? 0 : now);
  if (phase === 'refused') {
    const properties = JSON.stringify(state);
    return {
      change: { status: 'FAILURE', fail_reason: reason, finish_ms: now, start_ms, properties },
      ends: true,
    };
  }
  if (phase !== 'ended' || output === undefined) {
    const status = phase === 'waiting' ? 'QUEUED' : 'IN_PROGRESS';
    const properties = JSON.stringify(state);
    return { change: { status, progress, start_ms, properties }, ends: false };
  }
  const isEmpty = output.answered === 0 && reason !== '';
  const properties = JSON.stringify({ ...state, ...(isEmpty ? {} : output), answered: output.answered });
  const ended = { fail_reason: reason, finish_ms: now, start_ms, properties };
  return isEmpty
    ? { change: { ...ended, status: 'FAILURE' }, ends: true }
    : { change: { ...ended, status: 'SUCCESS', progress: '100%' }, ends: true };
}

/** The output could not be read for days: the prompts of the answered requests are charged, and the operator is alerted. */
function lateOutput({ log }: Core, task: Task, batch: Json): OutputUsage | undefined {
  if (Date.now() / 1000 < task.deadline_at - ESTIMATE_SECONDS) return undefined;
  log.error('the output of a batch cannot be read: its charge is estimated', { task: task.id });
  const { input } = stateOf(task);
  const sum = new UsageSum(input);
  for (let left = answeredIn(batch, input.requests); left > 0; left -= 1) sum.addUnread();
  return sum.result;
}

/** What the vendors call requests that have no answer. */
const FAILED = ['failed', 'errored', 'canceled', 'expired'];
const MOST_ANSWERS = 100_000;

/** `completed` of OpenAI, `succeeded` of Anthropic; where the upstream counts neither, all requests but those that failed. */
function answeredIn({ request_counts: given }: Json, requests: number): number {
  const counts = isObject(given) ? given : {};
  const answered = countOf(counts['completed'] ?? counts['succeeded']);
  if (answered !== undefined) return answered;
  return requests - FAILED.reduce((sum, name) => sum + (countOf(counts[name]) ?? 0), 0);
}

function countOf(value: unknown): number | undefined {
  const count = Number(value ?? Number.NaN);
  return Number.isSafeInteger(count) ? Math.min(MOST_ANSWERS, Math.max(0, count)) : undefined;
}
