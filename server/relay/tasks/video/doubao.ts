// Doubao's Seedance at Volcengine Ark. Sold by tokens, which its report contains.
import type { ConversionNote } from '#server/models/formats/canonical.ts';
import { countIn, member, textIn } from '#server/models/providers/shared/json.ts';
import { aspectOf, extrasOf, idText, nearest, noteResolution, pictureUrl } from './mapping.ts';
import type { Plan, VideoPlatform, VideoReport, VideoStatus } from './platform.ts';
import type { VideoRequest } from './request.ts';

const STATUSES: Readonly<Record<string, VideoStatus>> = {
  queued: 'QUEUED',
  running: 'IN_PROGRESS',
  succeeded: 'SUCCESS',
  failed: 'FAILURE',
  cancelled: 'FAILURE',
  expired: 'FAILURE',
};

const PARAMETERS = [
  'ratio',
  'seed',
  'camera_fixed',
  'watermark',
  'generate_audio',
  'return_last_frame',
  'service_tier',
  'execution_expires_after',
  'safety_identifier',
  'draft',
];

/** Commands in the prompt, such as `--dur 12`, that change what a video costs. They become parameters, or go. */
const COMMANDS = /(?:^|\s)--(duration|dur|resolution|rs|ratio|rt|framepersecond|fps|frames)\s+(\S+)/gi;

function withoutCommands(video: VideoRequest, notes: ConversionNote[] = []): VideoRequest {
  let { seconds, resolution, aspect } = video;
  const prompt = video.prompt.replaceAll(COMMANDS, (_all, name: string, value: string) => {
    const first = name.toLowerCase().slice(0, 2);
    if (first === 'du' && /^[1-9]\d{0,2}$/.test(value)) seconds ??= Number(value);
    else if (['rs', 're'].includes(first) && /^\d{3,4}p$/i.test(value)) resolution ??= value.toLowerCase();
    else if (['rt', 'ra'].includes(first) && /^\d{1,2}:\d{1,2}$/.test(value)) aspect ??= value;
    else
      notes.push({
        field: `--${name}`,
        what: 'dropped',
        detail: 'the prompt may set duration, resolution and ratio',
      });
    return '';
  });
  return { ...video, prompt: prompt.trim(), seconds, resolution, aspect };
}

function plan(given: VideoRequest): Plan {
  const { model, seconds, resolution } = withoutCommands(given);
  const usual = model.includes('1-0-pro') ? 1080 : 720;
  const lines = nearest(Number.parseInt(resolution ?? String(usual), 10), [480, 720, 1080]);
  return { seconds: seconds ?? 5, resolution: `${lines}p` };
}

export const doubao: VideoPlatform = {
  name: 'doubao',
  longestSeconds: 15,
  plan,
  submission(given, notes) {
    const video = withoutCommands(given, notes);
    const { seconds, resolution } = plan(video);
    noteResolution(video, resolution, notes);
    const { pictures, lastFrame } = video;
    const roles = pictures.length > 1 ? 'reference_image' : 'first_frame';
    const aspect = aspectOf(video, ['16:9', '9:16', '1:1', '4:3', '3:4', '21:9'], notes);
    const content = [
      ...(video.prompt === '' ? [] : [{ type: 'text', text: video.prompt }]),
      ...pictures.map((picture) => ({
        type: 'image_url',
        image_url: { url: pictureUrl(picture) },
        role: roles,
      })),
      ...(lastFrame === undefined
        ? []
        : [{ type: 'image_url', image_url: { url: pictureUrl(lastFrame) }, role: 'last_frame' }]),
    ];
    return {
      method: 'POST',
      path: '/v1/contents/generations/tasks',
      json: {
        ...extrasOf(video, PARAMETERS, notes),
        model: video.model,
        content,
        resolution,
        duration: seconds,
        ...(aspect === undefined ? {} : { ratio: aspect }),
        ...(video.callbackUrl === undefined ? {} : { callback_url: video.callbackUrl }),
      },
    };
  },
  idIn: (answer) => idText(member(answer, 'id')),
  question: (id) => ({ method: 'GET', path: `/v1/contents/generations/tasks/${encodeURIComponent(id)}` }),
  report(answer): VideoReport | undefined {
    const word = textIn(answer, 'status');
    const status = STATUSES[word];
    if (status === undefined) return undefined;
    const seconds = countIn(answer, 'duration');
    const tokens = countIn(answer, 'usage', 'completion_tokens') || countIn(answer, 'usage', 'total_tokens');
    const resolution = textIn(answer, 'resolution');
    return {
      status,
      failReason: textIn(answer, 'error', 'message') || (status === 'FAILURE' ? `The task is ${word}` : ''),
      url: textIn(answer, 'content', 'video_url'),
      imageUrl: textIn(answer, 'content', 'last_frame_url'),
      ...(seconds > 0 ? { seconds } : {}),
      ...(tokens > 0 ? { tokens } : {}),
      ...(/^\d+p$/.test(resolution) ? { resolution } : {}),
    };
  },
  // Ends a queued task and deletes a finished one; a running one is refused.
  cancel: (id) => ({ method: 'DELETE', path: `/v1/contents/generations/tasks/${encodeURIComponent(id)}` }),
  remove: (id) => ({ method: 'DELETE', path: `/v1/contents/generations/tasks/${encodeURIComponent(id)}` }),
};
