// Runway: text to video and image to video, `ratio` is the size in pixels.
import { listIn, member, textIn } from '#server/models/providers/shared/json.ts';
import {
  dropLastFrame,
  extrasOf,
  idText,
  nearest,
  noteResolution,
  noteSeconds,
  onePicture,
  pictureUrl,
  ratioOf,
  resolutionOf,
} from './mapping.ts';
import type { Plan, VideoPlatform, VideoReport, VideoStatus } from './platform.ts';
import type { Size, VideoRequest } from './request.ts';

const STATUSES: Readonly<Record<string, VideoStatus>> = {
  PENDING: 'QUEUED',
  THROTTLED: 'QUEUED',
  RUNNING: 'IN_PROGRESS',
  SUCCEEDED: 'SUCCESS',
  FAILED: 'FAILURE',
  CANCELLED: 'FAILURE',
};

function plan(video: VideoRequest): Plan {
  const { model, seconds } = video;
  const allowed = model.startsWith('veo') ? [4, 6, 8] : [5, 10];
  return {
    seconds: nearest(seconds ?? allowed[0] ?? 5, allowed),
    resolution: resolutionOf(sizeOf(video)),
  };
}

export const runway: VideoPlatform = {
  name: 'runway',
  longestSeconds: 10,
  plan,
  submission(video, notes) {
    const { seconds, resolution } = plan(video);
    const { width, height } = sizeOf(video);
    noteSeconds(video, seconds, notes);
    noteResolution(video, resolution, notes);
    dropLastFrame(video, notes);
    const picture = onePicture(video, notes);
    return {
      method: 'POST',
      path: picture === undefined ? '/v1/text_to_video' : '/v1/image_to_video',
      json: {
        ...extrasOf(video, ['seed', 'contentModeration', 'audio'], notes),
        model: video.model,
        promptText: video.prompt,
        ratio: `${width}:${height}`,
        duration: seconds,
        ...(picture === undefined ? {} : { promptImage: pictureUrl(picture) }),
      },
    };
  },
  idIn: (answer) => idText(member(answer, 'id')),
  question: (id) => ({ method: 'GET', path: `/v1/tasks/${encodeURIComponent(id)}` }),
  report(answer): VideoReport | undefined {
    const word = textIn(answer, 'status');
    const status = STATUSES[word];
    if (status === undefined) return undefined;
    const [url] = listIn(answer, 'output');
    const progress = member(answer, 'progress');
    return {
      status,
      failReason: textIn(answer, 'failure') || (word === 'CANCELLED' ? 'The task is cancelled' : ''),
      ...(typeof url === 'string' ? { url } : {}),
      ...(typeof progress === 'number' ? { progress: Math.round(progress * 100) } : {}),
    };
  },
  // Cancels a running task and deletes a finished one.
  cancel: (id) => ({ method: 'DELETE', path: `/v1/tasks/${encodeURIComponent(id)}` }),
  remove: (id) => ({ method: 'DELETE', path: `/v1/tasks/${encodeURIComponent(id)}` }),
};

/** What is sent as `ratio`; there is no parameter for the resolution. */
function sizeOf({ size, aspect }: VideoRequest): Size {
  if (size !== undefined) return size;
  const ratio = ratioOf(aspect ?? '16:9');
  if (ratio === 1) return { width: 960, height: 960 };
  return ratio > 1 ? { width: 1280, height: 720 } : { width: 720, height: 1280 };
}
