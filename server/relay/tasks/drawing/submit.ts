// A drawing: read from the request, and sent to a Midjourney proxy.
import type { Incoming } from '#server/relay/caller/incoming.ts';
import { drawingModel, type DrawingSpeed } from '#contract/relay/drawing.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { readJson } from '#server/relay/request/read-body.ts';
import type { TaskParts } from '#server/relay/tasks/parts.ts';
import { addressOf, textOf } from '#server/relay/tasks/report-fields.ts';
import type { Task } from '#server/relay/tasks/rows.ts';
import { submitTask, type Exchange } from '#server/relay/tasks/submit.ts';
import { ACCEPTED, acceptSubmission, refusedBy } from './accept.ts';
import type { Submission } from './actions.ts';
import { reportAddress } from './addresses.ts';
import { refusal } from './answers.ts';
import { upstreamBody } from './body.ts';
import { midjourney } from './midjourney.ts';
import { callerOf } from './caller.ts';
import { propertiesText } from './report.ts';
import { tokenSettingsOf, type TokenSettings } from './token-settings.ts';
import { submit, type SubmitAnswer } from './upstream.ts';

const DEADLINE_SECONDS = 3600;

type Body = Readonly<Record<string, unknown>>;

export async function submitDrawing(
  parts: TaskParts,
  incoming: Incoming,
  path: string,
  read: (body: Body) => Submission,
  speed: DrawingSpeed | undefined,
): Promise<Response> {
  const { core } = parts;
  const caller = await callerOf(core, incoming);
  const body = (await readJson(incoming)).value;
  const submission = read(body);
  const tokenSettings = await tokenSettingsOf(core.store, caller.tokenId);
  const { isForwarded, mayRetry } = tokenSettings;
  const asked = {
    platform: midjourney,
    incoming,
    caller,
    action: submission.action,
    model: drawingModel(submission.action),
    path: `/mj/${path}`,
    body,
    prompt: textOf(body['prompt'], Infinity),
    origin: await originOf(parts, caller, submission),
    mayRetry,
    deadlineSeconds: DEADLINE_SECONDS,
    columns: {
      properties: isForwarded ? propertiesText({ isForwarded }) : '',
      notify_url: core.settings.current.MjNotifyEnabled ? addressOf(body['notifyHook']) : '',
    },
  };
  return await submitTask(parts, asked, exchangeOf(parts, path, speed, tokenSettings));
}

/** The original drawing of a follow-up: the caller's own, and finished if the setting requires it. */
async function originOf(
  { core, rows }: TaskParts,
  caller: Caller,
  { origin, isConfirmation }: Submission,
): Promise<Task | undefined> {
  if (origin === undefined) return undefined;
  const tasks = await rows.named(midjourney.name, [origin], caller);
  // A confirmation has the id of the drawing it confirms, and may have failed when the drawing did not.
  const task = tasks.find(({ status }) => status === 'SUCCESS') ?? tasks[0];
  if (task === undefined) throw new RelayError('task_unknown');
  const mustBeFinished = core.settings.current.MjActionCheckSuccessEnabled;
  if (mustBeFinished && isConfirmation !== true && task.status !== 'SUCCESS')
    throw new RelayError('task_unfinished');
  return task;
}

function exchangeOf(
  parts: TaskParts,
  path: string,
  speed: DrawingSpeed | undefined,
  tokenSettings: TokenSettings,
): Exchange<SubmitAnswer> {
  const { core } = parts;
  return {
    async send(channel, { body, task }) {
      const settings = core.settings.current;
      const sent = upstreamBody(body, {
        settings,
        speed,
        usualSpeed: tokenSettings.speed,
        reportTo: reportAddress(core.store.vault, settings, task),
      });
      const result = await submit(core, channel, path, sent);
      if ('failure' in result || ACCEPTED.has(result.answer.code)) return result;
      const { answer, status } = result;
      return { failure: refusedBy(answer), status, code: answer.code };
    },
    accept: (running, answer) => acceptSubmission(parts, running, answer),
    refuse: refusal,
  };
}
