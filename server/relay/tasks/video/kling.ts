// Kling: text to video and image to video at two paths, a task is asked for at the path that took it.
import { listIn, member, textIn } from '#server/models/providers/shared/json.ts';
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
import type { Plan, VideoPlatform, VideoReport, VideoStatus } from './platform.ts';
import type { VideoRequest } from './request.ts';

const STATUSES: Readonly<Record<string, VideoStatus>> = {
  submitted: 'QUEUED',
  processing: 'IN_PROGRESS',
  succeed: 'SUCCESS',
  failed: 'FAILURE',
};

const PARAMETERS = [
  'negative_prompt',
  'cfg_scale',
  'mode',
  'sound',
  'camera_control',
  'static_mask',
  'dynamic_masks',
  'external_task_id',
  'voice_list',
  'watermark_info',
];

/** Standard mode makes 720p, professional mode 1080p. */
function modeOf({ extras, resolution }: VideoRequest): 'std' | 'pro' {
  if (extras['mode'] === 'pro' || extras['mode'] === 'std') return extras['mode'];
  return resolution === undefined || Number.parseInt(resolution, 10) <= 720 ? 'std' : 'pro';
}

const plan = (video: VideoRequest): Plan => ({
  seconds: nearest(video.seconds ?? 5, [5, 10]),
  resolution: modeOf(video) === 'pro' ? '1080p' : '720p',
});

export const kling: VideoPlatform = {
  name: 'kling',
  longestSeconds: 15,
  plan,
  submission(video, notes) {
    const { seconds, resolution } = plan(video);
    noteSeconds(video, seconds, notes);
    noteResolution(video, resolution, notes);
    const picture = onePicture(video, notes);
    const json: Record<string, unknown> = {
      ...extrasOf(video, PARAMETERS, notes),
      model_name: video.model,
      prompt: video.prompt,
      duration: String(seconds),
      mode: modeOf(video),
    };
    if (video.callbackUrl !== undefined) json['callback_url'] = video.callbackUrl;
    if (picture === undefined) {
      // The shape of a video from a picture is the picture's.
      const aspect = aspectOf(video, ['16:9', '9:16', '1:1'], notes);
      if (aspect !== undefined) json['aspect_ratio'] = aspect;
      return { method: 'POST', path: '/v1/videos/text2video', json };
    }
    json['image'] = pictureText(picture);
    if (video.lastFrame !== undefined) json['image_tail'] = pictureText(video.lastFrame);
    return { method: 'POST', path: '/v1/videos/image2video', json };
  },
  idIn(answer, { path }) {
    const id = idText(member(answer, 'data', 'task_id'));
    return id === '' ? '' : `${path.slice('/v1/videos/'.length)}/${id}`;
  },
  question: (id) => ({ method: 'GET', path: `/v1/videos/${id}` }),
  report(answer): VideoReport | undefined {
    const status = STATUSES[textIn(answer, 'data', 'task_status')];
    if (status === undefined) return undefined;
    const [video] = listIn(answer, 'data', 'task_result', 'videos');
    const seconds = Number(textIn(video, 'duration'));
    return {
      status,
      failReason: textIn(answer, 'data', 'task_status_msg'),
      url: textIn(video, 'url'),
      ...(seconds > 0 ? { seconds } : {}),
    };
  },
};
