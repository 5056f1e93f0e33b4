// Mock video platforms on one port, each below its own path: they check keys and signatures, queue, work and finish on command,
// and keep books of what they were asked and what they delivered.
import type { Server } from 'bun';
import { filmBytes, type MadeVideo, type Shape, type Verb } from './shape.ts';
import { shapes, type PlatformName } from './shapes.ts';

export interface VideoServer {
  url: string;
  /** Address and key for a channel. */
  channel(platform: PlatformName): { base_url: string; key: string };
  /** Accepted submissions, in order. */
  readonly submissions: readonly MadeVideo[];
  /** Questions for a state, by id. */
  readonly questions: ReadonlyMap<string, number>;
  /** Requests for bytes: the range that was asked for, and whether a key came with it. */
  readonly deliveries: readonly { id: string; range: string; hasKey: boolean }[];
  /** The next request for bytes is redirected to the public address, or answered with this type. */
  deliverNext(how: { redirects?: boolean; type?: string }): void;
  /** Ids of cancelled or deleted videos. */
  readonly cancelled: readonly string[];
  /** The answer to the next submission instead of accepting it. */
  refuse(platform: PlatformName, status: number, message: string): void;
  /** The next submission is accepted without an id. */
  forgetId(): void;
  /** The next submission is answered after this time. */
  delay(milliseconds: number): void;
  /** Submissions that arrived and are not answered yet. */
  waiting(): number;
  change(id: string, values: Partial<MadeVideo>): void;
  finish(id: string, made?: Partial<Pick<MadeVideo, 'seconds' | 'lines' | 'tokens'>>): void;
  fail(id: string, reason: string): void;
  /** The platform no longer knows the task. */
  lose(id: string): void;
  stop(): Promise<void>;
}

