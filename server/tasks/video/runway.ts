// Runway: text to video and image to video, `ratio` is the size in pixels.
import { listIn, member, textIn } from '#server/providers/shared/json.ts';
import { dropLastFrame, extrasOf, idText, nearest, noteSeconds, onePicture, pictureUrl } from './mapping.ts';
import type { Plan, VideoPlatform, VideoReport, VideoStatus } from './platform.ts';
import type { VideoRequest } from './request.ts';

const statuses: Readonly<Record<string, VideoStatus>> = {
  PENDING: 'QUEUED',
  THROTTLED: 'QUEUED',
  RUNNING: 'IN_PROGRESS',
  SUCCEEDED: 'SUCCESS',
  FAILED: 'FAILURE',
  CANCELLED: 'FAILURE',
};

function plan({ model, seconds, resolution }: VideoRequest): Plan {
  const allowed = model.startsWith('veo') ? [4, 6, 8] : [5, 10];
  return { seconds: nearest(seconds ?? allowed[0] ?? 5, allowed), resolution: resolution ?? '720p' };
}

export const runway: VideoPlatform = {
  name: 'runway',
  plan,
  submission(video, notes) {
    const { seconds } = plan(video);
    noteSeconds(video, seconds, notes);
    dropLastFrame(video, notes);
    const picture = onePicture(video, notes);
    return {
      method: 'POST',
      path: picture === undefined ? '/v1/text_to_video' : '/v1/image_to_video',
      json: {
        ...extrasOf(video, ['seed', 'contentModeration', 'audio'], notes),
        model: video.model,
        promptText: video.prompt,
        ratio: ratioOf(video),
        duration: seconds,
        ...(picture === undefined ? {} : { promptImage: pictureUrl(picture) }),
      },
    };
  },
  idIn: (answer) => idText(member(answer, 'id')),
  question: (id) => ({ method: 'GET', path: `/v1/tasks/${encodeURIComponent(id)}` }),
  report(answer): VideoReport | undefined {
    const word = textIn(answer, 'status');
    const status = statuses[word];
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

function ratioOf({ size, aspect }: VideoRequest): string {
  if (size !== undefined) return `${size.width}:${size.height}`;
  const [width = 16, height = 9] = (aspect ?? '16:9').split(':').map(Number);
  if (width === height) return '960:960';
  return width > height ? '1280:720' : '720:1280';
}
