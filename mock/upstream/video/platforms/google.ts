import { filmBytes, type MadeVideo, type Shape } from '#mock/upstream/video/shape.ts';

const googleState = (video: MadeVideo, response: unknown) => ({
  name: video.id,
  ...(video.state === 'queued' || video.state === 'running' ? {} : { done: true }),
  ...(video.state === 'failed' ? { error: { code: 3, message: video.reason } } : {}),
  ...(video.state === 'done' ? { response } : {}),
});

export const gemini: Shape = {
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

export const vertex: Shape = {
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
