// OpenAI's batches: input, answers and errors are files.
import { factText } from '#contract/facts.ts';
import { isFinished } from '#contract/relay/drawing.ts';
import { isObject, objects, text, type Json } from '#server/models/formats/json.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import { neutralText } from '#server/relay/errors/relay-error.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { timeOf } from '#server/relay/tasks/report-fields.ts';
import type { Task } from '#server/relay/tasks/rows.ts';
import { askUpstream, READ_SECONDS } from '#server/relay/tasks/upstream.ts';
import { fileRows } from './file-rows.ts';
import { batchPlatform, type BatchApi, type Progress } from './platform.ts';
import { stateOf, type BatchState } from './state.ts';
import { failWords } from '#server/relay/tasks/fail-words.ts';

const ENDS = ['completed_at', 'failed_at', 'expired_at', 'cancelled_at'];

export const OPEN_AI_FIELDS = [
  'object',
  'endpoint',
  'errors',
  'completion_window',
  'status',
  'created_at',
  'in_progress_at',
  'expires_at',
  'finalizing_at',
  'cancelling_at',
  ...ENDS,
  'request_counts',
  'metadata',
];

const api: BatchApi = {
  name: 'openai-batch',
  format: 'openai-batches',
  path: '/v1/batches',
  fields: OPEN_AI_FIELDS,
  progressOf,
  outputPath(batch) {
    const id = text(batch['output_file_id']);
    if (id !== '') return `/v1/files/${encodeURIComponent(id)}/content`;
    return countsOf(batch).completed > 0 ? null : undefined;
  },
  answerIn({ response, error }) {
    const { status_code: status, body } = isObject(response) ? response : {};
    const isAnswered = Number(status) >= 200 && Number(status) <= 299 && !isObject(error);
    return isAnswered && isObject(body) ? body : undefined;
  },
  async keepFiles(core, channel, task, batch) {
    const outputFile = await keep(core, channel, task, text(batch['output_file_id']), task.id);
    // Errors cost nothing: they can be read at once.
    const errorFile = await keep(core, channel, task, text(batch['error_file_id']), 0);
    return {
      ...(outputFile === undefined ? {} : { outputFile }),
      ...(errorFile === undefined ? {} : { errorFile }),
    };
  },
};

export const openAiBatches = batchPlatform(api);

function countsOf({ request_counts: counts }: Json) {
  const { total, completed, failed } = isObject(counts) ? counts : {};
  return { total: Number(total) || 0, completed: Number(completed) || 0, failed: Number(failed) || 0 };
}

function progressOf(batch: Json): Progress {
  const { total, completed, failed } = countsOf(batch);
  const percent = total > 0 ? ((completed + failed) / total) * 100 : 0;
  switch (batch['status']) {
    case 'completed':
      return { phase: 'ended', percent, reason: '' };
    case 'expired':
      return { phase: 'ended', percent, reason: factText('batchExpired') };
    case 'cancelled':
      return { phase: 'ended', percent, reason: factText('batchCancelled') };
    case 'failed': {
      const { errors } = batch;
      const [first] = isObject(errors) ? objects(errors['data']) : [];
      return {
        phase: 'refused',
        percent,
        reason: neutralText(first?.['message']) ?? factText('batchRefused'),
      };
    }
    case 'validating':
      return { phase: 'waiting', percent, reason: '' };
    default:
      return { phase: 'running', percent, reason: '' };
  }
}

/** A file that the batch left at the upstream becomes one of its owner's files. */
async function keep(
  core: Core,
  channel: Channel,
  task: Task,
  upstreamId: string,
  paidBy: number,
): Promise<string | undefined> {
  if (!/^[\w.-]{1,200}$/.test(upstreamId)) return undefined;
  const reply = await askUpstream(core, channel, {
    format: api.format,
    path: `/v1/files/${encodeURIComponent(upstreamId)}`,
    timeoutSeconds: READ_SECONDS,
  });
  const known = 'failure' in reply || !isObject(reply.value) ? {} : reply.value;
  const now = Date.now();
  const seconds = (value: unknown): number => Math.floor(timeOf(Number(value) * 1000, now) / 1000);
  const kind = paidBy === 0 ? 'error' : 'output';
  return await fileRows(core.store).add({
    user_id: task.user_id,
    token_id: task.token_id,
    project_id: task.project_id,
    channel_id: task.channel_id,
    upstream_id: upstreamId,
    purpose: 'batch_output',
    filename: `${task.task_id}_${kind}.jsonl`,
    bytes: Number.isSafeInteger(known['bytes']) ? Math.max(0, Number(known['bytes'])) : 0,
    created_at: seconds(known['created_at']) || Math.floor(now / 1000),
    expires_at: Number.isSafeInteger(known['expires_at']) ? Number(known['expires_at']) : 0,
    task_id: paidBy,
    model: task.model,
  });
}

/** A batch as its caller reads it. Its end is shown when it is charged. */
export function openAiView(task: Task, state: BatchState = stateOf(task)) {
  const { batch, input, inputFile, outputFile, errorFile } = state;
  const isEnded = isFinished(task.status) && task.money !== 'open';
  const shown = { ...batch };
  if (!isEnded) for (const name of ENDS) delete shown[name];
  return {
    id: task.task_id,
    object: 'batch',
    errors: null,
    ...shown,
    ...(isGivenUp(task, batch) ? { errors: givenUp(task) } : {}),
    endpoint: input.path,
    model: task.model,
    input_file_id: inputFile,
    status: statusOf(task, batch, isEnded),
    output_file_id: isEnded ? (outputFile ?? null) : null,
    error_file_id: isEnded ? (errorFile ?? null) : null,
  };
}

/** The task failed here while its upstream did not say so. As every end, it is shown when the hold has ended. */
const isGivenUp = (task: Task, batch: Json): boolean =>
  task.status === 'FAILURE' &&
  task.money !== 'open' &&
  ['waiting', 'running'].includes(progressOf(batch).phase);

const givenUp = ({ fail_reason }: Task) => ({
  object: 'list',
  data: [{ code: 'batch_lost', message: failWords(fail_reason), param: null, line: null }],
});

function statusOf(task: Task, batch: Json, isEnded: boolean): string {
  const { phase } = progressOf(batch);
  if (isGivenUp(task, batch)) return 'failed';
  if (isEnded || phase === 'waiting' || phase === 'running') return text(batch['status']) || 'validating';
  return batch['cancelling_at'] === null || batch['cancelling_at'] === undefined
    ? 'finalizing'
    : 'cancelling';
}
