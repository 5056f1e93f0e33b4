// Creates a video: the price of what was asked for is held, and the request is written for the platform of the channel.
import type { VIDEO_ACTIONS } from '#contract/relay/tasks.ts';
import { receiptText, refuseLosses } from '#server/relay/upstream-body/conversion.ts';
import type { ConversionNote } from '#server/models/formats/canonical.ts';
import { cappedChargeOf } from '#server/money/prices/charge.ts';
import type { Usage } from '#server/money/prices/usage.ts';
import { modelAllowed, type Caller } from '#server/relay/caller/authenticate.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import { mapModel } from '#server/relay/channel-choice/mapping.ts';
import { isStrict } from '#server/relay/entry/handler.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import {
  networkFailure,
  unansweredFailure,
  type UpstreamFailure,
} from '#server/relay/errors/upstream-failure.ts';
import { payersOf } from '#server/relay/money/payers.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { applyOverrides } from '#server/relay/upstream-body/upstream-body.ts';
import { callbackAddress } from '#server/relay/tasks/callback.ts';
import type { TaskParts } from '#server/relay/tasks/parts.ts';
import type { Task } from '#server/relay/tasks/rows.ts';
import {
  acceptTask,
  failSubmission,
  submitTask,
  type Running,
  type Sent,
} from '#server/relay/tasks/submit.ts';
import { SUBMIT_SECONDS } from '#server/relay/tasks/upstream.ts';
import { factsOf, factsText, videoUsage, type VideoFacts } from './facts.ts';
import { pictureData } from './picture-data.ts';
import type { Plan, UpstreamRequest, VideoPlatform } from './platform.ts';
import { platformOf } from './registry.ts';
import { askedSize, PICTURE_FIELDS, type Fields, type VideoRequest } from './request.ts';
import { callUpstream } from './upstream.ts';
import { video } from './video.ts';
import { videoId } from './view.ts';

/** Queues of the platforms can be hours long. */
const DEADLINE_SECONDS = 24 * 3600;

/** How the answers of one API look. */
export interface Answers {
  readonly created: (incoming: Incoming, task: Task, running: Running) => Response;
  readonly refused: (incoming: Incoming, error: RelayError) => Response;
}

interface Creation {
  readonly incoming: Incoming;
  readonly caller: Caller;
  /** For the log. */
  readonly path: string;
  readonly answers: Answers;
}

export async function createVideo(
  parts: TaskParts,
  creation: Creation,
  fields: Fields,
  given: VideoRequest,
): Promise<Response> {
  const { core } = parts;
  const { caller } = creation;
  const { model } = given;
  // Before pictures are downloaded.
  if (!modelAllowed(caller, model)) throw new RelayError('model_not_allowed', { model });
  const channels = channelsOf(core, caller, model);
  const needsData = channels.some((channel) => platformOf(channel)?.takesPictureData === true);
  const request = needsData ? await pictureData(core, given) : given;
  const { size } = request;
  const asked = {
    ...factsOf({ properties: '' }),
    ...NOTHING,
    size: size === undefined ? '' : `${size.width}x${size.height}`,
    askedSize: askedSize(request),
    pictureUrls: addressesIn(given),
  };
  const planned = channels.flatMap((channel) => {
    const upstreamModel = mapModel(channel.modelMapping, model);
    const plan = platformOf(channel)?.plan({ ...request, model: upstreamModel });
    return plan === undefined ? [] : [{ ...asked, ...plan }];
  });
  const facts = dearest(core, caller, model, planned) ?? asked;
  const write = (platform: VideoPlatform, model: string, task: Task, notes: ConversionNote[]) => {
    const callbackUrl = callbackAddress(core, 'video', task);
    const wanted = { ...request, model, callbackUrl };
    return { request: platform.submission(wanted, notes), plan: platform.plan(wanted) };
  };
  const action = request.pictures.length > 0 ? 'IMAGE_TO_VIDEO' : 'TEXT_TO_VIDEO';
  return await submitVideo(parts, creation, { action, fields, model, prompt: request.prompt, facts, write });
}

const NOTHING: Plan = { seconds: 1, resolution: '' };

/** Kept for the playground; not long ones, because the list of tasks shows many. */
const LONGEST_KEPT = 2000;
const addressesIn = ({ pictures }: VideoRequest): string[] =>
  pictures.flatMap((picture) =>
    'url' in picture && picture.url.length <= LONGEST_KEPT ? [picture.url] : [],
  );

/** The channels that may serve the call, in the group of every way to pay for it. */
function channelsOf(core: Core, caller: Caller, model: string): Channel[] {
  const { current } = core.catalog;
  if (caller.channelId !== undefined) return [current.channel(caller.channelId) ?? []].flat();
  const groups = new Set(payersOf(core, caller, model).map((payer) => payer.caller.group));
  return [...groups].flatMap((group) =>
    current
      .tiers(group, model)
      .flat()
      .map(({ channel }) => channel),
  );
}

/** Which platform takes the video is not known before the hold: the hold is for the dearest. */
function dearest(
  core: Core,
  { group }: Caller,
  model: string,
  planned: readonly VideoFacts[],
): VideoFacts | undefined {
  const price = core.prices.resolve(model, group);
  const cost = (facts: VideoFacts) =>
    typeof price === 'string' ? 0 : cappedChargeOf(price, videoUsage(price, facts));
  return planned.toSorted((left, right) => cost(right) - cost(left))[0];
}

