// /v1/chat/completions as a stream: role chunk, one chunk per token, finish chunk, then the usage chunk with empty
// choices, only when asked. Tool calls stream interleaved, each under its own index, name and id in the first fragment.
import type { MockToolCall } from '#mock/upstream/behaviour.ts';
import type { Exchange, StreamEvent } from '#mock/upstream/dialect.ts';
import { calledOf, type ChatAnswer, logprobsJson } from './chat-answer.ts';
import { DEFAULT_PIECES, endlessPieces, splitArguments } from './compose.ts';
import { nowSeconds, publicModel, silence, uniqueId } from './identity.ts';
import { chatUsage } from './usage.ts';

/** Padding that hides token lengths from eavesdroppers; OpenAI sends it by default. */
const OBFUSCATION = ['aZ3', 'kQ81x', 'w', 'Lm0p2', 'h7Ty'];

const escapedDefaults = new Map(DEFAULT_PIECES.map((piece) => [piece, JSON.stringify(piece)]));

export function* chatEvents(exchange: Exchange, chat: ChatAnswer): Generator<StreamEvent> {
  const { behaviour, model } = exchange;
  const { composition, choices, includeUsage } = chat;
  const report = behaviour.usageReport ?? 'last';
  const head =
    `{"id":"${uniqueId('chatcmpl-')}","object":"chat.completion.chunk","created":${nowSeconds()},` +
    `"model":${publicModel(model)},"service_tier":"default","system_fingerprint":"fp_mock0001","choices":[`;
  const usageText = chatUsage(composition);
  let written = 0;
  const tail = (): string => {
    const padding = OBFUSCATION[written % OBFUSCATION.length];
    if (report === 'cumulative') {
      const outputTokens = Math.min(written, composition.usage.outputTokens);
      const usage = { ...composition.usage, outputTokens };
      return `],"usage":${chatUsage({ ...composition, usage, reportedOutput: outputTokens })}}`;
    }
    return includeUsage ? `],"usage":null,"obfuscation":"${padding}"}` : `],"obfuscation":"${padding}"}`;
  };
  const chunk = (
    index: number,
    delta: string,
    finish: string,
    tokens: number,
    logprobs = 'null',
  ): StreamEvent => {
    written += tokens;
    const choice = `{"index":${index},"delta":{${delta}},"logprobs":${logprobs},"finish_reason":${finish}}`;
    return { data: head + choice + tail(), tokens, usage: report === 'cumulative' };
  };

  for (let index = 0; index < choices; index += 1) {
    yield chunk(index, '"role":"assistant","content":"","refusal":null', 'null', 0);
  }
  for (const piece of composition.reasoning) {
    for (let index = 0; index < choices; index += 1) {
      yield chunk(index, `"reasoning_content":${JSON.stringify(piece)}`, 'null', 1);
    }
  }
  for (const piece of behaviour.endless ? endlessPieces() : composition.pieces) {
    const text = escapedDefaults.get(piece) ?? JSON.stringify(piece);
    const delta = chat.audio
      ? `"audio":{"id":"audio_1","transcript":${text},"data":"${silence}"}`
      : `"content":${text}`;
    const probabilities = chat.logprobs ? logprobsJson([piece]) : 'null';
    for (let index = 0; index < choices; index += 1) yield chunk(index, delta, 'null', 1, probabilities);
  }
  for (const [delta, tokens] of toolDeltas(composition.toolCalls)) {
    for (let index = 0; index < choices; index += 1) yield chunk(index, delta, 'null', tokens);
  }
  const hidden = composition.reasoning.length > 0 ? 0 : composition.usage.reasoningTokens;
  for (let index = 0; index < choices; index += 1) {
    const last = index === choices - 1;
    const event = chunk(index, '', JSON.stringify(composition.finishReason), last ? hidden : 0);
    if (last && report === 'with-finish') {
      event.data = event.data.replace(/\],("usage":null,)?"obfuscation":"\w+"\}$/, `],"usage":${usageText}}`);
      event.usage = true;
    }
    yield event;
  }
  const asked = includeUsage && report !== 'missing' && report !== 'with-finish';
  if (asked || report === 'unasked' || report === 'twice') {
    const event: StreamEvent = { data: `${head}],"usage":${usageText}}`, usage: true };
    yield event;
    if (report === 'twice') yield event;
  }
}

/** First fragments open each call, then the arguments arrive in turns, a fragment of each call at a time. */
function* toolDeltas(calls: readonly MockToolCall[]): Generator<[delta: string, tokens: number]> {
  const fragments = calls.map((call) => splitArguments(call.arguments));
  for (const [index, call] of calls.entries()) {
    const opening = { index, id: uniqueId('call_'), ...calledOf(call, '') };
    yield [`"tool_calls":[${JSON.stringify(opening)}]`, 1];
  }
  const rounds = Math.max(0, ...fragments.map((parts) => parts.length));
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, parts] of fragments.entries()) {
      const part = parts[round];
      if (part === undefined) continue;
      const rest =
        calls[index]?.isCustom === true ? { custom: { input: part } } : { function: { arguments: part } };
      yield [`"tool_calls":[${JSON.stringify({ index, ...rest })}]`, 1];
    }
  }
}
