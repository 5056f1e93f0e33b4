// How each platform writes the state of a task, and what it calls the states.
import { createHmac, createHash } from 'node:crypto';

export type State = 'queued' | 'running' | 'done' | 'failed' | 'cancelled';

export interface MadeVideo {
  id: string;
  platform: string;
  path: string;
  body: Record<string, unknown>;
  /** The name of an uploaded file; empty without one. */
  upload: string;
  state: State;
  progress: number;
  reason: string;
  /** What the platform says it made. */
  seconds: number;
  lines: number;
  tokens: number;
}

export interface Shape {
  /** Below the server's address. */
  readonly base: string;
  readonly key: string;
  isAuthorized(request: Request, body: string): boolean;
  /** The id and state of what the path asks for; undefined for other paths. */
  asks(method: string, path: string, body: Record<string, unknown>): { verb: Verb; id: string } | undefined;
  accepted(video: MadeVideo): unknown;
  state(video: MadeVideo, origin: string): unknown;
  readonly refusal: (status: number, message: string) => { status: number; body: unknown };
}

export type Verb = 'submit' | 'state' | 'content' | 'cancel' | 'remix' | 'file';

const bearer = (key: string) => (request: Request) =>
  request.headers.get('authorization') === `Bearer ${key}`;
const openAiRefusal = (status: number, message: string) => ({
  status,
  body: { error: { message, type: 'invalid_request_error', code: null } },
});
const films = (origin: string, { id }: MadeVideo): string => `${origin}/films/${encodeURIComponent(id)}.mp4`;

function words(video: MadeVideo, names: Record<State, string>): string {
  return names[video.state];
}

const sora: Shape = {
  base: '/sora',
  key: 'sora-key',
  isAuthorized: bearer('sora-key'),
  asks(method, path) {
    if (method === 'POST' && path === '/v1/videos') return { verb: 'submit', id: '' };
    const [, id, rest] = /^\/v1\/videos\/([^/]+)(?:\/(content|remix))?$/.exec(path) ?? [];
    if (id === undefined) return undefined;
    if (rest === 'content') return { verb: 'content', id };
    if (rest === 'remix') return { verb: 'remix', id };
    return { verb: method === 'DELETE' ? 'cancel' : 'state', id };
  },
  accepted: (video) => sora.state(video, ''),
  state: (video) => ({
    id: video.id,
    object: 'video',
    model: video.body['model'],
    status: words(video, {
      queued: 'queued',
      running: 'in_progress',
      done: 'completed',
      failed: 'failed',
      cancelled: 'failed',
    }),
    progress: video.progress,
    seconds: String(video.seconds),
    size: `${Math.round((video.lines * 16) / 9)}x${video.lines}`,
    error: video.state === 'failed' ? { code: 'moderation_blocked', message: video.reason } : null,
  }),
  refusal: openAiRefusal,
};

const googleState = (video: MadeVideo, response: unknown) => ({
  name: video.id,
  ...(video.state === 'queued' || video.state === 'running' ? {} : { done: true }),
  ...(video.state === 'failed' ? { error: { code: 3, message: video.reason } } : {}),
  ...(video.state === 'done' ? { response } : {}),
});

const gemini: Shape = {
  base: '/gemini',
  key: 'gemini-key',
  isAuthorized: (request) => request.headers.get('x-goog-api-key') === 'gemini-key',
  asks(method, path) {
    if (method === 'POST' && path.endsWith(':predictLongRunning')) return { verb: 'submit', id: '' };
    const [, id] = /^\/v1beta\/(models\/[^/]+\/operations\/[^/]+)$/.exec(path) ?? [];
    if (id !== undefined) return { verb: 'state', id };
    const [, file] = /^\/v1beta\/files\/([^/]+):download\?alt=media$/.exec(path) ?? [];
    return file === undefined ? undefined : { verb: 'content', id: decodeURIComponent(file) };
  },
  accepted: ({ id }) => ({ name: id }),
  state: (video) =>
    googleState(video, {
      generateVideoResponse:
        video.reason === 'filtered'
          ? { raiMediaFilteredCount: 1, raiMediaFilteredReasons: ['Words that are not allowed'] }
          : {
              generatedSamples: [
                {
                  video: {
                    uri: `https://generativelanguage.googleapis.com/v1beta/files/${encodeURIComponent(video.id)}:download?alt=media`,
                  },
                },
              ],
            },
    }),
  refusal: (status, message) => ({ status, body: { error: { code: status, message, status: 'INVALID' } } }),
};

