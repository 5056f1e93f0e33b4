// Anthropic's message batches: requests come with the call, results are one text.
import { factText } from '#contract/facts.ts';
import { isFinished } from '#contract/relay/drawing.ts';
import { isObject, text, type Json } from '#server/models/formats/json.ts';
import type { Task } from '#server/relay/tasks/rows.ts';
import { batchPlatform, type BatchApi, type Progress } from './platform.ts';
import { stateOf, type BatchState } from './state.ts';

export const MESSAGE_BATCHES_PATH = '/v1/messages/batches';

export const ANTHROPIC_FIELDS = [
  'processing_status',
  'request_counts',
  'ended_at',
  'created_at',
  'expires_at',
  'archived_at',
  'cancel_initiated_at',
];

export const resultsPath = (id: string): string =>
  `${MESSAGE_BATCHES_PATH}/${encodeURIComponent(id)}/results`;

const api: BatchApi = {
  name: 'anthropic-batch',
  format: 'anthropic-batches',
  path: MESSAGE_BATCHES_PATH,
  fields: ANTHROPIC_FIELDS,
  progressOf,
  outputPath({ request_counts: counts }, upstream) {
    // An upstream that does not count may have answers all the same.
    const isNone = isObject(counts) && counts['succeeded'] === 0;
    return isNone ? undefined : resultsPath(upstream);
  },
  answerIn({ result }) {
    const { type, message } = isObject(result) ? result : {};
    return type === 'succeeded' && isObject(message) ? message : undefined;
  },
};

export const anthropicBatches = batchPlatform(api);

function countsOf({ request_counts: counts }: Json) {
  const given = isObject(counts) ? counts : {};
  const number = (name: string): number => Number(given[name]) || 0;
  const done = number('succeeded') + number('errored') + number('canceled') + number('expired');
  return {
    canceled: number('canceled'),
    expired: number('expired'),
    done,
    total: done + number('processing'),
  };
}

function progressOf(batch: Json): Progress {
  const { canceled, expired, done, total } = countsOf(batch);
  const percent = total > 0 ? (done / total) * 100 : 0;
  if (batch['processing_status'] !== 'ended') return { phase: 'running', percent, reason: '' };
  const reason = canceled > 0 ? factText('batchCancelled') : expired > 0 ? factText('batchExpired') : '';
  return { phase: 'ended', percent, reason };
}

/** A batch as its caller reads it. Its end is shown when it is charged. */
export function anthropicView(task: Task, origin: string, state: BatchState = stateOf(task)) {
  const { batch } = state;
  const isEnded = isFinished(task.status) && task.money !== 'open';
  const isCancelled = text(batch['cancel_initiated_at']) !== '';
  return {
    id: task.task_id,
    type: 'message_batch',
    processing_status: isEnded ? 'ended' : isCancelled ? 'canceling' : 'in_progress',
    request_counts: batch['request_counts'] ?? {},
    created_at: batch['created_at'] ?? new Date(task.submit_ms).toISOString(),
    expires_at: batch['expires_at'] ?? new Date(task.deadline_at * 1000).toISOString(),
    ended_at: isEnded ? (batch['ended_at'] ?? new Date(task.finish_ms).toISOString()) : null,
    archived_at: batch['archived_at'] ?? null,
    cancel_initiated_at: batch['cancel_initiated_at'] ?? null,
    results_url: hasResults(task) ? origin + resultsPath(task.task_id) : null,
  };
}

/** The results were read for the charge, or there is nothing to charge in them. */
export const hasResults = (task: Task): boolean =>
  isFinished(task.status) && task.money !== 'open' && stateOf(task).answered !== undefined;