/** A new video that differs from the origin by its prompt; made by the channel that has the origin. */
export async function remixVideo(
  parts: TaskParts,
  creation: Creation,
  origin: Task,
  fields: Fields,
): Promise<Response> {
  const { prompt } = fields;
  if (typeof prompt !== 'string' || prompt.trim() === '')
    throw new RelayError('invalid_field', { field: 'prompt' }, { param: 'prompt' });
  if (origin.status !== 'SUCCESS') throw new RelayError('task_unfinished');
  const channel = parts.core.catalog.current.channel(origin.channel_id);
  const platform = channel && platformOf(channel);
  if (platform === undefined) throw new RelayError('task_channel_away');
  if (platform.remix === undefined) throw new RelayError('video_action_unsupported', { action: 'remix' });
  const { model, task_id } = origin;
  const facts = { ...factsOf(origin), file: '', imageUrl: '', tokens: 0, remixedFrom: videoId(origin) };
  const write = (on: VideoPlatform) => {
    const request = on.remix?.(task_id, prompt);
    if (request === undefined) throw new RelayError('video_action_unsupported', { action: 'remix' });
    return { request, plan: facts };
  };
  return await submitVideo(parts, creation, { action: 'REMIX', fields, model, prompt, facts, write, origin });
}

interface Submission {
  readonly action: (typeof VIDEO_ACTIONS)[number];
  readonly fields: Fields;
  readonly model: string;
  readonly prompt: string;
  readonly facts: VideoFacts;
  readonly write: (
    platform: VideoPlatform,
    model: string,
    task: Task,
    notes: ConversionNote[],
  ) => { request: UpstreamRequest; plan: Plan };
  readonly origin?: Task;
}

async function submitVideo(
  parts: TaskParts,
  { incoming, caller, path, answers }: Creation,
  { action, fields, model, prompt, facts, write, origin }: Submission,
): Promise<Response> {
  const strict = isStrict(parts.core, incoming.request, caller);
  const estimate = estimateOf(parts.core, caller, model, facts);
  const asked = {
    platform: video,
    incoming,
    caller,
    action,
    model,
    path,
    body: withoutPictures(fields),
    prompt,
    origin,
    mayRetry: true,
    deadlineSeconds: DEADLINE_SECONDS,
    ...(estimate === undefined ? {} : { estimate }),
    columns: { properties: factsText(facts) },
  };
  return await submitTask<Accepted>(parts, asked, {
    async send(channel, running) {
      try {
        return await send(parts, channel, running, { write, strict });
      } catch (error) {
        // The request cannot be written for this platform; nothing was sent.
        if (error instanceof RelayError) await failSubmission(parts, running, unsent(error));
        throw error;
      }
    },
    async accept(running, { id, plan, longestSeconds }) {
      // Without an id nothing can be fetched. Not sent again: the upstream may be making it.
      if (id === '')
        return answers.refused(incoming, await failSubmission(parts, running, unansweredFailure()));
      const mostSeconds = Math.max(plan.seconds, longestSeconds);
      const properties = factsText({ ...facts, ...plan, mostSeconds });
      const task = await acceptTask(parts, running, { task_id: id, code: 1, properties });
      return answers.created(incoming, task, running);
    },
    refuse: (_incoming, error) => answers.refused(incoming, error),
  });
}

interface Accepted {
  id: string;
  plan: Plan;
  /** Of the platform that took it. */
  longestSeconds: number;
}

/** Undefined without a price: the engine refuses the call. */
function estimateOf(core: Core, { group }: Caller, model: string, facts: VideoFacts): Usage | undefined {
  const price = core.prices.resolve(model, group);
  return typeof price === 'string' ? undefined : videoUsage(price, facts);
}

async function send(
  { core }: TaskParts,
  channel: Channel,
  { record, model, task }: Running,
  { write, strict }: { write: Submission['write']; strict: boolean },
): Promise<Sent<Accepted>> {
  const platform = platformOf(channel);
  const network = networkFailure('network');
  if (platform === undefined) return { failure: network, status: network.rawStatus };
  const notes: ConversionNote[] = [];
  const mapped = mapModel(channel.modelMapping, model);
  const { request, plan } = write(platform, mapped, task, notes);
  if (strict) refuseLosses(notes);
  record.upstreamModel = mapped;
  record.conversion = notes.length === 0 ? '' : receiptText('video', platform.name, notes);
  if (request.json !== undefined) applyOverrides(channel, request.json);
  const reply = await callUpstream(core, channel, request, { timeoutSeconds: SUBMIT_SECONDS });
  const { status, value } = reply;
  if ('failure' in reply) return { failure: reply.failure, status };
  const { longestSeconds } = platform;
  return { answer: { id: platform.idIn(value, request), plan, longestSeconds }, status };
}

const unsent = ({ code, status }: RelayError): UpstreamFailure => ({
  kind: 'http',
  status,
  rawStatus: status,
  error: { message: code },
  retryAfterSeconds: 0,
  isAccountFault: false,
});

/** For the check whether an error only quotes the caller. */
function withoutPictures(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !PICTURE_FIELDS.includes(name)));
}
