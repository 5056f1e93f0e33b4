// The paths of a Midjourney proxy, plain and with a speed before them: /mj/…, /mj-fast/…, /mj-fast/mj/…, /fast/mj/….
import { publicError } from '#server/relay/caller/error-answer.ts';
import { preflight } from '#server/relay/caller/answer-headers.ts';
import type { Incoming } from '#server/relay/caller/incoming.ts';
import { DRAWING_SPEEDS, type DrawingSpeed } from '#contract/drawing.ts';
import { responseOf, type PlainAnswer } from '#server/edge/index.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import {
  connectionOf,
  decode,
  incomingOf,
  pathOf,
  type RelayHandler,
  type RelayRoutes,
} from '#server/relay/entry/handler.ts';
import { submissionAt } from './actions.ts';
import { refusal } from './answers.ts';
import { takeCallback } from './notify.ts';
import type { DrawingParts } from './parts.ts';
import { showPicture } from './picture.ts';
import type { Poller } from './poll.ts';
import { fetchDrawing, listDrawings, seedOfDrawing } from './read.ts';
import { submitDrawing } from './submit.ts';

export function drawingRoutes(parts: DrawingParts, poller: Poller): RelayRoutes {
  const handler = served(parts, (incoming) => answer(parts, poller, incoming));
  const prefixes = ['/mj', ...DRAWING_SPEEDS.flatMap((speed) => [`/mj-${speed}`, `/${speed}/mj`])];
  return Object.fromEntries(prefixes.map((prefix) => [`${prefix}/*`, handler]));
}

function served(
  { core }: DrawingParts,
  answerTo: (incoming: Incoming) => Promise<PlainAnswer>,
): RelayHandler {
  return async (request, server) => {
    if (request.method === 'OPTIONS') return preflight(request);
    server.timeout(request, 0);
    const incoming = incomingOf(core, request, connectionOf(request, server));
    try {
      if (core.isDraining) throw new RelayError('draining', {}, { retryAfterSeconds: 1 });
      return responseOf(await answerTo(incoming));
    } catch (error) {
      return responseOf(refusal(incoming, publicError(core, error, incoming.requestId)));
    }
  };
}

const places = /^\/(?:(?:mj-(fast|relax|turbo)|(fast|relax|turbo))(?=\/))?(?:\/?mj(?=\/))?\/?/;

/** `/mj-fast/mj/submit/imagine` → fast, `submit/imagine`. */
export function placeOf(path: string): { speed: DrawingSpeed | undefined; place: string } {
  const [prefix = '', first, second] = places.exec(path) ?? [];
  const speed = DRAWING_SPEEDS.find((each) => each === (first ?? second));
  return { speed, place: path.slice(prefix.length).replace(/\/$/, '') };
}

type Way = readonly ['GET' | 'POST', (incoming: Incoming) => Promise<PlainAnswer>];

async function answer(parts: DrawingParts, poller: Poller, incoming: Incoming): Promise<PlainAnswer> {
  const path = pathOf(incoming.request);
  const { speed, place } = placeOf(path);
  const { method } = incoming.request;
  const way = wayTo(parts, poller, place, speed);
  if (way === undefined) throw new RelayError('unknown_route', { method, path: path.slice(0, 200) });
  const [wanted, go] = way;
  if (method !== wanted) throw new RelayError('method_not_allowed', { method, path: path.slice(0, 200) });
  return await go(incoming);
}

function wayTo(
  parts: DrawingParts,
  poller: Poller,
  place: string,
  speed: DrawingSpeed | undefined,
): Way | undefined {
  const submission = submissionAt(place);
  if (submission !== undefined)
    return ['POST', (incoming) => submitDrawing(parts, incoming, place, submission, speed)];
  if (place === 'task/list-by-condition') return ['POST', (incoming) => listDrawings(parts, incoming)];
  const [, id, verb] = /^task\/([^/]+)\/(fetch|image-seed)$/.exec(place) ?? [];
  if (id !== undefined) {
    const read = verb === 'fetch' ? fetchDrawing : seedOfDrawing;
    return ['GET', (incoming) => read(parts, incoming, decode(id))];
  }
  const [, noun, rest] = /^(image|notify)\/([^/]+)$/.exec(place) ?? [];
  if (rest === undefined) return undefined;
  if (noun === 'image') return ['GET', (incoming) => showPicture(parts, incoming, decode(rest))];
  return ['POST', (incoming) => takeCallback(parts, poller, incoming, rest)];
}
