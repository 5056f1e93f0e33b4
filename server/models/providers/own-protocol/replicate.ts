// Replicate: a call creates a prediction and waits for it.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { replicate as codec } from '#server/models/formats/replicate/index.ts';
import { baseOf, bearer } from '#server/models/providers/shared/base-url.ts';
import { member, namesIn, withoutUndefined } from '#server/models/providers/shared/json.ts';
import { imageAnswer } from '#server/models/providers/shared/images.ts';
import type { Provider, TaskConversion } from '#server/models/providers/provider.ts';

const images: TaskConversion = {
  encodeRequest: (body) => ({
    input: withoutUndefined({
      prompt: body['prompt'],
      num_outputs: body['n'],
      aspect_ratio: ratioOf(body['size']),
      output_format: 'png',
    }),
  }),
  decodeResponse(answer) {
    const output = member(answer, 'output');
    const urls = Array.isArray(output) ? output : [output];
    return imageAnswer(urls.filter((url) => typeof url === 'string').map((url) => ({ url })));
  },
};

function ratioOf(size: unknown): string | undefined {
  const [width, height] = String(size).split('x').map(Number);
  if (!width || !height) return undefined;
  return width === height ? '1:1' : width > height ? '16:9' : '9:16';
}

export const replicate: Provider = {
  type: CHANNEL_TYPE.replicate,
  speaks: ['own', 'openai-images'],
  neverStreams: true,
  url(channel, { model }) {
    const name = model.split('/').map(encodeURIComponent).join('/');
    return `${baseOf(channel, CHANNEL_TYPE.replicate)}/v1/models/${name}/predictions`;
  },
  headers: (channel) => ({ ...bearer(channel), Prefer: 'wait=60' }),
  ownCodec: codec,
  tasks: { 'openai-images': images },
  refusalIn(body, status) {
    const state = body['status'];
    const hasFailed = state === 'failed' || state === 'canceled';
    const isUnfinished = status < 300 && (state === 'starting' || state === 'processing');
    if (isUnfinished) {
      const message = 'the prediction took longer than a call may wait';
      return { message, type: 'timeout', code: 'timeout', status: 504, isAccountFault: false };
    }
    if (status < 400 && !hasFailed) return undefined;
    const error = codec.decodeError(body) ?? { message: '', type: '', code: '' };
    return { ...error, status: hasFailed ? 502 : status, isAccountFault: status === 401 || status === 402 };
  },
  listing: {
    url: (channel) => `${baseOf(channel, CHANNEL_TYPE.replicate)}/v1/collections/language-models`,
    names: (answer) => {
      const owners = namesIn(answer, 'models', 'owner');
      const names = namesIn(answer, 'models', 'name');
      return owners?.map((owner, index) => `${String(owner)}/${String(names?.[index])}`);
    },
  },
};
