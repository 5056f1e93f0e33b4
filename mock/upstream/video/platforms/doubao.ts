import { bearer, films, openAiRefusal, words, type Shape } from '#mock/upstream/video/shape.ts';

export const doubao: Shape = {
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
