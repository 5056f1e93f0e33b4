// Wan at Alibaba's DashScope: a task of its asynchronous API.
import { countIn, member, textIn } from '#server/models/providers/shared/json.ts';
import {
  dropLastFrame,
  extrasOf,
  idText,
  nearest,
  noteResolution,
  onePicture,
  pictureUrl,
  ratioOf,
  resolutionOf,
} from './mapping.ts';
import type { Plan, VideoPlatform, VideoReport, VideoStatus } from './platform.ts';
import type { VideoRequest } from './request.ts';

const STATUSES: Readonly<Record<string, VideoStatus>> = {
  PENDING: 'QUEUED',
  RUNNING: 'IN_PROGRESS',
  SUCCEEDED: 'SUCCESS',
  FAILED: 'FAILURE',
  CANCELED: 'FAILURE',
};

const INPUTS = ['negative_prompt', 'audio_url', 'template'];
const PARAMETERS = ['prompt_extend', 'watermark', 'seed', 'audio', 'shot_type'];

/** Wide sizes by lines, besides 720p; the tall ones are the same turned. */
const SIZES: Readonly<Record<string, readonly [number, number]>> = {
  '480p': [832, 480],
  '1080p': [1920, 1080],
};

/** Without a picture the size is sent, with one the resolution. */
function plan({ seconds, size, resolution, pictures }: VideoRequest): Plan {
  const made = size === undefined || pictures.length > 0 ? resolution : resolutionOf(size);
  const lines = nearest(Number.parseInt(made ?? '720', 10), [480, 720, 1080]);
  return { seconds: seconds ?? 5, resolution: `${lines}p` };
}

export const wan: VideoPlatform = {
  name: 'wan',
  longestSeconds: 15,
  plan,
  submission(video, notes) {
    const { seconds, resolution } = plan(video);
    noteResolution(video, resolution, notes);
    dropLastFrame(video, notes);
    const picture = onePicture(video, notes);
    const extras = extrasOf(video, [...INPUTS, ...PARAMETERS], notes);
    const chosen = (names: readonly string[]) =>
      Object.fromEntries(Object.entries(extras).filter(([name]) => names.includes(name)));
    return {
      method: 'POST',
      path: '/api/v1/services/aigc/video-generation/video-synthesis',
      headers: { 'X-DashScope-Async': 'enable' },
      json: {
        model: video.model,
        input: {
          ...chosen(INPUTS),
          prompt: video.prompt,
          ...(picture === undefined ? {} : { img_url: pictureUrl(picture) }),
        },
        parameters: {
          ...chosen(PARAMETERS),
          duration: seconds,
          ...(picture === undefined
            ? { size: sizeText(video, resolution) }
            : { resolution: resolution.toUpperCase() }),
        },
      },
    };
  },
  idIn: (answer) => idText(member(answer, 'output', 'task_id')),
  question: (id) => ({ method: 'GET', path: `/api/v1/tasks/${encodeURIComponent(id)}` }),
  report(answer): VideoReport | undefined {
    const word = textIn(answer, 'output', 'task_status');
    if (word === 'UNKNOWN') return { status: 'IN_PROGRESS', isLost: true };
    const status = STATUSES[word];
    if (status === undefined) return undefined;
    const seconds = countIn(answer, 'usage', 'duration') || countIn(answer, 'usage', 'video_duration');
    const lines = countIn(answer, 'usage', 'SR');
    return {
      status,
      failReason: textIn(answer, 'output', 'message') || (word === 'CANCELED' ? 'The task is cancelled' : ''),
      url: textIn(answer, 'output', 'video_url'),
      ...(seconds > 0 ? { seconds } : {}),
      ...(lines > 0 ? { resolution: `${lines}p` } : {}),
    };
  },
  cancel: (id) => ({ method: 'POST', path: `/api/v1/tasks/${encodeURIComponent(id)}/cancel`, json: {} }),
};

function sizeText({ size, aspect }: VideoRequest, resolution: string): string {
  if (size !== undefined) return `${size.width}*${size.height}`;
  const [long, short] = SIZES[resolution] ?? [1280, 720];
  return aspect === undefined || ratioOf(aspect) >= 1 ? `${long}*${short}` : `${short}*${long}`;
}
