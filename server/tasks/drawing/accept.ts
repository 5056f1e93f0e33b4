// The upstream's answer to a submission: a new task, a known task, or a refusal.
import type { Incoming } from '#server/relay/caller/incoming.ts';
import type { DrawingSpeed } from '#contract/drawing.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import { neutralText, RelayError } from '#server/relay/errors/relay-error.ts';
import { callerError, type UpstreamFailure } from '#server/relay/errors/upstream-failure.ts';
import type { Attempt, CallRecord } from '#server/relay/money/log-row.ts';
import { endHold, snapshotText } from '#server/tasks/money.ts';
import type { Task } from '#server/tasks/rows.ts';
import type { Submission } from './actions.ts';
import { json, refusal } from './answers.ts';
import { PLATFORM, type DrawingParts } from './parts.ts';
import type { SubmitAnswer } from './upstream.ts';
import type { TokenSettings } from './token-settings.ts';

const CODE = { submitted: 1, noAccount: 3, exists: 21, queued: 22, full: 23, saturated: 30 } as const;
export const accepted: ReadonlySet<number> = new Set([CODE.submitted, CODE.exists, CODE.queued]);

export type Body = Readonly<Record<string, unknown>>;
export type DrawingRecord = CallRecord & { attempts: Attempt[] };

/** A submission from its request to its row. */
export interface Running {
  incoming: Incoming;
  caller: Caller;
  submission: Submission;
  model: string;
  path: string;
  body: Body;
  /** From the path. */
  speed: DrawingSpeed | undefined;
  tokenSettings: TokenSettings;
  record: DrawingRecord;
  task: Task;
}

/** The failure, with an HTTP status, for a refusal that came in a 200. */
export function refusedBy({ code, description }: SubmitAnswer): UpstreamFailure {
  const status = code === CODE.full || code === CODE.saturated ? 429 : code === CODE.noAccount ? 503 : 400;
  return {
    kind: 'http',
    status,
    rawStatus: 200,
    error: { message: description },
    retryAfterSeconds: 0,
    isAccountFault: code === CODE.noAccount,
  };
}

export async function failSubmission(
  { core, rows }: DrawingParts,
  { incoming, task, record }: Running,
  failure: UpstreamFailure,
  code: number,
): Promise<Response> {
  const error = callerError(failure);
  const reason = neutralText(failure.error['message']) ?? failure.kind;
  await rows.end(task.id, {
    status: 'FAILURE',
    code,
    channel_id: record.channelId,
    fail_reason: reason,
    finish_ms: Date.now(),
  });
  await endHold(core, rows, task.id);
  return refusal(incoming, error, code === 0 ? undefined : code);
}

export async function acceptSubmission(
  parts: DrawingParts,
  running: Running,
  answer: SubmitAnswer,
): Promise<Response> {
  const { rows, changes, pollSeconds } = parts;
  const { incoming, submission, task, record } = running;
  const isUpload = submission.action === 'UPLOAD';
  const taskId = isUpload ? task.hold_id : idIn(answer.result);
  if (taskId === undefined)
    return await failSubmission(parts, running, refusedBy({ ...answer, code: 0, description: '' }), 0);
  if (answer.code === CODE.exists && (await isKnown(parts, running, taskId)))
    return json(incoming, receipt(answer, CODE.submitted, taskId));
  const change = {
    task_id: taskId,
    code: answer.code,
    channel_id: record.channelId,
    status: 'SUBMITTED',
    snapshot: snapshotOf(running),
    next_poll_at: Math.floor(Date.now() / 1000) + pollSeconds,
  };
  // The task was failed meanwhile, and its hold is released.
  if (!(await rows.change(task.id, change))) throw new RelayError('upstream_timeout');
  const current = { ...task, ...change };
  if (isUpload) await changes.apply(current, { status: 'SUCCESS' });
  else if (answer.code === CODE.exists) await changes.apply(current, answer.properties);
  // These two actions only open a dialog, and clients show it on this code.
  const opensDialog = submission.action === 'INPAINT' || submission.action === 'CUSTOM_ZOOM';
  const code = opensDialog && answer.code === CODE.exists ? CODE.exists : CODE.submitted;
  return json(incoming, receipt(answer, code, isUpload ? answer.result : taskId));
}

/** Includes the attempts, for the log row that the node which ends the task writes. */
function snapshotOf({ task, record }: Running): string {
  const { price } = JSON.parse(task.snapshot) as { price: Parameters<typeof snapshotText>[1] };
  return snapshotText(record, price);
}

const receipt = ({ description }: SubmitAnswer, code: number, result: unknown) => ({
  code,
  description: neutralText(description) ?? 'Submitted',
  result,
  properties: {},
});

/** The caller requested and paid for this drawing before: release the new hold. */
async function isKnown(
  { core, rows }: DrawingParts,
  { caller, task }: Running,
  taskId: string,
): Promise<boolean> {
  const known = await rows.named(PLATFORM, [taskId], caller.userId);
  if (known.length === 0) return false;
  await core.ledger.release(task.hold_id);
  await rows.remove(task.id);
  return true;
}

function idIn(result: unknown): string | undefined {
  if (typeof result === 'number' && Number.isSafeInteger(result)) return String(result);
  return typeof result === 'string' && /^[\w-]{1,128}$/.test(result) ? result : undefined;
}
