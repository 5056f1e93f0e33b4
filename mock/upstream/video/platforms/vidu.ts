import { films, words, type Shape } from '#mock/upstream/video/shape.ts';

export const vidu: Shape = {
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
