// Google's Veo at the Gemini API and at Vertex AI: the same request, asked for in two ways.
import { isObject, listIn, member, textIn } from '#server/models/providers/shared/json.ts';
import {
  aspectOf,
  extrasOf,
  idText,
  nearest,
  noteResolution,
  noteSeconds,
  onePicture,
  pictureText,
} from './mapping.ts';
import type { Plan, UpstreamRequest, VideoPlatform, VideoReport } from './platform.ts';
import type { Picture, VideoRequest } from './request.ts';

const PARAMETERS = [
  'negativePrompt',
  'personGeneration',
  'seed',
  'enhancePrompt',
  'generateAudio',
  'compressionQuality',
  'resizeMode',
];

/** Veo 2 makes 5 to 8 seconds, later ones 4, 6 or 8; 1080p and 4K have 8. */
function plan({ model, seconds, resolution }: VideoRequest): Plan {
  const lines = nearest(
    Number.parseInt(resolution ?? '720', 10),
    model.includes('veo-2') ? [720] : [720, 1080, 2160],
  );
  const allowed = model.includes('veo-2') ? [5, 6, 7, 8] : lines > 720 ? [8] : [4, 6, 8];
  return { seconds: nearest(seconds ?? 8, allowed), resolution: `${lines}p` };
}

function submission(video: VideoRequest, notes: Parameters<VideoPlatform['submission']>[1]): UpstreamRequest {
  const { seconds, resolution } = plan(video);
  noteSeconds(video, seconds, notes);
  noteResolution(video, resolution, notes);
  const picture = onePicture(video, notes);
  const aspect = aspectOf(video, ['16:9', '9:16'], notes);
  const instance = {
    prompt: video.prompt,
    ...(picture === undefined ? {} : { image: inline(picture) }),
    ...(video.lastFrame === undefined ? {} : { lastFrame: inline(video.lastFrame) }),
  };
  return {
    method: 'POST',
    path: ':predictLongRunning',
    model: video.model,
    json: {
      instances: [instance],
      parameters: {
        ...extrasOf(video, PARAMETERS, notes),
        // More than one would be charged as one.
        sampleCount: 1,
        durationSeconds: seconds,
        ...(aspect === undefined ? {} : { aspectRatio: aspect }),
        // Veo 2 has no such parameter.
        ...(video.model.includes('veo-2') ? {} : { resolution: resolution === '2160p' ? '4k' : resolution }),
      },
    },
  };
}

const inline = (picture: Picture) =>
  'url' in picture
    ? { gcsUri: picture.url }
    : { bytesBase64Encoded: pictureText(picture), mimeType: picture.type };

/** An operation is running, has failed, or has a response; a filtered video is a response without videos. */
function report(answer: unknown): VideoReport | undefined {
  if (idText(member(answer, 'name')) === '') return undefined;
  if (member(answer, 'done') !== true) return { status: 'IN_PROGRESS' };
  const error = member(answer, 'error');
  if (isObject(error)) return { status: 'FAILURE', failReason: textIn(error, 'message') };
  const response = member(answer, 'response');
  const gemini = member(response, 'generateVideoResponse');
  const url = textIn(listIn(gemini, 'generatedSamples')[0], 'video', 'uri');
  const [vertexVideo] = listIn(response, 'videos');
  if (url !== '') return { status: 'SUCCESS', file: pathBelowVersion(url) };
  if (vertexVideo !== undefined) return { status: 'SUCCESS' };
  const [filtered] = listIn(gemini ?? response, 'raiMediaFilteredReasons');
  const failReason = typeof filtered === 'string' ? filtered : 'The upstream returned no video';
  return { status: 'FAILURE', failReason };
}

/** The address needs the channel's key, so only the path is kept: it is read below the channel's own address. */
function pathBelowVersion(address: string): string {
  const url = URL.parse(address);
  return url === null ? '' : url.pathname.replace(/^\/v\d\w*(?=\/)/, '') + url.search;
}

const shared = {
  takesPictureData: true,
  longestSeconds: 8,
  plan,
  submission,
  idIn: (answer: unknown) => idText(member(answer, 'name')),
  report,
} as const;

export const veoAtGemini: VideoPlatform = {
  ...shared,
  name: 'veo',
  question: (id) => ({ method: 'GET', path: `/${id}` }),
  contentAt: (_id, _variant, file) => ({ method: 'GET', path: file }),
};

const fetchOperation = (id: string): UpstreamRequest => ({
  method: 'POST',
  path: ':fetchPredictOperation',
  model: /\/models\/([^/]+)\/operations\//.exec(id)?.[1] ?? '',
  json: { operationName: id },
});

/** Vertex sends the bytes inside the operation, so the content is asked for when somebody reads it. */
export const veoAtVertex: VideoPlatform = {
  ...shared,
  name: 'veo-vertex',
  question: fetchOperation,
  contentAt: fetchOperation,
  contentIn(answer) {
    const [video] = listIn(answer, 'response', 'videos');
    const base64 = textIn(video, 'bytesBase64Encoded');
    return base64 === '' ? undefined : { base64, type: textIn(video, 'mimeType') || 'video/mp4' };
  },
};
