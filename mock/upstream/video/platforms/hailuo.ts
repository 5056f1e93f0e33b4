import { bearer, words, type Shape } from '#mock/upstream/video/shape.ts';

export const hailuo: Shape = {
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
