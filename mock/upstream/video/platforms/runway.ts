import { films, words, type Shape } from '#mock/upstream/video/shape.ts';

export const runway: Shape = {
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
