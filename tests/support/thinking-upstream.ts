// An upstream that uses all it is asked for: it thinks in secret, by time at a fixed speed, until the limit of the request is used up, then
// says a few words and reports what it made. It streams in the formats Chat, Responses, Anthropic and Gemini, and counts for itself.
import { isObject } from '#server/models/formats/json.ts';

/** What one request was given, in tokens; `prompt` and `made` are true also of an answer that was cut off. */
export interface ThinkingCall {
  /** What the prompt is marked with, so that a test finds it. */
  tag: string;
  model: string;
  /** As it was asked for; undefined: without a limit. */
  limit: number | undefined;
  prompt: number;
  /** Hidden and visible output so far. */
  made: number;
  /** The words among them. */
  written: number;
  ending: 'open' | 'complete' | 'aborted';
}

export interface ThinkingUpstream extends AsyncDisposable {
  url: string;
  calls: ThinkingCall[];
}

/** The text of a message with a tag; so many tokens of prompt are reported in the end, as tools of the upstream make it long. */
export const thinkAbout = (tag: string, promptTokens = USUAL_PROMPT_TOKENS): string =>
  `Think about {${tag}} and read ${promptTokens} tokens.`;

const WORDS = ['So', ' it', ' is', ' done', '.'];
const USUAL_PROMPT_TOKENS = 10;
/** Without a limit: an answer of a usual length. */
const USUAL_ANSWER_TOKENS = 2000;
const TICK_MILLISECONDS = 25;
const LIMIT_NAMES = ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxOutputTokens'];

type Json = Record<string, unknown>;

/** The events of a format: one at once, one for each word, and the last ones with the report. */
interface Dialect {
  first: (call: ThinkingCall) => string;
  word: (text: string) => string;
  last: (call: ThinkingCall) => string;
}

export function startThinkingUpstream(tokensPerSecond: number): ThinkingUpstream {
  const calls: ThinkingCall[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    development: false,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const text = await request.text();
      const body = JSON.parse(text) as Json;
      const call: ThinkingCall = {
        tag: /\{([^{}]+)\} and read/.exec(text)?.[1] ?? '',
        model:
          typeof body['model'] === 'string'
            ? body['model']
            : (pathname.split('/').at(-1)?.split(':')[0] ?? ''),
        limit: limitOf(body),
        prompt: Number(/and read (\d+) tokens/.exec(text)?.[1] ?? USUAL_PROMPT_TOKENS),
        made: 0,
        written: 0,
        ending: 'open',
      };
      calls.push(call);
      return answer(request, call, dialectOf(pathname), tokensPerSecond);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    calls,
    [Symbol.asyncDispose]: async () => await server.stop(true),
  };
}

function limitOf(body: Json): number | undefined {
  const config = isObject(body['generationConfig']) ? body['generationConfig'] : {};
  const limit = LIMIT_NAMES.map((name) => body[name] ?? config[name]).find((each) => each !== undefined);
  return typeof limit === 'number' ? limit : undefined;
}

function answer(request: Request, call: ThinkingCall, dialect: Dialect, tokensPerSecond: number): Response {
  const thoughts = (call.limit ?? USUAL_ANSWER_TOKENS) - WORDS.length;
  const encoder = new TextEncoder();
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      const write = (events: string): void =>
        void (events !== '' && controller.enqueue(encoder.encode(events)));
      const stop = (ending: 'complete' | 'aborted'): void => {
        if (call.ending !== 'open') return;
        call.ending = ending;
        clearInterval(timer);
        controller.close();
      };
      request.signal.addEventListener('abort', () => stop('aborted'), { once: true });
      write(dialect.first(call));
      // Counted by ticks: on a busy machine the upstream thinks as late as the gateway looks at its clock.
      const timer = setInterval(() => {
        call.made = Math.min(thoughts, call.made + (tokensPerSecond * TICK_MILLISECONDS) / 1000);
        if (call.made < thoughts) return;
        for (const word of WORDS) write(dialect.word(word));
        call.made += WORDS.length;
        call.written = WORDS.length;
        write(dialect.last(call));
        stop('complete');
      }, TICK_MILLISECONDS);
    },
  });
  return new Response(stream, { headers: { 'content-type': 'text/event-stream' } });
}

function dialectOf(pathname: string): Dialect {
  if (pathname.endsWith('/messages')) return messages;
  if (pathname.endsWith('/responses')) return responses;
  return pathname.includes(':streamGenerateContent') ? gemini : chat;
}

const data = (event: Json): string => `data: ${JSON.stringify(event)}\n\n`;
const named = (type: string, rest: Json): string => `event: ${type}\n${data({ type, ...rest })}`;

const chunk = (rest: Json): string =>
  data({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', ...rest });

const chat: Dialect = {
  // Nothing at all comes before the first word.
  first: () => '',
  word: (content) => chunk({ choices: [{ index: 0, delta: { role: 'assistant', content } }] }),
  last: ({ prompt, made, written }) =>
    chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }) +
    chunk({
      choices: [],
      usage: {
        prompt_tokens: prompt,
        completion_tokens: made,
        total_tokens: prompt + made,
        completion_tokens_details: { reasoning_tokens: made - written },
      },
    }) +
    'data: [DONE]\n\n',
};

const response = (status: string, rest: Json = {}): Json => ({
  response: {
    id: 'r',
    object: 'response',
    created_at: 1,
    model: 'm',
    status,
    output: [],
    usage: null,
    ...rest,
  },
});

const responses: Dialect = {
  first: () => named('response.created', response('in_progress')),
  word: (delta) =>
    named('response.output_text.delta', { item_id: 'i', output_index: 0, content_index: 0, delta }),
  last: ({ prompt, made, written }) => {
    const content = [{ type: 'output_text', text: WORDS.join(''), annotations: [] }];
    const output = [{ id: 'i', type: 'message', role: 'assistant', status: 'completed', content }];
    const usage = {
      input_tokens: prompt,
      output_tokens: made,
      total_tokens: prompt + made,
      output_tokens_details: { reasoning_tokens: made - written },
    };
    return named('response.completed', response('completed', { output, usage }));
  },
};

const block = (index: number, content_block: Json): string =>
  named('content_block_start', { index, content_block });

const messages: Dialect = {
  first: () => {
    // Tools of the upstream have read nothing yet.
    const usage = { input_tokens: USUAL_PROMPT_TOKENS, output_tokens: 1 };
    const message = { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], usage };
    return named('message_start', { message }) + block(0, { type: 'thinking', thinking: '', signature: '' });
  },
  word: (text) => named('content_block_delta', { index: 1, delta: { type: 'text_delta', text } }),
  last: ({ prompt, made }) =>
    named('message_delta', {
      delta: { stop_reason: 'end_turn' },
      usage: { input_tokens: prompt, output_tokens: made },
    }) + named('message_stop', {}),
};

const gemini: Dialect = {
  first: () => '',
  word: (text) => data({ candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] } }] }),
  last: ({ prompt, made, written }) =>
    data({
      candidates: [{ index: 0, content: { role: 'model', parts: [{ text: '' }] }, finishReason: 'STOP' }],
      usageMetadata: {
        promptTokenCount: prompt,
        candidatesTokenCount: written,
        thoughtsTokenCount: made - written,
        totalTokenCount: prompt + made,
      },
    }),
};
