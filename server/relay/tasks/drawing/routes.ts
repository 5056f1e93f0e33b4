// The paths of a Midjourney proxy, plain and with a speed before them: /mj/…, /mj-fast/…, /mj-fast/mj/…, /fast/mj/….
import type { Incoming } from '#server/relay/caller/incoming.ts';
import { DRAWING_SPEEDS, type DrawingSpeed } from '#contract/relay/drawing.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { decode, withErrors, pathOf, type RelayRoutes } from '#server/relay/entry/handler.ts';
import { submissionAt } from './actions.ts';
import { refusal } from './answers.ts';
import { receiveCallback } from './notify.ts';
import { showPicture } from './picture.ts';
import type { TaskParts } from '#server/relay/tasks/parts.ts';
import type { Poller } from '#server/relay/tasks/poll.ts';
import { fetchDrawing, listDrawings, seedOfDrawing } from './read.ts';
import { submitDrawing } from './submit.ts';

export function drawingRoutes(parts: TaskParts, poller: Poller): RelayRoutes {
  const { core } = parts;
  const handler = withErrors(core, (incoming) => answer(parts, poller, incoming), refusal);
  const prefixes = ['/mj', ...DRAWING_SPEEDS.flatMap((speed) => [`/mj-${speed}`, `/${speed}/mj`])];
  return Object.fromEntries(prefixes.map((prefix) => [`${prefix}/*`, handler]));
}

const PATH_PREFIX = /^\/(?:(?:mj-(fast|relax|turbo)|(fast|relax|turbo))(?=\/))?(?:\/?mj(?=\/))?\/?/;

/** `/mj-fast/mj/submit/imagine` → fast, `submit/imagine`. */
export function splitPath(path: string): { speed: DrawingSpeed | undefined; subPath: string } {
  const [prefix = '', first, second] = PATH_PREFIX.exec(path) ?? [];
  const speed = DRAWING_SPEEDS.find((each) => each === (first ?? second));
  return { speed, subPath: path.slice(prefix.length).replace(/\/$/, '') };
}

type Route = readonly ['GET' | 'POST', (incoming: Incoming) => Promise<Response>];

async function answer(parts: TaskParts, poller: Poller, incoming: Incoming): Promise<Response> {
  const path = pathOf(incoming.request);
  const { speed, subPath } = splitPath(path);
  const { method } = incoming.request;
  const route = routeOf(parts, poller, subPath, speed);
  if (route === undefined) throw new RelayError('unknown_route', { method, path: path.slice(0, 200) });
  const [expected, handle] = route;
  if (method !== expected) throw new RelayError('method_not_allowed', { method, path: path.slice(0, 200) });
  return await handle(incoming);
}

function routeOf(
  parts: TaskParts,
  poller: Poller,
  subPath: string,
  speed: DrawingSpeed | undefined,
): Route | undefined {
  const submission = submissionAt(subPath);
  if (submission !== undefined)
    return ['POST', (incoming) => submitDrawing(parts, incoming, subPath, submission, speed)];
  if (subPath === 'task/list-by-condition') return ['POST', (incoming) => listDrawings(parts, incoming)];
  const [, id, verb] = /^task\/([^/]+)\/(fetch|image-seed)$/.exec(subPath) ?? [];
  if (id !== undefined) {
    const read = verb === 'fetch' ? fetchDrawing : seedOfDrawing;
    return ['GET', (incoming) => read(parts, incoming, decode(id))];
  }
  const [, noun, rest] = /^(image|notify)\/([^/]+)$/.exec(subPath) ?? [];
  if (rest === undefined) return undefined;
  if (noun === 'image') return ['GET', (incoming) => showPicture(parts, incoming, decode(rest))];
  return ['POST', (incoming) => receiveCallback(parts, poller, incoming, rest)];
}
