// A song or lyrics: read from the request, and sent to a Suno proxy.
import { MUSIC_MODELS, type TaskAsked } from '#contract/relay/tasks.ts';
import { isObject } from '#server/models/formats/json.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { unansweredFailure } from '#server/relay/errors/upstream-failure.ts';
import { readJson } from '#server/relay/request/read-body.ts';
import { callbackAddress } from '#server/relay/tasks/callback.ts';
import type { TaskParts } from '#server/relay/tasks/parts.ts';
import { textOf } from '#server/relay/tasks/report-fields.ts';
import type { Task } from '#server/relay/tasks/rows.ts';
import { acceptTask, failSubmission, submitTask, type Sent } from '#server/relay/tasks/submit.ts';
import { askUpstream, SUBMIT_SECONDS } from '#server/relay/tasks/upstream.ts';
import { callerOf, refusal, success } from './answers.ts';
import { clipIds } from './parts.ts';
import { suno } from './suno.ts';

const DEADLINE_SECONDS = 3600;
const DEFAULT_VERSION = 'chirp-v3-0';

type Body = Readonly<Record<string, unknown>>;

export async function submitMusic(
  parts: TaskParts,
  incoming: Incoming,
  isLyrics: boolean,
): Promise<Response> {
  const caller = await callerOf(parts, incoming);
  const body = musicBody((await readJson(incoming)).value, isLyrics);
  const path = isLyrics ? 'lyrics' : 'music';
  const asked = {
    platform: suno,
    incoming,
    caller,
    action: path.toUpperCase(),
    model: MUSIC_MODELS[path],
    path: `/suno/submit/${path}`,
    body,
    prompt: promptOf(body),
    origin: await findContinued(parts, caller, body),
    mayRetry: true,
    deadlineSeconds: DEADLINE_SECONDS,
    columns: { properties: JSON.stringify({ asked: askedIn(body) }) },
  };
  return await submitTask(parts, asked, {
    send(channel, { body: sent, task }) {
      const notify_hook = callbackAddress(parts.core, 'suno', task);
      return send(parts, channel, path, notify_hook === undefined ? sent : { ...sent, notify_hook });
    },
    async accept(running, taskId) {
      // Without an id nothing can be fetched. Not sent again: the upstream may be making it.
      if (taskId === '') return refusal(incoming, await failSubmission(parts, running, unansweredFailure()));
      await acceptTask(parts, running, { task_id: taskId, code: 1 });
      return success(incoming, taskId);
    },
    refuse: refusal,
  });
}

/** The caller's fields; a callback would tell the caller the upstream's name, so the caller's address is not passed on. */
function musicBody(asked: Body, isLyrics: boolean): Body {
  const { notify_hook: _, ...body } = asked;
  if (isLyrics) {
    if (textOf(body['prompt']).trim() === '') refuseField('prompt');
    return body;
  }
  if (promptOf(body) === '' && textOf(body['continue_clip_id']) === '') refuseField('prompt');
  return { ...body, mv: textOf(body['mv']) || DEFAULT_VERSION };
}

function promptOf(body: Body): string {
  const texts = ['title', 'gpt_description_prompt', 'prompt', 'tags'].map((name) =>
    textOf(body[name], Infinity),
  );
  return texts.filter((text) => text.trim() !== '').join('\n');
}

/** A description needs no title and no style: with one of them a prompt is the text of the song. */
function askedIn(body: Body): TaskAsked {
  const description = textOf(body['gpt_description_prompt']);
  const isOwnText = description === '';
  return {
    prompt: description || textOf(body['prompt']),
    title: isOwnText ? textOf(body['title'], 200) : '',
    tags: isOwnText ? textOf(body['tags'], 500) : '',
    size: '',
    seconds: 0,
    image_urls: [],
  };
}

/** A continuation needs the song it continues, which only the channel that made it has. */
async function findContinued({ rows }: TaskParts, caller: Caller, body: Body): Promise<Task | undefined> {
  if (textOf(body['continue_clip_id']) === '') return undefined;
  const id = body['task_id'];
  if (typeof id !== 'string' || id === '') refuseField('task_id');
  const [task] = await rows.named(suno.name, [id], caller);
  if (task === undefined) throw new RelayError('task_unknown');
  // The upstream's account is shared: with the id of a clip another user's song could be continued.
  const clips = clipIds(task);
  if (clips.length > 0 && !clips.includes(textOf(body['continue_clip_id']))) refuseField('continue_clip_id');
  return task;
}

async function send({ core }: TaskParts, channel: Channel, path: string, body: Body): Promise<Sent<string>> {
  const reply = await askUpstream(core, channel, {
    format: 'suno',
    path: `/suno/submit/${path}`,
    body,
    timeoutSeconds: SUBMIT_SECONDS,
  });
  const { status, value } = reply;
  if ('failure' in reply) return { failure: reply.failure, status };
  const { code, data, message } = isObject(value) ? value : {};
  if (code === 'success')
    return { answer: typeof data === 'string' && /^[\w-]{1,128}$/.test(data) ? data : '', status };
  if (typeof code !== 'string') return { failure: unansweredFailure(), status };
  const error = { message: textOf(message) || code };
  return {
    status,
    failure: {
      kind: 'http',
      status: 400,
      rawStatus: 200,
      error,
      retryAfterSeconds: 0,
      isAccountFault: false,
    },
  };
}

function refuseField(field: string): never {
  throw new RelayError('invalid_field', { field }, { param: field });
}