const vertex: Shape = {
  base: '/vertex',
  key: 'vertex-key',
  isAuthorized: (request) => request.headers.get('x-goog-api-key') === 'vertex-key',
  asks(_method, path, body) {
    if (path.endsWith(':predictLongRunning')) return { verb: 'submit', id: '' };
    if (path.endsWith(':fetchPredictOperation')) return { verb: 'state', id: String(body['operationName']) };
    return undefined;
  },
  accepted: ({ id }) => ({ name: id }),
  state: (video) =>
    googleState(video, {
      videos: [{ bytesBase64Encoded: filmBytes(video.id).toString('base64'), mimeType: 'video/mp4' }],
    }),
  refusal: gemini.refusal,
};

const kling: Shape = {
  base: '/kling',
  key: 'kling-access|kling-secret',
  isAuthorized(request) {
    const [header = '', claims = '', signature = ''] = (request.headers.get('authorization') ?? '')
      .replace(/^Bearer /, '')
      .split('.');
    const made = createHmac('sha256', 'kling-secret').update(`${header}.${claims}`).digest('base64url');
    const { iss, exp, nbf } = JSON.parse(Buffer.from(claims, 'base64url').toString() || '{}') as Record<
      string,
      unknown
    >;
    const now = Date.now() / 1000;
    return made === signature && iss === 'kling-access' && Number(exp) > now && Number(nbf) <= now;
  },
  asks(method, path) {
    const [, , id] = /^\/v1\/videos\/(text2video|image2video)(?:\/([^/]+))?$/.exec(path) ?? [];
    if (id !== undefined) return { verb: 'state', id };
    return method === 'POST' && /^\/v1\/videos\/\w+2video$/.test(path)
      ? { verb: 'submit', id: '' }
      : undefined;
  },
  accepted: (video) => ({
    code: 0,
    message: 'SUCCEED',
    data: { task_id: video.id, task_status: 'submitted' },
  }),
  state: (video, origin) => ({
    code: 0,
    message: 'SUCCEED',
    data: {
      task_id: video.id,
      task_status: words(video, {
        queued: 'submitted',
        running: 'processing',
        done: 'succeed',
        failed: 'failed',
        cancelled: 'failed',
      }),
      task_status_msg: video.reason,
      task_result:
        video.state === 'done'
          ? { videos: [{ id: 'v', url: films(origin, video), duration: `${video.seconds}.041` }] }
          : {},
    },
  }),
  refusal: (status, message) => ({ status: 200, body: { code: status === 401 ? 1000 : 1201, message } }),
};

const doubao: Shape = {
  base: '/doubao',
  key: 'doubao-key',
  isAuthorized: bearer('doubao-key'),
  asks(method, path) {
    const [, id] = /^\/api\/v3\/contents\/generations\/tasks(?:\/([^/]+))?$/.exec(path) ?? [];
    if (id !== undefined) return { verb: method === 'DELETE' ? 'cancel' : 'state', id };
    return path === '/api/v3/contents/generations/tasks' ? { verb: 'submit', id: '' } : undefined;
  },
  accepted: ({ id }) => ({ id }),
  state: (video, origin) => ({
    id: video.id,
    status: words(video, {
      queued: 'queued',
      running: 'running',
      done: 'succeeded',
      failed: 'failed',
      cancelled: 'cancelled',
    }),
    error:
      video.state === 'failed'
        ? { code: 'OutputVideoSensitiveContentDetected', message: video.reason }
        : null,
    ...(video.state === 'done'
      ? {
          content: { video_url: films(origin, video) },
          usage: { completion_tokens: video.tokens, total_tokens: video.tokens },
          duration: video.seconds,
          resolution: `${video.lines}p`,
        }
      : {}),
  }),
  refusal: openAiRefusal,
};

