// Jimeng at Volcengine's visual API: one address, the action in the query, the model as `req_key` of every request.
import { member, textIn } from '#server/models/providers/shared/json.ts';
import {
  aspectOf,
  dropLastFrame,
  extrasOf,
  idText,
  nearest,
  noteResolution,
  noteSeconds,
} from './mapping.ts';
import type { Plan, UpstreamRequest, VideoPlatform, VideoReport, VideoStatus } from './platform.ts';
import { pictureText } from './mapping.ts';
import type { VideoRequest } from './request.ts';

const STATUSES: Readonly<Record<string, VideoStatus>> = {
  in_queue: 'QUEUED',
  generating: 'IN_PROGRESS',
  done: 'SUCCESS',
  expired: 'FAILURE',
};

const FRAMES_PER_SECOND = 24;
const ACCEPTED = 10_000;
/** The text or picture that was sent, or the result, did not pass the moderation. */
const MODERATED = new Set([50_411, 50_412, 50_413, 50_511, 50_512, 50_514, 50_516, 50_517, 50_518, 50_519]);

function plan({ model, seconds }: VideoRequest): Plan {
  return {
    seconds: nearest(seconds ?? 5, [5, 10]),
    resolution: model.includes('1080') || model.includes('pro') ? '1080p' : '720p',
  };
}

const request = (action: string, json: Record<string, unknown>): UpstreamRequest => ({
  method: 'POST',
  path: `/?Action=${action}&Version=2022-08-31`,
  json,
});

export const jimeng: VideoPlatform = {
  name: 'jimeng',
  longestSeconds: 10,
  plan,
  submission(video, notes) {
    const { seconds, resolution } = plan(video);
    noteSeconds(video, seconds, notes);
    noteResolution(video, resolution, notes);
    dropLastFrame(video, notes);
    const aspect = aspectOf(video, ['16:9', '9:16', '1:1', '4:3', '3:4', '21:9'], notes);
    const { pictures } = video;
    const addresses = pictures.flatMap((picture) => ('url' in picture ? [picture.url] : []));
    const data = pictures.flatMap((picture) => ('url' in picture ? [] : [pictureText(picture)]));
    return request('CVSync2AsyncSubmitTask', {
      ...extrasOf(video, ['seed', 'template_id', 'camera_strength'], notes),
      req_key: video.model,
      prompt: video.prompt,
      frames: seconds * FRAMES_PER_SECOND + 1,
      ...(aspect === undefined ? {} : { aspect_ratio: aspect }),
      ...(addresses.length === 0 ? {} : { image_urls: addresses }),
      ...(data.length === 0 ? {} : { binary_data_base64: data }),
    });
  },
  idIn(answer, { json }) {
    const id = idText(member(answer, 'data', 'task_id'));
    return id === '' ? '' : `${textIn(json, 'req_key')}/${id}`;
  },
  question(id) {
    const [model = '', task = ''] = id.split('/');
    return request('CVSync2AsyncGetResult', { req_key: model, task_id: task });
  },
  report(answer): VideoReport | undefined {
    const code = member(answer, 'code');
    const data = member(answer, 'data');
    if (typeof code !== 'number') return undefined;
    const word = textIn(data, 'status');
    if (word === 'not_found') return { status: 'IN_PROGRESS', isLost: true };
    // Other codes are about the question, such as too many at once: the task may go on.
    if (code !== ACCEPTED)
      return MODERATED.has(code) ? { status: 'FAILURE', failReason: textIn(answer, 'message') } : undefined;
    const status = STATUSES[word];
    if (status === undefined) return undefined;
    const url = textIn(data, 'video_url');
    if (status === 'SUCCESS' && url === '')
      return { status: 'FAILURE', failReason: 'The upstream returned no video' };
    return { status, url, failReason: word === 'expired' ? 'The task is expired' : '' };
  },
};
