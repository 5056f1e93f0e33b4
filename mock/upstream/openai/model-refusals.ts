// What OpenAI's reasoning models refuse, in OpenAI's words: fields of older models, efforts of other generations, and, from
// GPT-5.4 on, function tools on Chat while the model reasons. Newer generations refuse what the newest known one refuses.
import type { Answer } from '#mock/upstream/dialect.ts';
import { badRequest } from './errors.ts';
import { isObject } from './prompt.ts';

type Json = Record<string, unknown>;

/** GPT-5.4 is 504; 0 for models without such a number. */
function generationOf(model: string): number {
  const [, major = '0', minor = '0'] = /^gpt-(\d)(?:\.(\d+))?(?!\d)/.exec(model) ?? [];
  return Number(major) * 100 + Number(minor);
}

export function isReasoningModel(model: string): boolean {
  return /^o\d/.test(model) || (generationOf(model) >= 500 && !model.includes('-chat'));
}

function effortsOf(model: string): { accepted: string[]; usual: string } {
  const generation = generationOf(model);
  const three = ['low', 'medium', 'high'];
  if (generation === 0) return { accepted: three, usual: 'medium' };
  if (generation === 500) return { accepted: ['minimal', ...three], usual: 'medium' };
  const accepted = ['none', ...three, ...(generation >= 502 ? ['xhigh'] : [])];
  return { accepted, usual: generation >= 505 ? 'medium' : 'none' };
}

const listed = (words: readonly string[]): string =>
  `${words
    .slice(0, -1)
    .map((word) => `'${word}'`)
    .join(', ')}, and '${words.at(-1)}'`;

export function chatRefusal(model: string, body: Json): Answer | undefined {
  if (!isReasoningModel(model)) return undefined;
  if (body['max_tokens'] !== undefined) {
    return badRequest(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      'max_tokens',
      'unsupported_parameter',
    );
  }
  const { accepted, usual } = effortsOf(model);
  const asked = typeof body['reasoning_effort'] === 'string' ? body['reasoning_effort'] : undefined;
  if (asked !== undefined && !accepted.includes(asked)) {
    return badRequest(
      `Unsupported value: 'reasoning_effort' does not support '${asked}' with this model. Supported values are: ${listed(accepted)}.`,
      'reasoning_effort',
      'unsupported_value',
    );
  }
  return toolsRefusal(model, body, asked ?? usual) ?? samplingRefusal(body, asked ?? usual);
}

function toolsRefusal(model: string, { tools }: Json, effort: string): Answer | undefined {
  const generation = generationOf(model);
  const offersFunction =
    Array.isArray(tools) && tools.some((tool) => isObject(tool) && tool['type'] === 'function');
  if (generation < 504 || !offersFunction || effort === 'none') return undefined;
  const advice =
    generation >= 506
      ? "To use function tools, use /v1/responses or set reasoning_effort to 'none'."
      : 'Please use /v1/responses instead.';
  return badRequest(
    `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. ${advice}`,
    'reasoning_effort',
  );
}

function samplingRefusal(body: Json, effort: string): Answer | undefined {
  if (effort === 'none') return undefined;
  const { temperature, top_p: topP } = body;
  if (typeof temperature === 'number' && temperature !== 1) {
    return badRequest(
      `Unsupported value: 'temperature' does not support ${temperature} with this model. Only the default (1) value is supported.`,
      'temperature',
      'unsupported_value',
    );
  }
  if (typeof topP === 'number' && topP !== 1) {
    return badRequest(
      "Unsupported parameter: 'top_p' is not supported with this model.",
      'top_p',
      'unsupported_parameter',
    );
  }
  return undefined;
}

export function responsesRefusal(model: string, body: Json): Answer | undefined {
  if (!isReasoningModel(model)) return undefined;
  const { reasoning } = body;
  const { accepted, usual } = effortsOf(model);
  const asked =
    isObject(reasoning) && typeof reasoning['effort'] === 'string' ? reasoning['effort'] : undefined;
  if (asked !== undefined && !accepted.includes(asked)) {
    return badRequest(
      `Unsupported value: '${asked}' is not supported with the '${model}' model. Supported values are: ${listed(accepted)}.`,
      'reasoning.effort',
      'unsupported_value',
    );
  }
  const { temperature } = body;
  if ((asked ?? usual) !== 'none' && typeof temperature === 'number' && temperature !== 1) {
    return badRequest(
      "Unsupported parameter: 'temperature' is not supported with this model.",
      'temperature',
      'unsupported_parameter',
    );
  }
  return undefined;
}
