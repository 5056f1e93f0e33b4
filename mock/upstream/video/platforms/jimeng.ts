import { createHash, createHmac } from 'node:crypto';
import { films, words, type Shape } from '#mock/upstream/video/shape.ts';

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

export const jimeng: Shape = {
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
