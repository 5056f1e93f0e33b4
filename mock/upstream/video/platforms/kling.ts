import { createHmac } from 'node:crypto';
import { films, words, type Shape } from '#mock/upstream/video/shape.ts';

export const kling: Shape = {
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