const wan: Shape = {
  base: '/wan',
  key: 'wan-key',
  isAuthorized: bearer('wan-key'),
  asks(method, path) {
    if (path === '/api/v1/services/aigc/video-generation/video-synthesis') return { verb: 'submit', id: '' };
    const [, id, rest] = /^\/api\/v1\/tasks\/([^/]+)(\/cancel)?$/.exec(path) ?? [];
    if (id === undefined) return undefined;
    return { verb: rest === undefined ? 'state' : method === 'POST' ? 'cancel' : 'state', id };
  },
  accepted: ({ id }) => ({ output: { task_id: id, task_status: 'PENDING' }, request_id: 'r' }),
  state: (video, origin) => ({
    request_id: 'r',
    output: {
      task_id: video.id,
      task_status: words(video, {
        queued: 'PENDING',
        running: 'RUNNING',
        done: 'SUCCEEDED',
        failed: 'FAILED',
        cancelled: 'CANCELED',
      }),
      ...(video.state === 'done' ? { video_url: films(origin, video) } : {}),
      ...(video.state === 'failed' ? { code: 'DataInspectionFailed', message: video.reason } : {}),
    },
    ...(video.state === 'done'
      ? { usage: { duration: video.seconds, SR: video.lines, video_count: 1 } }
      : {}),
  }),
  refusal: (status, message) => ({ status, body: { code: 'InvalidParameter', message } }),
};

const hailuo: Shape = {
  base: '/hailuo',
  key: 'hailuo-key',
  isAuthorized: bearer('hailuo-key'),
  asks(_method, path) {
    if (path === '/v1/video_generation') return { verb: 'submit', id: '' };
    const [, name, id] = /^\/v1\/(query\/video_generation|files\/retrieve)\?\w+=(.+)$/.exec(path) ?? [];
    if (id === undefined) return undefined;
    return { verb: name === 'files/retrieve' ? 'file' : 'state', id };
  },
  accepted: ({ id }) => ({ task_id: id, base_resp: { status_code: 0, status_msg: 'success' } }),
  state: (video) => ({
    task_id: video.id,
    status: words(video, {
      queued: 'Queueing',
      running: 'Processing',
      done: 'Success',
      failed: 'Fail',
      cancelled: 'Fail',
    }),
    ...(video.state === 'done'
      ? { file_id: video.id, video_height: video.lines, video_width: Math.round((video.lines * 16) / 9) }
      : {}),
    base_resp:
      video.state === 'failed'
        ? { status_code: 1027, status_msg: video.reason }
        : { status_code: 0, status_msg: 'success' },
  }),
  refusal: (_status, message) => ({
    status: 200,
    body: { base_resp: { status_code: 1026, status_msg: message } },
  }),
};

const vidu: Shape = {
  base: '/vidu',
  key: 'vidu-key',
  isAuthorized: (request) => request.headers.get('authorization') === 'Token vidu-key',
  asks(_method, path) {
    const [, id, rest] = /^\/ent\/v2\/tasks\/([^/]+)\/(creations|cancel)$/.exec(path) ?? [];
    if (id !== undefined) return { verb: rest === 'cancel' ? 'cancel' : 'state', id };
    return /^\/ent\/v2\/[\w-]+2video$/.test(path) ? { verb: 'submit', id: '' } : undefined;
  },
  accepted: (video) => ({ task_id: video.id, state: 'created', credits: 4 }),
  state: (video, origin) => ({
    id: video.id,
    state: words(video, {
      queued: 'queueing',
      running: 'processing',
      done: 'success',
      failed: 'failed',
      cancelled: 'failed',
    }),
    err_code: video.reason,
    creations:
      video.state === 'done'
        ? [{ id: 'c', url: films(origin, video), cover_url: `${origin}/cover.png` }]
        : [],
  }),
  refusal: (status, message) => ({ status, body: { code: status, reason: 'Invalid', message } }),
};

