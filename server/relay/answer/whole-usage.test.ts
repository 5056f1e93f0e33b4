// Which usage of a whole answer is charged.
import { describe, expect, test } from 'bun:test';
import { usageOf } from '#server/money/prices/usage.ts';
import { relayEndpoints } from '#server/relay/request/endpoints.ts';
import type { AskedCall } from '#server/relay/money/asked-for.ts';
import { usageInAnswer } from './whole-usage.ts';

const unreported = usageOf({ input: 50 });

/** The parts of a call that its usage is made of. */
function usageOfAnswer(
  json: Record<string, unknown>,
  path = '/v1/chat/completions',
  rest: Partial<AskedCall['prepared']> = {},
) {
  const estimate = { promptTokens: 50, pieces: 1, choices: 1, unreported, isExact: false, most: unreported };
  const endpoint = relayEndpoints.find((each) => each.path === path)!;
  const request = { estimate, endpoint, outputLimit: undefined, requestLength: 200, fields: {}, model: 'm' };
  return usageInAnswer({ prepared: { ...request, ...rest } }, { json, converted: undefined });
}

const words = { choices: [{ message: { role: 'assistant', content: 'four words of content' } }] };

describe('the usage of a whole answer', () => {
  test('is what the upstream reports', () => {
    const answer = usageOfAnswer({ ...words, usage: { prompt_tokens: 7, completion_tokens: 3 } });
    expect(answer).toMatchObject({ usage: { input: 7, output: 3 }, estimated: false });
  });

  test('of a recording is a thousand tokens for each minute, by whole seconds', () => {
    const tokens = (json: Record<string, unknown>) =>
      usageOfAnswer(json, '/v1/audio/transcriptions', { requestLength: 100_000 }).usage.input;
    expect(tokens({ text: 'hi', usage: { type: 'duration', seconds: 60 } })).toBe(1000);
    expect(tokens({ text: 'hi', usage: { type: 'duration', seconds: 0.2 } })).toBe(17);
    expect(tokens({ text: 'hi', duration: 90 })).toBe(1500);
    // A length that is none is not charged as one.
    expect(tokens({ text: 'hi', duration: -5 })).toBe(50);
    expect(tokens({ text: 'hi', duration: Number.NaN })).toBe(50);
  });

  test('of a ranking is a piece for each unit of search', () => {
    const units = (search_units: number) =>
      usageOfAnswer({ results: [], meta: { billed_units: { search_units } } }, '/v1/rerank', {
        fields: { documents: Array.from({ length: 250 }, () => 'a document') },
        requestLength: 4000,
      });
    expect(units(3)).toMatchObject({ usage: { pieces: 3 }, estimated: false, doubts: [] });
    // 250 documents are three units, and their text at most one more.
    expect(units(9007199254740991)).toMatchObject({
      usage: { pieces: 4 },
      doubts: [{ count: 'units', reported: 9007199254740991, charged: 4 }],
    });
  });

  test('seconds and units are read only of recordings and rankings (M13)', () => {
    const answer = { ...words, duration: 1e9, meta: { billed_units: { search_units: 1e9 } } };
    expect(usageOfAnswer(answer)).toMatchObject({ usage: { input: 50, pieces: 1 }, estimated: true });
  });

  test('a recording is not longer than its bytes allow (M13)', () => {
    const answer = usageOfAnswer({ text: 'hi', duration: 1e9 }, '/v1/audio/transcriptions', {
      requestLength: 100_000,
    });
    // 100,000 bytes at the lowest bit rate are 400 seconds, and a minute is added.
    expect(answer).toMatchObject({
      usage: { input: Math.ceil((460 * 1000) / 60) },
      doubts: [{ count: 'seconds', reported: 1e9, charged: 460 }],
    });
  });

  test('without a report, or with one of nothing beside content, is the prompt and the content as counted', () => {
    for (const usage of [undefined, { prompt_tokens: 0, completion_tokens: 0 }]) {
      const { usage: charged, estimated } = usageOfAnswer({ ...words, ...(usage && { usage }) });
      expect(charged.input).toBe(50);
      expect(charged.output).toBeGreaterThan(2);
      expect(estimated).toBe(true);
    }
  });
});
