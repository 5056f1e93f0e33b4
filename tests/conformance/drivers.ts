// The official SDKs as callers of the same question in four formats, with their answers in one shape, so that answers of
// different formats can be compared.
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI, type Content, type Part } from '@google/genai';
import OpenAI from 'openai';
import type { Response as OpenAiResponse, ResponseInput } from 'openai/resources/responses/responses';

export type CallerFormat = 'chat' | 'responses' | 'messages' | 'gemini';
export const callerFormats: readonly CallerFormat[] = ['chat', 'responses', 'messages', 'gemini'];

export interface Question {
  model: string;
  text: string;
  system?: string;
  tools?: boolean;
  image?: string;
  thinks?: boolean;
  schema?: Record<string, unknown>;
  signal?: AbortSignal;
  /** Receives every piece of text of a stream. */
  onText?: (piece: string) => void;
  headers?: Record<string, string>;
}

export interface ToolCall {
  name: string;
  arguments: unknown;
}

export interface DriverAnswer {
  text: string;
  reasoning: string;
  calls: ToolCall[];
  /** The order of reasoning, text and calls. */
  order: string[];
  stop: 'stop' | 'length' | 'tool' | 'other';
  input: number;
  cached: number;
  output: number;
}

export interface Driver {
  whole(question: Question): Promise<DriverAnswer>;
  stream(question: Question): Promise<DriverAnswer>;
  /** Asks with tools, answers every call, and returns the text of the second turn. */
  roundTrip(question: Question): Promise<{ first: DriverAnswer; second: DriverAnswer }>;
}

export const toolSchemas = {
  weather: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  now: { type: 'object', properties: {} },
} as const;
const toolNames = ['weather', 'now'] as const;
export const toolResult = 'It rains.';

class AnswerBuilder implements DriverAnswer {
  text = '';
  reasoning = '';
  calls: ToolCall[] = [];
  order: string[] = [];
  stop: DriverAnswer['stop'] = 'other';
  input = 0;
  cached = 0;
  output = 0;

  #mark(what: string): void {
    if (this.order.at(-1) !== what || what === 'call') this.order.push(what);
  }
  addText(text: string | null | undefined): void {
    if (!text) return;
    this.text += text;
    this.#mark('text');
  }
  addReasoning(text: string | null | undefined): void {
    if (!text) return;
    this.reasoning += text;
    this.#mark('thought');
  }
  addCall(name: string, given: unknown): void {
    this.calls.push({ name, arguments: given });
    this.#mark('call');
  }
  used(input: number, cached: number, output: number): void {
    Object.assign(this, { input, cached, output });
  }
  answer(): DriverAnswer {
    const { text, reasoning, calls, order, stop, input, cached, output } = this;
    return { text, reasoning, calls, order, stop, input, cached, output };
  }
}

