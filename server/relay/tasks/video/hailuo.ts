// MiniMax's Hailuo: the finished video is a file, whose address expires and is asked for when somebody reads it.
import { countIn, member, textIn } from '#server/models/providers/shared/json.ts';
import { extrasOf, idText, nearest, noteResolution, noteSeconds, onePicture, pictureUrl } from './mapping.ts';
import type { Plan, VideoPlatform, VideoReport, VideoStatus } from './platform.ts';
import type { VideoRequest } from './request.ts';

const STATUSES: Readonly<Record<string, VideoStatus>> = {
  Preparing: 'QUEUED',
  Queueing: 'QUEUED',
  Processing: 'IN_PROGRESS',
  Success: 'SUCCESS',
  Fail: 'FAILURE',
};

/** The first models have one length and one resolution. */
const isFirst = (model: string): boolean => /^(?:[TIS]2V-01|video-01)/.test(model);

function plan({ model, seconds, resolution }: VideoRequest): Plan {
  if (isFirst(model)) return { seconds: 6, resolution: '720p' };
  const lines = nearest(Number.parseInt(resolution ?? '768', 10), [512, 768, 1080]);
  // 1080p has 6 seconds only.
  return { seconds: lines === 1080 ? 6 : nearest(seconds ?? 6, [6, 10]), resolution: `${lines}p` };
}

export const hailuo: VideoPlatform = {
  name: 'hailuo',
  longestSeconds: 10,
  plan,
  submission(video, notes) {
    const { seconds, resolution } = plan(video);
    noteSeconds(video, seconds, notes);
    noteResolution(video, resolution, notes);
    const picture = onePicture(video, notes);
    if (video.aspect !== undefined && video.size === undefined)
      notes.push({ field: 'aspect_ratio', what: 'dropped', detail: 'the platform has no such parameter' });
    return {
      method: 'POST',
      path: '/v1/video_generation',
      json: {
        ...extrasOf(
          video,
          ['prompt_optimizer', 'fast_pretreatment', 'aigc_watermark', 'subject_reference'],
          notes,
        ),
        model: video.model,
        prompt: video.prompt,
        ...(isFirst(video.model) ? {} : { duration: seconds, resolution: resolution.toUpperCase() }),
        ...(picture === undefined ? {} : { first_frame_image: pictureUrl(picture) }),
        ...(video.lastFrame === undefined ? {} : { last_frame_image: pictureUrl(video.lastFrame) }),
      },
    };
  },
  idIn: (answer) => idText(member(answer, 'task_id')),
  question: (id) => ({ method: 'GET', path: `/v1/query/video_generation?task_id=${encodeURIComponent(id)}` }),
  report(answer): VideoReport | undefined {
    const status = STATUSES[textIn(answer, 'status')];
    if (status === undefined) return undefined;
    const lines = Math.min(countIn(answer, 'video_width'), countIn(answer, 'video_height'));
    const file = idText(member(answer, 'file_id'));
    if (status === 'SUCCESS' && file === '') return undefined;
    return {
      status,
      failReason: textIn(answer, 'base_resp', 'status_msg'),
      // Pictures of odd shapes give odd lines.
      ...(lines > 0 ? { resolution: `${nearest(lines, [512, 720, 768, 1080])}p` } : {}),
      ...(file === '' ? {} : { file }),
    };
  },
  contentAt: (_id, _variant, file) => ({
    method: 'GET',
    path: `/v1/files/retrieve?file_id=${encodeURIComponent(file)}`,
  }),
  contentIn: (answer) => ({ url: textIn(answer, 'file', 'download_url') }),
};
