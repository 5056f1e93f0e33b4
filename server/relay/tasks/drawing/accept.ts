// The upstream's answer to a submission: a new task, a known task, or a refusal.
import { neutralText } from '#server/relay/errors/relay-error.ts';
import { unansweredFailure, type UpstreamFailure } from '#server/relay/errors/upstream-failure.ts';
import type { TaskParts } from '#server/relay/tasks/parts.ts';
import { acceptTask, failSubmission, type Running } from '#server/relay/tasks/submit.ts';
import { json, refusal } from './answers.ts';
import { midjourney } from './midjourney.ts';
import type { SubmitAnswer } from './upstream.ts';

const ANSWER_CODES = { submitted: 1, noAccount: 3, exists: 21, queued: 22, full: 23, saturated: 30 } as const;
export const ACCEPTED: ReadonlySet<number> = new Set([
  ANSWER_CODES.submitted,
  ANSWER_CODES.exists,
  ANSWER_CODES.queued,
]);

/** The failure, with an HTTP status, for a refusal that came in a 200. */
export function refusedBy({ code, description }: SubmitAnswer): UpstreamFailure {
  const status =
    code === ANSWER_CODES.full || code === ANSWER_CODES.saturated
      ? 429
      : code === ANSWER_CODES.noAccount
        ? 503
        : 400;
  return {
    kind: 'http',
    status,
    rawStatus: 200,
    error: { message: description },
    retryAfterSeconds: 0,
    isAccountFault: code === ANSWER_CODES.noAccount,
  };
}

export async function acceptSubmission(
  parts: TaskParts,
  running: Running,
  answer: SubmitAnswer,
): Promise<Response> {
  const { changes } = parts;
  const { incoming, action, task } = running;
  const isUpload = action === 'UPLOAD';
  const taskId = isUpload ? task.hold_id : idIn(answer.result);
  if (taskId === undefined) {
    // Without an id nothing can be fetched. Not sent again: the upstream may be drawing it.
    return refusal(incoming, await failSubmission(parts, running, unansweredFailure()));
  }
  if (answer.code === ANSWER_CODES.exists && (await isKnown(parts, running, taskId)))
    return json(incoming, receipt(answer, ANSWER_CODES.submitted, taskId));
  const current = await acceptTask(parts, running, { task_id: taskId, code: answer.code });
  if (isUpload) await changes.apply(midjourney, current, { status: 'SUCCESS' });
  else if (answer.code === ANSWER_CODES.exists) await changes.apply(midjourney, current, answer.properties);
  // These two actions only open a dialog, and clients show it on this code.
  const opensDialog = action === 'INPAINT' || action === 'CUSTOM_ZOOM';
  const code =
    opensDialog && answer.code === ANSWER_CODES.exists ? ANSWER_CODES.exists : ANSWER_CODES.submitted;
  return json(incoming, receipt(answer, code, isUpload ? answer.result : taskId));
}

const receipt = ({ description }: SubmitAnswer, code: number, result: unknown) => ({
  code,
  description: neutralText(description) ?? 'Submitted',
  result,
  properties: {},
});

/** The caller requested this drawing before and pays or paid for it: release the new hold. A failed one is not shown, so it does not count. */
async function isKnown(
  { core, rows }: TaskParts,
  { caller, task }: Running,
  taskId: string,
): Promise<boolean> {
  const known = await rows.named(midjourney.name, [taskId], { userId: caller.userId });
  if (known.every(({ status }) => status === 'FAILURE')) return false;
  await core.ledger.release(task.hold_id);
  await rows.remove(task.id);
  return true;
}

function idIn(result: unknown): string | undefined {
  if (typeof result === 'number' && Number.isSafeInteger(result)) return String(result);
  return typeof result === 'string' && /^[\w-]{1,128}$/.test(result) ? result : undefined;
}
