// OpenAI's videos API, also as other gateways offer it: the caller's fields pass unchanged.
import { countIn, member, textIn } from '#server/models/providers/shared/json.ts';
import { idText, noteResolution, pictureUrl, resolutionOf } from './mapping.ts';
import type { Plan, UpstreamRequest, VideoPlatform, VideoReport, VideoStatus } from './platform.ts';
import { resolutionIn, type VideoRequest } from './request.ts';

const STATUSES: Readonly<Record<string, VideoStatus>> = {
  queued: 'QUEUED',
  in_progress: 'IN_PROGRESS',
  completed: 'SUCCESS',
  failed: 'FAILURE',
};

const USUAL = { seconds: 4, resolution: '720p' };

/** Only the size is sent; a resolution without one is not. */
const plan = ({ seconds, size }: VideoRequest): Plan => ({
  seconds: seconds ?? USUAL.seconds,
  resolution: size === undefined ? USUAL.resolution : resolutionOf(size),
});

export const sora: VideoPlatform = {
  name: 'sora',
  // Other gateways sell longer videos at this API than OpenAI does.
  longestSeconds: 60,
  plan,
  submission(video, notes) {
    noteResolution(video, plan(video).resolution, notes);
    const [picture] = video.pictures;
    const request = { method: 'POST', path: '/v1/videos' } as const;
    const fields = fieldsOf(video);
    if (picture === undefined) return { ...request, json: fields };
    if ('url' in picture)
      return { ...request, json: { ...fields, input_reference: { image_url: pictureUrl(picture) } } };
    const form = new FormData();
    for (const [name, value] of Object.entries(fields))
      form.append(name, typeof value === 'string' ? value : JSON.stringify(value));
    const file = new Blob([new Uint8Array(picture.bytes)], { type: picture.type });
    form.append('input_reference', file, `reference.${picture.type.replace(/^image\//, '')}`);
    return { ...request, form };
  },
  idIn: (answer) => idText(member(answer, 'id')),
  question: (id) => ({ method: 'GET', path: `/v1/videos/${encodeURIComponent(id)}` }),
  report(answer): VideoReport | undefined {
    const status = STATUSES[textIn(answer, 'status')];
    if (status === undefined) return undefined;
    const seconds = Number(member(answer, 'seconds'));
    const size = textIn(answer, 'size');
    return {
      status,
      progress: countIn(answer, 'progress'),
      failReason: textIn(answer, 'error', 'message'),
      ...(seconds > 0 ? { seconds } : {}),
      ...(/^\d+x\d+$/.test(size) ? { resolution: resolutionIn(size) } : {}),
    };
  },
  contentAt: (id, variant) => ({
    method: 'GET',
    path: `/v1/videos/${encodeURIComponent(id)}/content${variant === 'video' ? '' : `?variant=${variant}`}`,
  }),
  remove: (id) => ({ method: 'DELETE', path: `/v1/videos/${encodeURIComponent(id)}` }),
  remix: (id, prompt): UpstreamRequest => ({
    method: 'POST',
    path: `/v1/videos/${encodeURIComponent(id)}/remix`,
    json: { prompt },
  }),
};

function fieldsOf({ model, prompt, seconds, size, extras }: VideoRequest): Record<string, unknown> {
  return {
    ...extras,
    model,
    prompt,
    ...(seconds === undefined ? {} : { seconds: String(seconds) }),
    ...(size === undefined ? {} : { size: `${size.width}x${size.height}` }),
  };
}
