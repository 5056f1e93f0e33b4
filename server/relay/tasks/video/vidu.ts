// Vidu: text, a picture, first and last frame, or several pictures, each at its own path.
import { listIn, member, textIn } from '#server/models/providers/shared/json.ts';
import { aspectOf, extrasOf, idText, nearest, noteResolution, pictureUrl } from './mapping.ts';
import type { Plan, VideoPlatform, VideoReport, VideoStatus } from './platform.ts';
import type { VideoRequest } from './request.ts';

const STATUSES: Readonly<Record<string, VideoStatus>> = {
  created: 'QUEUED',
  queueing: 'QUEUED',
  processing: 'IN_PROGRESS',
  success: 'SUCCESS',
  failed: 'FAILURE',
};

const PARAMETERS = [
  'seed',
  'style',
  'movement_amplitude',
  'bgm',
  'payload',
  'off_peak',
  'watermark',
  'wm_position',
  'wm_url',
  'audio',
  'voice_id',
  'is_rec',
];

function plan({ seconds, resolution }: VideoRequest): Plan {
  const lines = nearest(Number.parseInt(resolution ?? '720', 10), [360, 540, 720, 1080]);
  return { seconds: seconds ?? 5, resolution: `${lines}p` };
}

export const vidu: VideoPlatform = {
  name: 'vidu',
  longestSeconds: 16,
  plan,
  submission(video, notes) {
    const { seconds, resolution } = plan(video);
    noteResolution(video, resolution, notes);
    const { pictures, lastFrame } = video;
    const path = pathFor(pictures.length, lastFrame !== undefined);
    // The shape of a video from a picture is the picture's.
    const aspect =
      path === 'img2video' || path === 'start-end2video'
        ? undefined
        : aspectOf(video, ['16:9', '9:16', '1:1', '4:3', '3:4'], notes);
    const images = [...pictures, ...(lastFrame === undefined ? [] : [lastFrame])].map(pictureUrl);
    return {
      method: 'POST',
      path: `/ent/v2/${path}`,
      json: {
        ...extrasOf(video, PARAMETERS, notes),
        model: video.model,
        prompt: video.prompt,
        duration: seconds,
        resolution,
        ...(images.length === 0 ? {} : { images }),
        ...(aspect === undefined ? {} : { aspect_ratio: aspect }),
        ...(video.callbackUrl === undefined ? {} : { callback_url: video.callbackUrl }),
      },
    };
  },
  idIn: (answer) => idText(member(answer, 'task_id')),
  question: (id) => ({ method: 'GET', path: `/ent/v2/tasks/${encodeURIComponent(id)}/creations` }),
  report(answer): VideoReport | undefined {
    const status = STATUSES[textIn(answer, 'state')];
    if (status === undefined) return undefined;
    const [creation] = listIn(answer, 'creations');
    return {
      status,
      failReason: textIn(answer, 'err_code'),
      url: textIn(creation, 'url'),
      imageUrl: textIn(creation, 'cover_url'),
    };
  },
  cancel: (id) => ({ method: 'POST', path: `/ent/v2/tasks/${encodeURIComponent(id)}/cancel`, json: { id } }),
};

function pathFor(pictures: number, hasLastFrame: boolean): string {
  if (pictures === 0) return 'text2video';
  if (hasLastFrame && pictures === 1) return 'start-end2video';
  return pictures === 1 ? 'img2video' : 'reference2video';
}
