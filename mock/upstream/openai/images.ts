// /v1/images/*: gpt-image models answer base64 with token usage, dall-e models a URL without usage.
import { NO_USAGE } from '#mock/upstream/books.ts';
import type { Answer, Exchange, Route, StreamEvent } from '#mock/upstream/dialect.ts';
import { badRequest } from './errors.ts';
import { nowSeconds, PIXEL_PNG, uniqueId } from './identity.ts';
import { countText } from './prompt.ts';

const TOKENS_PER_INPUT_IMAGE = 194;
const TOKENS_PER_OUTPUT_IMAGE = 272;

interface ImageOrder {
  prompt: string;
  inputImages: number;
  count: number;
  wantsBase64: boolean;
  partialImages: number;
}

export const imageGenerationsRoute: Route = {
  lastUserText: (body) => (typeof body['prompt'] === 'string' ? body['prompt'] : ''),
  answer(exchange) {
    const { body } = exchange;
    if (typeof body['prompt'] !== 'string') {
      return badRequest("Missing required parameter: 'prompt'.", 'prompt', 'missing_required_parameter');
    }
    return answerImages(exchange, 'image_generation', {
      prompt: body['prompt'],
      inputImages: 0,
      count: typeof body['n'] === 'number' ? body['n'] : 1,
      wantsBase64: body['response_format'] === 'b64_json',
      partialImages: typeof body['partial_images'] === 'number' ? body['partial_images'] : 0,
    });
  },
};

export const imageEditsRoute: Route = { answer: (exchange) => answerForm(exchange, 'image_edit', true) };
export const imageVariationsRoute: Route = {
  answer: (exchange) => answerForm(exchange, 'image_edit', false),
};

function answerForm(exchange: Exchange, event: string, needsPrompt: boolean): Answer {
  const { form } = exchange;
  const images = [...(form?.getAll('image') ?? []), ...(form?.getAll('image[]') ?? [])];
  if (!form || images.length === 0) {
    return badRequest("Missing required parameter: 'image'.", 'image', 'missing_required_parameter');
  }
  if (images.some((image) => typeof image === 'string' || image.size === 0)) {
    return badRequest('Uploaded image must be a PNG and less than 4 MB.', 'image');
  }
  const prompt = form.get('prompt');
  if (needsPrompt && typeof prompt !== 'string') {
    return badRequest("Missing required parameter: 'prompt'.", 'prompt', 'missing_required_parameter');
  }
  return answerImages(exchange, event, {
    prompt: typeof prompt === 'string' ? prompt : '',
    inputImages: images.length,
    count: Number(form.get('n') ?? 1),
    wantsBase64: form.get('response_format') === 'b64_json',
    partialImages: Number(form.get('partial_images') ?? 0),
  });
}

function answerImages(exchange: Exchange, event: string, order: ImageOrder): Answer {
  const { behaviour, model, record } = exchange;
  const created = nowSeconds();
  if (!model.startsWith('gpt-image')) {
    const image = order.wantsBase64
      ? { b64_json: behaviour.image ?? PIXEL_PNG }
      : { url: `https://images.example/${uniqueId('img-')}.png` };
    const data = Array.from({ length: order.count }, () => ({ ...image, revised_prompt: order.prompt }));
    return { kind: 'json', body: JSON.stringify({ created, data }) };
  }
  const imageInputTokens = order.inputImages * TOKENS_PER_INPUT_IMAGE;
  record.usage = {
    ...NO_USAGE,
    inputTokens: Math.max(1, countText(order.prompt)) + imageInputTokens,
    imageInputTokens,
    outputTokens: order.count * TOKENS_PER_OUTPUT_IMAGE,
    ...behaviour.usage,
  };
  const { inputTokens, outputTokens } = record.usage;
  const usage = {
    input_tokens: inputTokens,
    input_tokens_details: {
      text_tokens: inputTokens - record.usage.imageInputTokens,
      image_tokens: record.usage.imageInputTokens,
    },
    output_tokens: outputTokens,
    output_tokens_details: { image_tokens: outputTokens, text_tokens: 0 },
    total_tokens: inputTokens + outputTokens,
  };
  const format = { background: 'opaque', output_format: 'png', quality: 'low', size: '1024x1024' };
  if (record.stream)
    return { kind: 'events', events: imageEvents(event, order, { ...format, created_at: created }, usage) };
  record.usageReports = behaviour.usageReport === 'missing' ? 0 : 1;
  const data = Array.from({ length: order.count }, () => ({ b64_json: behaviour.image ?? PIXEL_PNG }));
  const usageMember = record.usageReports === 0 ? {} : { usage };
  return { kind: 'json', body: JSON.stringify({ created, ...format, data, ...usageMember }) };
}

function* imageEvents(
  name: string,
  order: ImageOrder,
  common: object,
  usage: unknown,
): Generator<StreamEvent> {
  for (let index = 0; index < order.partialImages; index += 1) {
    const type = `${name}.partial_image`;
    const data = JSON.stringify({ type, ...common, b64_json: PIXEL_PNG, partial_image_index: index });
    yield { event: type, data };
  }
  const type = `${name}.completed`;
  yield {
    event: type,
    data: JSON.stringify({ type, ...common, b64_json: PIXEL_PNG, usage }),
    tokens: order.count * TOKENS_PER_OUTPUT_IMAGE,
    usage: true,
  };
}
