// A prompt that is too long for the model: every upstream says so in its own words, and clients shorten the conversation only
// when they read the words or the code of their own API.

export interface Overflow {
  /** The upstream's words, without names and addresses. */
  readonly words: string;
  readonly tokens?: number;
  readonly limit?: number;
}

const CODES: ReadonlySet<unknown> = new Set([
  'context_length_exceeded',
  'context_window_exceeded',
  'exceed_context_size_error',
  'string_above_max_context',
]);

/** In the order of OpenAI and servers like it, Anthropic, Google, Amazon, and vendors with words of their own. */
const PHRASES: readonly RegExp[] = [
  /maximum (?:context|prompt) length|max(?:imum)? context (?:length|size|window)/i,
  /exceeds? (?:the|its|this model.s|available)?\s*(?:model.s )?(?:available )?context (?:window|length|size|limit)/i,
  /(?:exceed|exceeds|over|larger than) (?:the )?context (?:window|length|limit|size)/i,
  /reduce the length of (?:the|your) (?:messages|input|prompt)/i,
  /prompt is too long|exceed context limit/i,
  /input token count.{0,40}(?:exceeds|only supports|but the model)/i,
  /input is too long for (?:the )?requested model|too many input tokens/i,
  /exceeded model token limit|prompt too long|too large for model with \d+ maximum context/i,
  /range of input length should be|total number of tokens in the prompt cannot exceed/i,
  /context window exceeds limit|prompt tokens too long|prompt ?超长|输入(?:内容)?(?:长度)?(?:超过|超出|过长)|token.{0,4}超过(?:上限|限制)|上下文(?:长度)?(?:超过|超出)/i,
];

/** Undefined when the refusal is about something else. `words`: as the caller may read them. */
export function overflowIn(
  error: Readonly<Record<string, unknown>>,
  words: string | undefined,
): Overflow | undefined {
  const { code, type, message } = error;
  const text = typeof message === 'string' ? message.slice(0, 2000) : '';
  const isOverflow = CODES.has(code) || CODES.has(type) || PHRASES.some((phrase) => phrase.test(text));
  return isOverflow ? { words: words ?? '', ...countsIn(text) } : undefined;
}

/** More was sent than fits: of two numbers the larger is the prompt. */
function countsIn(text: string): Pick<Overflow, 'tokens' | 'limit'> {
  const sum = /(\d+) \+ (\d+) > (\d+)/.exec(text);
  if (sum !== null) return { tokens: Number(sum[1]) + Number(sum[2]), limit: Number(sum[3]) };
  const found = text.replaceAll(/(\d),(?=\d{3})/g, '$1').match(/\b\d{3,9}\b/g) ?? [];
  const [first, second] = [...new Set(found.map(Number))];
  if (first === undefined) return {};
  if (second === undefined) return { limit: first };
  return { tokens: Math.max(first, second), limit: Math.min(first, second) };
}

type Dialect = 'openai' | 'anthropic' | 'gemini';

/** What clients of the API look for. */
const OWN_WORDS: Readonly<Record<Dialect, RegExp>> = {
  openai: /maximum context length|context window/i,
  anthropic: /prompt is too long|exceed context limit/i,
  gemini: /input token count/i,
};

/** The sentence of the caller's API; the upstream's own where it is already that. */
export function overflowSentence(dialect: Dialect, { words, tokens, limit }: Overflow): string {
  if (OWN_WORDS[dialect].test(words)) return words;
  const isCounted = tokens !== undefined && limit !== undefined;
  const most = limit === undefined ? 'its maximum context length' : `${limit} tokens`;
  switch (dialect) {
    case 'anthropic':
      return isCounted
        ? `prompt is too long: ${tokens} tokens > ${limit} maximum`
        : `prompt is too long: the model takes ${most}`;
    case 'gemini':
      return isCounted
        ? `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${limit}).`
        : `The input token count exceeds the maximum number of tokens allowed${limit === undefined ? '' : ` (${limit})`}.`;
    default:
      return `This model's maximum context length is ${limit === undefined ? 'exceeded' : `${limit} tokens`}.${
        tokens === undefined ? '' : ` However, your messages resulted in ${tokens} tokens.`
      } Please reduce the length of the messages.`;
  }
}