function chatDriver(url: string, key: string): Driver {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
  type Message = OpenAI.Chat.Completions.ChatCompletionMessageParam;
  const params = (question: Question, more: Message[] = []) => ({
    model: question.model,
    messages: [
      ...(question.system === undefined ? [] : [{ role: 'system' as const, content: question.system }]),
      {
        role: 'user' as const,
        content:
          question.image === undefined
            ? question.text
            : [
                { type: 'text' as const, text: question.text },
                { type: 'image_url' as const, image_url: { url: question.image } },
              ],
      },
      ...more,
    ],
    ...(question.tools
      ? {
          tools: toolNames.map((name) => ({
            type: 'function' as const,
            function: { name, parameters: toolSchemas[name] },
          })),
        }
      : {}),
    ...(question.thinks ? { reasoning_effort: 'high' as const } : {}),
    ...(question.schema === undefined
      ? {}
      : {
          response_format: {
            type: 'json_schema' as const,
            json_schema: { name: 'answer', strict: true, schema: question.schema },
          },
        }),
  });
  const options = ({ signal, headers }: Question) => ({
    ...(signal === undefined ? {} : { signal }),
    ...(headers === undefined ? {} : { headers }),
  });
  const stops: Record<string, DriverAnswer['stop']> = { stop: 'stop', length: 'length', tool_calls: 'tool' };
  const usage = (builder: AnswerBuilder, used: OpenAI.CompletionUsage | undefined | null): void => {
    if (used)
      builder.used(
        used.prompt_tokens,
        used.prompt_tokens_details?.cached_tokens ?? 0,
        used.completion_tokens,
      );
  };
  const ask = async (question: Question, more: Message[] = []) => {
    const answer = await client.chat.completions.create(params(question, more), options(question));
    const builder = new AnswerBuilder();
    const [choice] = answer.choices;
    const message = choice?.message as (typeof answer.choices)[0]['message'] & { reasoning_content?: string };
    builder.addReasoning(message.reasoning_content);
    builder.addText(message.content);
    for (const call of message.tool_calls ?? [])
      if (call.type === 'function') builder.addCall(call.function.name, JSON.parse(call.function.arguments));
    builder.stop = stops[choice?.finish_reason ?? ''] ?? 'other';
    usage(builder, answer.usage);
    return { answer: builder.answer(), message };
  };
  return {
    whole: async (question) => (await ask(question)).answer,
    async stream(question) {
      const builder = new AnswerBuilder();
      const calls = new Map<number, { name: string; text: string }>();
      const stream = await client.chat.completions.create(
        { ...params(question), stream: true, stream_options: { include_usage: true } },
        options(question),
      );
      for await (const chunk of stream) {
        usage(builder, chunk.usage);
        const [choice] = chunk.choices;
        if (choice === undefined) continue;
        const delta = choice.delta as typeof choice.delta & { reasoning_content?: string };
        builder.addReasoning(delta.reasoning_content);
        builder.addText(delta.content);
        if (delta.content) question.onText?.(delta.content);
        for (const call of delta.tool_calls ?? []) {
          const known = calls.get(call.index) ?? { name: '', text: '' };
          known.name += call.function?.name ?? '';
          known.text += call.function?.arguments ?? '';
          calls.set(call.index, known);
        }
        if (choice.finish_reason) builder.stop = stops[choice.finish_reason] ?? 'other';
      }
      for (const { name, text } of calls.values()) builder.addCall(name, JSON.parse(text));
      return builder.answer();
    },
    async roundTrip(question) {
      const { answer: first, message } = await ask(question);
      const results = (message.tool_calls ?? []).map((call) => ({
        role: 'tool' as const,
        tool_call_id: call.id,
        content: toolResult,
      }));
      const { answer: second } = await ask(question, [message, ...results]);
      return { first, second };
    },
  };
}

function responsesDriver(url: string, key: string): Driver {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
  const params = (question: Question, more: ResponseInput = []) => ({
    model: question.model,
    ...(question.system === undefined ? {} : { instructions: question.system }),
    input: [
      {
        role: 'user' as const,
        content: [
          { type: 'input_text' as const, text: question.text },
          ...(question.image === undefined
            ? []
            : [{ type: 'input_image' as const, image_url: question.image, detail: 'auto' as const }]),
        ],
      },
      ...more,
    ],
    ...(question.tools
      ? {
          tools: toolNames.map((name) => ({
            type: 'function' as const,
            name,
            parameters: toolSchemas[name] as Record<string, unknown>,
            strict: false,
          })),
        }
      : {}),
    ...(question.thinks
      ? {
          reasoning: { effort: 'high' as const, summary: 'auto' as const },
          include: ['reasoning.encrypted_content' as const],
        }
      : {}),
    ...(question.schema === undefined
      ? {}
      : {
          text: {
            format: { type: 'json_schema' as const, name: 'answer', strict: true, schema: question.schema },
          },
        }),
    store: false,
  });
  const options = ({ signal, headers }: Question) => ({
    ...(signal === undefined ? {} : { signal }),
    ...(headers === undefined ? {} : { headers }),
  });
  const answerOf = (response: OpenAiResponse): DriverAnswer => {
    const builder = new AnswerBuilder();
    for (const item of response.output) {
      if (item.type === 'reasoning') for (const part of item.summary) builder.addReasoning(part.text);
      else if (item.type === 'message') {
        for (const part of item.content) if (part.type === 'output_text') builder.addText(part.text);
      } else if (item.type === 'function_call') builder.addCall(item.name, JSON.parse(item.arguments));
    }
    builder.stop =
      builder.calls.length > 0
        ? 'tool'
        : response.status === 'completed'
          ? 'stop'
          : response.incomplete_details?.reason === 'max_output_tokens'
            ? 'length'
            : 'other';
    const { usage } = response;
    if (usage)
      builder.used(usage.input_tokens, usage.input_tokens_details.cached_tokens, usage.output_tokens);
    return builder.answer();
  };
  return {
    whole: async (question) => answerOf(await client.responses.create(params(question), options(question))),
    async stream(question) {
      const stream = client.responses.stream(params(question) as never, options(question));
      let final: OpenAiResponse | undefined;
      const streamed = { text: '', sequence: -1 };
      for await (const event of stream) {
        if (event.sequence_number <= streamed.sequence) throw new Error('sequence numbers must grow');
        streamed.sequence = event.sequence_number;
        if (event.type === 'response.output_text.delta') {
          streamed.text += event.delta;
          question.onText?.(event.delta);
        }
        if (event.type === 'response.completed' || event.type === 'response.incomplete')
          final = event.response;
        if (event.type === 'response.failed') throw new Error(event.response.error?.message ?? 'failed');
        if (event.type === 'error') throw new Error(event.message);
      }
      if (final === undefined) throw new Error('the stream did not complete');
      const builder = answerOf(final);
      if (builder.text !== streamed.text) throw new Error('the deltas are not the text');
      return builder;
    },
    async roundTrip(question) {
      const response = await client.responses.create(params(question));
      const results = response.output
        .filter((item) => item.type === 'function_call')
        .map((item) => ({
          type: 'function_call_output' as const,
          call_id: item.call_id,
          output: toolResult,
        }));
      const more = [...response.output, ...results] as ResponseInput;
      const second = await client.responses.create(params(question, more));
      return { first: answerOf(response), second: answerOf(second) };
    },
  };
}

