import { bearer, films, words, type Shape } from '#mock/upstream/video/shape.ts';

export const wan: Shape = {
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
