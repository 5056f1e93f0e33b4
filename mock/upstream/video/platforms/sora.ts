import { bearer, openAiRefusal, words, type Shape } from '#mock/upstream/video/shape.ts';

export const sora: Shape = {
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
