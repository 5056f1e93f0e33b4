// The paths of videos: OpenAI's /v1/videos, the family's /v1/video/generations, Kling's own, and callbacks of upstreams.
import { answerHeaders, receiptHeader } from '#server/relay/caller/response.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import { errorAnswer } from '#server/relay/caller/error-answer.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import { decode, withErrors, json, pathOf, type RelayRoutes } from '#server/relay/entry/handler.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { readJson } from '#server/relay/request/read-body.ts';
import { whyUnserved } from '#server/relay/routes/unserved.ts';
import { receiveCallback } from '#server/relay/tasks/callback.ts';
import type { TaskParts } from '#server/relay/tasks/parts.ts';
import type { Poller } from '#server/relay/tasks/poll.ts';
import type { Task } from '#server/relay/tasks/rows.ts';
import type { Running } from '#server/relay/tasks/submit.ts';
import { readVideoBody } from './body.ts';
import { videoContent } from './content.ts';
import { klingAnswers, klingVideo } from './kling-answers.ts';
import { deleteVideo, listVideos, ownVideo } from './read.ts';
import { readVideo } from './request.ts';
import { createVideo, remixVideo, type Answers } from './submit.ts';
import { familyVideo, openAiVideo, videoAddress, videoId } from './view.ts';
import { toldTo } from '#server/relay/tasks/fail-words.ts';

type Handle = (incoming: Incoming) => Promise<Response>;
type Route = readonly ['GET' | 'POST' | 'DELETE', Handle];

/** OpenAI's default. */
const USUAL_MODEL = 'sora-2';

export function videoRoutes(parts: TaskParts, poller: Poller): RelayRoutes {
  const { core } = parts;
  const routed = (routesAt: (path: string) => Route[]) =>
    withErrors(core, (incoming) => answer(routesAt, incoming));
  const openAi = routed((path) => openAiRoutes(parts, poller, path));
  const family = routed((path) => familyRoutes(parts, path));
  const kling = withErrors(
    core,
    (incoming) => answer((path) => klingRoutes(parts, path), incoming),
    klingAnswers.refused,
  );
  const callback = routed((path) => {
    const [, address] = /^\/v1\/video\/notify\/([^/]+)$/.exec(path) ?? [];
    if (address === undefined) return [];
    return [['POST', (incoming) => receiveCallback(parts, poller, incoming, 'video', address)]];
  });
  return {
    '/v1/videos': openAi,
    '/v1/videos/*': openAi,
    '/v1/video/generations': family,
    '/v1/video/generations/*': family,
    '/v1/video/notify/*': callback,
    '/kling/v1/videos/*': kling,
  };
}

async function answer(routesAt: (path: string) => Route[], incoming: Incoming): Promise<Response> {
  const path = pathOf(incoming.request);
  const { method } = incoming.request;
  const found = routesAt(path.replace(/\/$/, ''));
  const reason = whyUnserved(path);
  if (reason !== undefined) throw reason;
  if (found.length === 0) throw new RelayError('unknown_route', { method, path: path.slice(0, 200) });
  const route = found.find(([expected]) => expected === method);
  if (route === undefined) throw new RelayError('method_not_allowed', { method, path: path.slice(0, 200) });
  return await route[1](incoming);
}

async function callerOf({ core }: TaskParts, incoming: Incoming): Promise<Caller> {
  const { request, address } = incoming;
  const caller = await core.authenticator.authenticate(request, address, core.settings.current);
  incoming.caller = caller;
  return caller;
}

/** A video with the receipt of what was changed, for callers who ask for one. */
function created(incoming: Incoming, value: unknown, { record }: Running): Response {
  const { request, requestId } = incoming;
  const headers = answerHeaders(request, requestId, 'application/json');
  if (request.headers.get('x-tollgate-report') !== null) receiptHeader(headers, record);
  return new Response(JSON.stringify(value), { headers });
}

const refused: Answers['refused'] = ({ request, requestId }, error) => errorAnswer(error, request, requestId);

const openAiAnswers: Answers = {
  created: (incoming, task, running) => created(incoming, openAiVideo(task), running),
  refused,
};

const familyAnswers: Answers = {
  created: (incoming, task, running) =>
    created(incoming, { task_id: videoId(task), ...openAiVideo(task) }, running),
  refused,
};

function create(parts: TaskParts, path: string, answers: Answers): Handle {
  return async (incoming) => {
    const caller = await callerOf(parts, incoming);
    const { fields, picture } = await readVideoBody(incoming);
    const request = readVideo(fields, picture);
    const model = request.model === '' ? USUAL_MODEL : request.model;
    return await createVideo(parts, { incoming, caller, path, answers }, fields, { ...request, model });
  };
}

/** One of the caller's videos. */
function reading(parts: TaskParts, id: string, view: (task: Task) => unknown): Handle {
  return async (incoming) => {
    const caller = await callerOf(parts, incoming);
    return json(incoming, view(toldTo(incoming, await ownVideo(parts.core, caller, decode(id)))));
  };
}

function openAiRoutes(parts: TaskParts, poller: Poller, path: string): Route[] {
  const { core } = parts;
  if (path === '/v1/videos')
    return [
      ['POST', create(parts, path, openAiAnswers)],
      [
        'GET',
        async (incoming) => {
          const caller = await callerOf(parts, incoming);
          return json(incoming, await listVideos(core, caller, new URL(incoming.request.url).searchParams));
        },
      ],
    ];
  const [, id, verb] = /^\/v1\/videos\/([^/]+)(?:\/(content|remix))?$/.exec(path) ?? [];
  if (id === undefined) return [];
  if (verb === 'content')
    return [
      [
        'GET',
        async (incoming) => {
          const caller = await callerOf(parts, incoming);
          return await videoContent(parts, incoming, await ownVideo(core, caller, decode(id)));
        },
      ],
    ];
  if (verb === 'remix') return [['POST', remix(parts, decode(id))]];
  return [
    ['GET', reading(parts, id, openAiVideo)],
    [
      'DELETE',
      async (incoming) => {
        const caller = await callerOf(parts, incoming);
        return json(incoming, await deleteVideo(parts, poller, caller, decode(id)));
      },
    ],
  ];
}

function remix(parts: TaskParts, id: string): Handle {
  return async (incoming) => {
    const caller = await callerOf(parts, incoming);
    const { value } = await readJson(incoming);
    const origin = await ownVideo(parts.core, caller, id);
    const creation = { incoming, caller, path: '/v1/videos/{id}/remix', answers: openAiAnswers };
    return await remixVideo(parts, creation, origin, value);
  };
}

function familyRoutes(parts: TaskParts, path: string): Route[] {
  if (path === '/v1/video/generations') return [['POST', create(parts, path, familyAnswers)]];
  const [, id] = /^\/v1\/video\/generations\/([^/]+)$/.exec(path) ?? [];
  const view = (task: Task) => familyVideo(parts, task);
  return id === undefined ? [] : [['GET', reading(parts, id, view)]];
}

function klingRoutes(parts: TaskParts, path: string): Route[] {
  const [, verb, id] = /^\/kling\/v1\/videos\/(text2video|image2video)(?:\/([^/]+))?$/.exec(path) ?? [];
  if (verb === undefined) return [];
  if (id === undefined) return [['POST', create(parts, `/kling/v1/videos/${verb}`, klingAnswers)]];
  return [['GET', reading(parts, id, (task) => klingVideo(videoAddress(parts, task), task))]];
}