export function startVideos(): VideoServer {
  const videos = new Map<string, MadeVideo>();
  const submissions: MadeVideo[] = [];
  const questions = new Map<string, number>();
  const deliveries: { id: string; range: string; hasKey: boolean }[] = [];
  let next: { redirects?: boolean; type?: string } = {};
  const cancelled: string[] = [];
  const refusals: { platform: PlatformName; status: number; message: string }[] = [];
  let isForgetful = false;
  let delayMilliseconds = 0;
  let waiting = 0;

  const server: Server<undefined> = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    development: false,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const [, film] = /^\/films\/(.+)\.mp4$/.exec(pathname) ?? [];
      if (film !== undefined) return deliver(decodeURIComponent(film), request);
      if (pathname === '/cover.png')
        return new Response('cover', { headers: { 'Content-Type': 'image/png' } });
      const [, name = '', path = ''] = /^\/(\w+)(\/.*)?$/.exec(pathname) ?? [];
      const shape = (shapes as Record<string, Shape | undefined>)[name];
      if (shape === undefined) return new Response(null, { status: 404 });
      return await answer(name as PlatformName, shape, request, path + search);
    },
  });
  const url = `http://127.0.0.1:${server.port}`;

  async function answer(name: PlatformName, shape: Shape, request: Request, path: string): Promise<Response> {
    const { text, body, upload } = await read(request);
    if (!shape.isAuthorized(request, text)) return Response.json({ error: 'wrong key' }, { status: 401 });
    const asked = shape.asks(request.method, path, body);
    if (asked === undefined) return new Response(null, { status: 404 });
    if (asked.verb === 'submit') return await submit(name, shape, { path, body, upload });
    return known(shape, asked.verb, asked.id, request, body);
  }

  async function submit(
    platform: PlatformName,
    shape: Shape,
    { path, body, upload }: Pick<MadeVideo, 'path' | 'body' | 'upload'>,
  ): Promise<Response> {
    waiting += 1;
    await Bun.sleep(delayMilliseconds);
    waiting -= 1;
    const refusal = refusals.findIndex((each) => each.platform === platform);
    const [refused] = refusal < 0 ? [] : refusals.splice(refusal, 1);
    if (refused !== undefined) {
      const { status, body: answered } = shape.refusal(refused.status, refused.message);
      return Response.json(answered, { status });
    }
    const video = made(platform, path, body, upload);
    videos.set(video.id, video);
    submissions.push(video);
    if (!isForgetful) return Response.json(shape.accepted(video));
    isForgetful = false;
    return Response.json(shape.accepted({ ...video, id: '' }));
  }

  function known(
    shape: Shape,
    verb: Exclude<Verb, 'submit'>,
    id: string,
    request: Request,
    body: Record<string, unknown>,
  ): Response {
    const video = videos.get(id);
    if (video === undefined) return Response.json({ error: { message: 'no such task' } }, { status: 404 });
    switch (verb) {
      case 'content':
        return deliver(id, request);
      case 'file':
        return Response.json({
          file: { file_id: id, download_url: `${url}/films/${encodeURIComponent(id)}.mp4` },
          base_resp: { status_code: 0, status_msg: 'success' },
        });
      case 'cancel': {
        if (video.state === 'running')
          return Response.json({ error: { message: 'is running' } }, { status: 409 });
        if (video.state === 'queued') video.state = 'cancelled';
        cancelled.push(id);
        return new Response(null, { status: 204 });
      }
      case 'remix': {
        const remixed = made(video.platform, `/v1/videos/${id}/remix`, { ...video.body, ...body }, '');
        Object.assign(remixed, { seconds: video.seconds, lines: video.lines });
        videos.set(remixed.id, remixed);
        submissions.push(remixed);
        return Response.json(shape.accepted(remixed));
      }
      default:
        questions.set(id, (questions.get(id) ?? 0) + 1);
        return Response.json(shape.state(video, url));
    }
  }

  function deliver(id: string, request: Request): Response {
    const range = request.headers.get('range') ?? '';
    deliveries.push({ id, range, hasKey: request.headers.has('authorization') });
    const { redirects = false, type = 'video/mp4' } = next;
    next = {};
    if (redirects) return Response.redirect(`${url}/films/${encodeURIComponent(id)}.mp4`, 302);
    const bytes = filmBytes(id);
    const headers = { 'Content-Type': type, 'Accept-Ranges': 'bytes' };
    // As nginx answers several ranges.
    if (range.includes(','))
      return new Response('--x--', {
        status: 206,
        headers: { 'Content-Type': 'multipart/byteranges; boundary=x' },
      });
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(range) ?? [];
    if (from === undefined) return new Response(new Uint8Array(bytes), { headers });
    const end = to === '' || to === undefined ? bytes.length : Number(to) + 1;
    if (Number(from) >= bytes.length) return new Response(null, { status: 416 });
    return new Response(new Uint8Array(bytes.subarray(Number(from), end)), {
      status: 206,
      headers: { ...headers, 'Content-Range': `bytes ${from}-${end - 1}/${bytes.length}` },
    });
  }

  function find(id: string): MadeVideo {
    const video = videos.get(id);
    if (video === undefined) throw new Error(`no video ${id}`);
    return video;
  }

  return {
    url,
    channel: (platform) => ({ base_url: url + shapes[platform].base, key: shapes[platform].key }),
    submissions,
    questions,
    deliveries,
    cancelled,
    deliverNext(how) {
      next = how;
    },
    refuse: (platform, status, message) => void refusals.push({ platform, status, message }),
    forgetId() {
      isForgetful = true;
    },
    delay(milliseconds) {
      delayMilliseconds = milliseconds;
    },
    waiting: () => waiting,
    change: (id, values) => void Object.assign(find(id), values),
    finish: (id, values = {}) => void Object.assign(find(id), { state: 'done', progress: 100 }, values),
    fail: (id, reason) => void Object.assign(find(id), { state: 'failed', reason }),
    lose: (id) => void videos.delete(id),
    stop: () => server.stop(true),
  };
}

function made(platform: string, path: string, body: Record<string, unknown>, upload: string): MadeVideo {
  const plain = crypto.randomUUID();
  const [, model = 'veo'] = /\/models\/([^/:]+):/.exec(path) ?? [];
  const ids: Record<string, string> = {
    gemini: `models/${model}/operations/${plain}`,
    vertex: `projects/p/locations/global/publishers/google/models/${model}/operations/${plain}`,
    sora: `video_${plain}`,
    hailuo: String(BigInt(`0x${plain.replaceAll('-', '').slice(0, 14)}`)),
  };
  const id = ids[platform] ?? plain;
  const seconds = Number(body['seconds'] ?? body['duration'] ?? (platform === 'sora' ? 4 : 5));
  return {
    id,
    platform,
    path,
    body,
    upload,
    state: 'queued',
    progress: 0,
    reason: '',
    seconds,
    lines: 720,
    tokens: 108_000,
  };
}

async function read(
  request: Request,
): Promise<{ text: string; body: Record<string, unknown>; upload: string }> {
  if (request.headers.get('content-type')?.startsWith('multipart/') === true) {
    const form = await request.formData();
    const body: Record<string, unknown> = {};
    let upload = '';
    form.forEach((value, name) => {
      if (typeof value === 'string') body[name] = value;
      else upload = `${name} ${value.type} ${value.size}`;
    });
    return { text: '', body, upload };
  }
  const text = await request.text();
  return { text, body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>), upload: '' };
}