function messagesDriver(url: string, key: string): Driver {
  const client = new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0 });
  const params = (question: Question, more: Anthropic.MessageParam[] = []) => ({
    model: question.model,
    max_tokens: 20_000,
    ...(question.system === undefined ? {} : { system: question.system }),
    messages: [
      {
        role: 'user' as const,
        content: [
          { type: 'text' as const, text: question.text },
          ...(question.image === undefined
            ? []
            : [
                {
                  type: 'image' as const,
                  source: {
                    type: 'base64' as const,
                    media_type: 'image/png' as const,
                    data: question.image.replace(/^.*,/, ''),
                  },
                },
              ]),
        ],
      },
      ...more,
    ],
    ...(question.tools
      ? {
          tools: toolNames.map((name) => ({
            name,
            input_schema: structuredClone(toolSchemas[name]) as unknown as Anthropic.Tool.InputSchema,
          })),
        }
      : {}),
    ...(question.thinks ? { thinking: { type: 'enabled' as const, budget_tokens: 4096 } } : {}),
    ...(question.schema === undefined
      ? {}
      : { output_config: { format: { type: 'json_schema' as const, schema: question.schema } } }),
  });
  const options = ({ signal, headers }: Question) => ({
    ...(signal === undefined ? {} : { signal }),
    ...(headers === undefined ? {} : { headers }),
  });
  const stops: Record<string, DriverAnswer['stop']> = {
    end_turn: 'stop',
    max_tokens: 'length',
    tool_use: 'tool',
  };
  const answerOf = (message: Anthropic.Message): DriverAnswer => {
    const builder = new AnswerBuilder();
    for (const block of message.content) {
      if (block.type === 'thinking') builder.addReasoning(block.thinking);
      else if (block.type === 'text') builder.addText(block.text);
      else if (block.type === 'tool_use') builder.addCall(block.name, block.input);
    }
    builder.stop = stops[message.stop_reason ?? ''] ?? 'other';
    const { usage } = message;
    const cached = usage.cache_read_input_tokens ?? 0;
    const written = usage.cache_creation_input_tokens ?? 0;
    builder.used(usage.input_tokens + cached + written, cached, usage.output_tokens);
    return builder.answer();
  };
  return {
    whole: async (question) => answerOf(await client.messages.create(params(question), options(question))),
    async stream(question) {
      const stream = client.messages.stream(params(question), options(question));
      let started = 0;
      for await (const event of stream) {
        if (event.type === 'message_start') started = event.message.usage.input_tokens;
        if (event.type === 'content_block_delta' && event.delta.type === 'text_delta')
          question.onText?.(event.delta.text);
      }
      if (started <= 0) throw new Error('message_start has no input');
      return answerOf(await stream.finalMessage());
    },
    async roundTrip(question) {
      const message = await client.messages.create(params(question));
      const results = message.content
        .filter((block) => block.type === 'tool_use')
        .map((block) => ({ type: 'tool_result' as const, tool_use_id: block.id, content: toolResult }));
      const second = await client.messages.create(
        params(question, [
          { role: 'assistant', content: message.content as Anthropic.ContentBlockParam[] },
          { role: 'user', content: results },
        ]),
      );
      return { first: answerOf(message), second: answerOf(second) };
    },
  };
}