/** Written by the rules of the vendor's documents, apart from the gateway's own code. */
function volcengineSignature(request: Request, body: string): string {
  const { host, searchParams } = new URL(request.url);
  const date = request.headers.get('x-date') ?? '';
  const hash = createHash('sha256').update(body).digest('hex');
  const query = [...searchParams]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map((pair) => pair.map(encodeURIComponent).join('='))
    .join('&');
  const path = new URL(request.url).pathname;
  const type = request.headers.get('content-type') ?? '';
  const headers = `content-type:${type}\nhost:${host}\nx-content-sha256:${hash}\nx-date:${date}\n`;
  const names = 'content-type;host;x-content-sha256;x-date';
  const canonical = `${request.method}\n${path}\n${query}\n${headers}\n${names}\n${hash}`;
  const day = date.slice(0, 8);
  const scope = `${day}/cn-north-1/cv/request`;
  const text = `HMAC-SHA256\n${date}\n${scope}\n${createHash('sha256').update(canonical).digest('hex')}`;
  const key = [day, 'cn-north-1', 'cv', 'request'].reduce<Buffer | string>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    'jimeng-secret',
  );
  const signature = createHmac('sha256', key).update(text).digest('hex');
  return `HMAC-SHA256 Credential=jimeng-access/${scope}, SignedHeaders=${names}, Signature=${signature}`;
}

const jimeng: Shape = {
  base: '/jimeng',
  key: 'jimeng-access|jimeng-secret',
  isAuthorized: (request, body) =>
    request.headers.get('authorization') === volcengineSignature(request, body),
  asks(_method, path, body) {
    if (path.includes('Action=CVSync2AsyncSubmitTask')) return { verb: 'submit', id: '' };
    if (!path.includes('Action=CVSync2AsyncGetResult') || body['req_key'] === undefined) return undefined;
    return { verb: 'state', id: String(body['task_id']) };
  },
  accepted: ({ id }) => ({ code: 10_000, data: { task_id: id }, message: 'Success' }),
  state: (video, origin) =>
    video.state === 'failed'
      ? { code: 50_511, data: null, message: video.reason }
      : {
          code: 10_000,
          message: 'Success',
          data: {
            status: words(video, {
              queued: 'in_queue',
              running: 'generating',
              done: 'done',
              failed: 'done',
              cancelled: 'expired',
            }),
            video_url: video.state === 'done' ? films(origin, video) : '',
          },
        },
  refusal: (status, message) => ({ status, body: { code: 50_413, data: null, message } }),
};

const runway: Shape = {
  base: '/runway',
  key: 'runway-key',
  isAuthorized: (request) =>
    request.headers.get('authorization') === 'Bearer runway-key' &&
    request.headers.get('x-runway-version') === '2024-11-06',
  asks(method, path) {
    if (/^\/v1\/(?:text|image)_to_video$/.test(path)) return { verb: 'submit', id: '' };
    const [, id] = /^\/v1\/tasks\/([^/]+)$/.exec(path) ?? [];
    return id === undefined ? undefined : { verb: method === 'DELETE' ? 'cancel' : 'state', id };
  },
  accepted: ({ id }) => ({ id }),
  state: (video, origin) => ({
    id: video.id,
    createdAt: new Date().toISOString(),
    status: words(video, {
      queued: 'THROTTLED',
      running: 'RUNNING',
      done: 'SUCCEEDED',
      failed: 'FAILED',
      cancelled: 'CANCELLED',
    }),
    ...(video.state === 'running' ? { progress: video.progress / 100 } : {}),
    ...(video.state === 'done' ? { output: [films(origin, video)] } : {}),
    ...(video.state === 'failed' ? { failure: video.reason, failureCode: 'SAFETY.INPUT.TEXT' } : {}),
  }),
  refusal: (status, message) => ({ status, body: { error: message } }),
};

export const shapes = { sora, gemini, vertex, kling, doubao, wan, hailuo, vidu, jimeng, runway };
export type PlatformName = keyof typeof shapes;

/** A thousand bytes that differ by id. */
export function filmBytes(id: string): Buffer {
  const seed = createHash('sha256').update(id).digest();
  return Buffer.concat(Array.from({ length: 32 }, () => seed)).subarray(0, 1000);
}
