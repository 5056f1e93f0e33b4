// Usage objects as providers document or send them, and the disjoint classes they mean. docs/providers.md explains each.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import type { TokenClass } from '#contract/money/token-classes.ts';
import { AWS_KEY } from '#mock/upstream/supplier-keys.ts';
import { chatAnswer, geminiAnswer, messagesAnswer, responsesAnswer } from './scripted-upstream.ts';

export interface UsageSample {
  /** As in the table of docs/providers.md. */
  provider: string;
  what: string;
  channelType: number;
  key?: string;
  /** The caller's path; a chat unless given. */
  path?: string;
  answer: () => Response;
  classes: Partial<Record<TokenClass, number>>;
}

const chat = (usage: unknown) => () => chatAnswer(usage);

const converseAnswer = (usage: unknown) =>
  Response.json({
    output: { message: { role: 'assistant', content: [{ text: 'Hello.' }] } },
    stopReason: 'end_turn',
    usage,
  });

const cohereAnswer = (usage: unknown) =>
  Response.json({
    id: '1',
    finish_reason: 'COMPLETE',
    message: { role: 'assistant', content: [{ type: 'text', text: 'Hello.' }] },
    usage,
  });

export const usageSamples: readonly UsageSample[] = [
  {
    provider: 'OpenAI',
    what: 'cached and audio inside the prompt, reasoning and audio inside the completion',
    channelType: CHANNEL_TYPE.openAi,
    answer: chat({
      prompt_tokens: 1200,
      completion_tokens: 400,
      total_tokens: 1600,
      prompt_tokens_details: { cached_tokens: 1024, audio_tokens: 100 },
      completion_tokens_details: {
        reasoning_tokens: 256,
        audio_tokens: 40,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
    }),
    classes: { input: 76, cacheRead: 1024, audioInput: 100, output: 104, reasoning: 256, audioOutput: 40 },
  },
  {
    provider: 'OpenAI',
    what: 'Responses: the same sets under other names',
    channelType: CHANNEL_TYPE.openAi,
    path: '/v1/responses',
    answer: () =>
      responsesAnswer({
        input_tokens: 2006,
        input_tokens_details: { cached_tokens: 1920 },
        output_tokens: 300,
        output_tokens_details: { reasoning_tokens: 192 },
        total_tokens: 2306,
      }),
    classes: { input: 86, cacheRead: 1920, output: 108, reasoning: 192 },
  },
  {
    provider: 'xAI',
    what: 'reasoning beside the completion, inside the total',
    channelType: CHANNEL_TYPE.xai,
    answer: chat({
      prompt_tokens: 12,
      completion_tokens: 1,
      total_tokens: 241,
      prompt_tokens_details: { text_tokens: 12, audio_tokens: 0, image_tokens: 0, cached_tokens: 4 },
      completion_tokens_details: {
        reasoning_tokens: 228,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
      num_sources_used: 0,
    }),
    classes: { input: 8, cacheRead: 4, output: 1, reasoning: 228 },
  },
  {
    provider: 'Gemini (compatible API)',
    what: 'thoughts only in the total',
    channelType: CHANNEL_TYPE.custom,
    answer: chat({ prompt_tokens: 9, completion_tokens: 20, total_tokens: 529 }),
    classes: { input: 9, output: 520 },
  },
  {
    provider: 'Gemini',
    what: 'cached inside the prompt, thoughts beside the candidates, tool prompts and media listed',
    channelType: CHANNEL_TYPE.gemini,
    path: '/v1beta/models/m:generateContent',
    answer: () =>
      geminiAnswer({
        promptTokenCount: 1000,
        cachedContentTokenCount: 600,
        candidatesTokenCount: 50,
        thoughtsTokenCount: 300,
        toolUsePromptTokenCount: 25,
        totalTokenCount: 1375,
        promptTokensDetails: [
          { modality: 'TEXT', tokenCount: 710 },
          { modality: 'IMAGE', tokenCount: 258 },
          { modality: 'AUDIO', tokenCount: 32 },
        ],
        cacheTokensDetails: [{ modality: 'TEXT', tokenCount: 600 }],
      }),
    classes: { input: 135, cacheRead: 600, imageInput: 258, audioInput: 32, output: 50, reasoning: 300 },
  },
  {
    provider: 'Anthropic',
    what: 'cache reads and both kinds of writes beside the input; thinking inside the output',
    channelType: CHANNEL_TYPE.anthropic,
    path: '/v1/messages',
    answer: () =>
      messagesAnswer({
        input_tokens: 21,
        cache_creation_input_tokens: 700,
        cache_read_input_tokens: 18_000,
        cache_creation: { ephemeral_5m_input_tokens: 456, ephemeral_1h_input_tokens: 244 },
        output_tokens: 393,
        service_tier: 'standard',
      }),
    classes: { input: 21, cacheRead: 18_000, cacheWrite5m: 456, cacheWrite1h: 244, output: 393 },
  },
  {
    provider: 'AWS',
    what: 'Converse: cache reads and writes beside the input',
    channelType: CHANNEL_TYPE.bedrock,
    key: `${AWS_KEY.accessKey}|${AWS_KEY.secretKey}|${AWS_KEY.region}`,
    answer: () =>
      converseAnswer({
        inputTokens: 30,
        outputTokens: 70,
        totalTokens: 1300,
        cacheReadInputTokens: 1000,
        cacheWriteInputTokens: 200,
      }),
    classes: { input: 30, cacheRead: 1000, cacheWrite5m: 200, output: 70 },
  },
  {
    provider: 'DeepSeek',
    what: 'hits and misses of the cache sum up to the prompt; reasoning inside the completion',
    channelType: CHANNEL_TYPE.deepSeek,
    answer: chat({
      prompt_tokens: 328,
      completion_tokens: 121,
      total_tokens: 449,
      prompt_cache_hit_tokens: 320,
      prompt_cache_miss_tokens: 8,
      completion_tokens_details: { reasoning_tokens: 90 },
    }),
    classes: { input: 8, cacheRead: 320, output: 31, reasoning: 90 },
  },
  {
    provider: 'Moonshot',
    what: 'cached tokens at the top level',
    channelType: CHANNEL_TYPE.moonshot,
    answer: chat({ prompt_tokens: 1500, completion_tokens: 30, total_tokens: 1530, cached_tokens: 1280 }),
    classes: { input: 220, cacheRead: 1280, output: 30 },
  },
  {
    provider: 'Ali',
    what: 'an explicit cache: writes inside the prompt, under Anthropic’s name',
    channelType: CHANNEL_TYPE.ali,
    answer: chat({
      prompt_tokens: 1605,
      completion_tokens: 187,
      total_tokens: 1792,
      prompt_tokens_details: {
        cached_tokens: 0,
        cache_creation_input_tokens: 1595,
        cache_creation: { ephemeral_5m_input_tokens: 1595 },
        cache_type: 'ephemeral',
      },
    }),
    classes: { input: 10, cacheWrite5m: 1595, output: 187 },
  },
  {
    provider: 'Zhipu v4',
    what: 'cached inside the prompt',
    channelType: CHANNEL_TYPE.zhipuV4,
    answer: chat({
      prompt_tokens: 1200,
      completion_tokens: 300,
      total_tokens: 1500,
      prompt_tokens_details: { cached_tokens: 800 },
    }),
    classes: { input: 400, cacheRead: 800, output: 300 },
  },
  {
    provider: 'VolcEngine',
    what: 'cached inside the prompt, reasoning inside the completion',
    channelType: CHANNEL_TYPE.volcEngine,
    answer: chat({
      prompt_tokens: 88,
      completion_tokens: 543,
      total_tokens: 631,
      prompt_tokens_details: { cached_tokens: 64 },
      completion_tokens_details: { reasoning_tokens: 447 },
    }),
    classes: { input: 24, cacheRead: 64, output: 96, reasoning: 447 },
  },
  {
    provider: 'OpenRouter',
    what: 'cache reads and writes inside the prompt, whatever model answers',
    channelType: CHANNEL_TYPE.openRouter,
    answer: chat({
      prompt_tokens: 10_339,
      completion_tokens: 60,
      total_tokens: 10_399,
      cost: 0.01,
      prompt_tokens_details: { cached_tokens: 10_000, cache_write_tokens: 318, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 20, image_tokens: 0 },
    }),
    classes: { input: 21, cacheRead: 10_000, cacheWrite5m: 318, output: 40, reasoning: 20 },
  },
  {
    provider: 'Perplexity',
    what: 'pages read and research beside the total',
    channelType: CHANNEL_TYPE.perplexity,
    answer: chat({
      prompt_tokens: 33,
      completion_tokens: 7163,
      total_tokens: 7196,
      citation_tokens: 20_016,
      num_search_queries: 28,
      reasoning_tokens: 95_305,
    }),
    classes: { input: 20_049, output: 7163, reasoning: 95_305 },
  },
  {
    provider: 'Mistral',
    what: 'prompt and completion',
    channelType: CHANNEL_TYPE.mistral,
    answer: chat({ prompt_tokens: 16, completion_tokens: 34, total_tokens: 50 }),
    classes: { input: 16, output: 34 },
  },
  {
    provider: 'Cohere',
    what: 'billed units, not tokens',
    channelType: CHANNEL_TYPE.cohere,
    answer: () =>
      cohereAnswer({
        billed_units: { input_tokens: 5, output_tokens: 418 },
        tokens: { input_tokens: 71, output_tokens: 418 },
      }),
    classes: { input: 5, output: 418 },
  },
  {
    provider: 'LiteLLM',
    what: 'Claude behind it: writes inside the prompt, at the top level',
    channelType: CHANNEL_TYPE.custom,
    answer: chat({
      prompt_tokens: 2006,
      completion_tokens: 300,
      total_tokens: 2306,
      prompt_tokens_details: { cached_tokens: 1000 },
      cache_creation_input_tokens: 920,
      cache_read_input_tokens: 1000,
    }),
    classes: { input: 86, cacheRead: 1000, cacheWrite5m: 920, output: 300 },
  },
  {
    provider: 'Gateways before Claude',
    what: 'a prompt without its cached tokens, which only the total has',
    channelType: CHANNEL_TYPE.custom,
    answer: chat({
      prompt_tokens: 20,
      completion_tokens: 30,
      total_tokens: 1050,
      prompt_tokens_details: { cached_tokens: 1000 },
    }),
    classes: { input: 20, cacheRead: 1000, output: 30 },
  },
  {
    provider: 'SGLang',
    what: 'reasoning at the top level, inside the completion',
    channelType: CHANNEL_TYPE.custom,
    answer: chat({ prompt_tokens: 10, completion_tokens: 50, total_tokens: 60, reasoning_tokens: 45 }),
    classes: { input: 10, output: 5, reasoning: 45 },
  },
];
