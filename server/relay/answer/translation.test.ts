// How a stream that is carried between two formats ends, where the upstream leaves its last events out.
import { expect, test } from 'bun:test';
import type { CanonicalUsage } from '#server/models/formats/canonical.ts';
import { anthropicMessages } from '#server/models/formats/anthropic-messages/index.ts';
import type { Codec } from '#server/models/formats/codec.ts';
import { openAiChat } from '#server/models/formats/openai-chat/index.ts';
import { closingOf, reshaperOf } from '#server/relay/upstream-body/conversion.ts';
import { usageOf } from '#server/money/prices/usage.ts';
import type { Host, StreamEnding } from './carrier.ts';
import { Translation } from './translation.ts';

const chunk = (fields: object) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', ...fields })}\n\n`;
const words = chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: 'One two.' } }] });
const finish = chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'length' }] });
const usage = chunk({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 } });

/** An answer in OpenAI's format, as a caller of Anthropic's, or of OpenAI's, reads it. */
async function carried(stream: string, caller: Codec = anthropicMessages) {
  const seen = { kept: [] as CanonicalUsage[], endings: [] as StreamEnding[], text: '', tokens: 0 };
  const host = {
    hasBegun: false as boolean,
    isOver: false as boolean,
    begin: () => void (host.hasBegun = true),
    refuse: () => void (host.isOver = true),
    emit(text: string, tokens: number) {
      seen.text += text;
      seen.tokens += tokens;
    },
    count: (tokens: number) => void (seen.tokens += tokens),
    keepUsage: (kept: CanonicalUsage) => void seen.kept.push(kept),
    finish(ending: StreamEnding) {
      host.isOver = true;
      seen.endings.push(ending);
    },
  } satisfies Host;
  const translation = new Translation({
    conversion: {
      from: 'anthropic-messages',
      to: 'openai-chat',
      upstream: openAiChat,
      caller,
      request: {
        format: 'anthropic-messages',
        model: 'm',
        messages: [],
        stream: true,
        extra: {},
        source: {},
      },
      framing: 'sse',
      options: { includeUsage: true },
      notes: [],
      answerNotes: [],
      isClosing: closingOf('openai-chat'),
      reshaper: reshaperOf('msg_1', 'm', false),
    },
    eventLimitBytes: 100_000,
    sentence: ({ code }) => code,
    onFault: () => {},
    onLoss: () => {},
  });
  translation.attach(host);
  translation.data(Buffer.from(stream));
  if (!host.isOver) translation.end();
  const [ending = 'broken'] = seen.endings;
  const conclusion = { problem: undefined, estimated: usageOf({ input: 5, output: 2 }), comment: '' };
  const last = await translation.closing(ending, conclusion);
  const stops = [...last.matchAll(/"(?:stop|finish)_reason":"(\w+)"/g)].map(([, reason]) => reason);
  const output = [...last.matchAll(/"output_tokens":(\d+)/g)].map(([, tokens]) => Number(tokens));
  return { ...seen, stops, output, isWhole: last.includes('message_stop') };
}

test('an answer with its usage is whole, also without the event that finishes it', async () => {
  const answer = await carried(words + usage);
  expect(answer).toMatchObject({ endings: ['complete'], stops: ['end_turn'], output: [3], isWhole: true });
  expect(answer.kept).toMatchObject([{ input: 7, output: 3 }]);
});

test('an answer that was finished is whole, also without its usage: the estimate is told', async () => {
  const answer = await carried(words + finish);
  expect(answer).toMatchObject({ endings: ['complete'], stops: ['max_tokens'], output: [2], isWhole: true });
  expect(answer.kept).toEqual([]);
});

test('an answer that its last event ends is whole, with neither', async () => {
  const answer = await carried(`${words}data: [DONE]\n\n`);
  expect(answer).toMatchObject({ endings: ['complete'], stops: ['end_turn'], output: [2], isWhole: true });
});

test('an answer with neither is broken, and has no end', async () => {
  const answer = await carried(words);
  expect(answer).toMatchObject({ endings: ['broken'], stops: [], output: [], isWhole: false });
  expect(answer.tokens).toBeGreaterThan(1);
});

test('a caller in whose format every answer has a reason of its end gets one', async () => {
  const { stops } = await carried(words + usage, openAiChat);
  expect(stops).toEqual(['stop']);
  expect((await carried(words + finish, openAiChat)).stops).toEqual(['length']);
});