function geminiDriver(url: string, key: string): Driver {
  const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url } });
  const params = (question: Question, more: Content[] = []) => ({
    model: question.model,
    contents: [
      {
        role: 'user',
        parts: [
          { text: question.text },
          ...(question.image === undefined
            ? []
            : [{ inlineData: { mimeType: 'image/png', data: question.image.replace(/^.*,/, '') } }]),
        ],
      },
      ...more,
    ],
    config: {
      ...(question.system === undefined ? {} : { systemInstruction: question.system }),
      ...(question.tools
        ? {
            tools: [
              {
                functionDeclarations: toolNames.map((name) => ({
                  name,
                  parametersJsonSchema: toolSchemas[name] as unknown,
                })),
              },
            ],
          }
        : {}),
      ...(question.thinks ? { thinkingConfig: { includeThoughts: true, thinkingBudget: 4096 } } : {}),
      ...(question.schema === undefined
        ? {}
        : { responseMimeType: 'application/json', responseJsonSchema: question.schema }),
      ...(question.signal === undefined ? {} : { abortSignal: question.signal }),
      ...(question.headers === undefined ? {} : { httpOptions: { headers: question.headers } }),
    },
  });
  type Answer = Awaited<ReturnType<typeof client.models.generateContent>>;
  const add = (builder: AnswerBuilder, answer: Answer): Part[] => {
    const [candidate] = answer.candidates ?? [];
    const parts = candidate?.content?.parts ?? [];
    for (const part of parts) {
      if (part.functionCall) builder.addCall(part.functionCall.name ?? '', part.functionCall.args ?? {});
      else if (part.thought) builder.addReasoning(part.text);
      else builder.addText(part.text);
    }
    const finish = candidate?.finishReason as string | undefined;
    if (finish === 'STOP') builder.stop = builder.calls.length > 0 ? 'tool' : 'stop';
    else if (finish !== undefined) builder.stop = finish === 'MAX_TOKENS' ? 'length' : 'other';
    const used = answer.usageMetadata;
    if (used)
      builder.used(
        used.promptTokenCount ?? 0,
        used.cachedContentTokenCount ?? 0,
        (used.candidatesTokenCount ?? 0) + (used.thoughtsTokenCount ?? 0),
      );
    return parts;
  };
  return {
    async whole(question) {
      const builder = new AnswerBuilder();
      add(builder, await client.models.generateContent(params(question)));
      return builder.answer();
    },
    async stream(question) {
      const builder = new AnswerBuilder();
      for await (const chunk of await client.models.generateContentStream(params(question))) {
        add(builder, chunk);
        if (question.onText !== undefined && chunk.text) question.onText(chunk.text);
      }
      return builder.answer();
    },
    async roundTrip(question) {
      const first = new AnswerBuilder();
      const parts = add(first, await client.models.generateContent(params(question)));
      const results = parts
        .filter((part) => part.functionCall !== undefined)
        .map(({ functionCall }) => ({
          functionResponse: {
            ...(functionCall?.id === undefined ? {} : { id: functionCall.id }),
            name: functionCall?.name ?? '',
            response: { output: toolResult },
          },
        }));
      const second = new AnswerBuilder();
      const more = [
        { role: 'model', parts },
        { role: 'user', parts: results },
      ];
      add(second, await client.models.generateContent(params(question, more)));
      return { first: first.answer(), second: second.answer() };
    },
  };
}

const drivers = {
  chat: chatDriver,
  responses: responsesDriver,
  messages: messagesDriver,
  gemini: geminiDriver,
} as const satisfies Record<CallerFormat, (url: string, key: string) => Driver>;

export function driverOf(format: CallerFormat, url: string, key: string): Driver {
  return drivers[format](url, key);
}
