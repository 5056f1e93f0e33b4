// Which usage of a whole answer is charged.
import { describe, expect, test } from 'bun:test';
import { usageOf } from '#server/billing/usage.ts';
import type { RunningCall } from '#server/relay/call/running-call.ts';
import { usageInAnswer } from './whole-usage.ts';

const unreported = usageOf({ input: 50 });

/** The parts of a call that its usage is made of. */
function usageOfAnswer(json: Record<string, unknown>) {
  const estimate = { promptTokens: 50, pieces: 1, choices: 1, unreported, isExact: false };
  const call = { prepared: { estimate, endpoint: { format: 'openai-chat' } } } as unknown as RunningCall;
  return usageInAnswer(call, { json, converted: undefined });
}

const words = { choices: [{ message: { role: 'assistant', content: 'four words of content' } }] };

describe('the usage of a whole answer', () => {
  test('is what the upstream reports', () => {
    const answer = usageOfAnswer({ ...words, usage: { prompt_tokens: 7, completion_tokens: 3 } });
    expect(answer).toMatchObject({ usage: { input: 7, output: 3 }, estimated: false });
  });

  test('of a recording is a thousand tokens for each minute, by whole seconds', () => {
    const tokens = (json: Record<string, unknown>) => usageOfAnswer(json).usage.input;
    expect(tokens({ text: 'hi', usage: { type: 'duration', seconds: 60 } })).toBe(1000);
    expect(tokens({ text: 'hi', usage: { type: 'duration', seconds: 0.2 } })).toBe(17);
    expect(tokens({ text: 'hi', duration: 90 })).toBe(1500);
    // A length that is none is not charged as one.
    expect(tokens({ text: 'hi', duration: -5 })).toBe(50);
    expect(tokens({ text: 'hi', duration: Number.NaN })).toBe(50);
  });

  test('of a ranking is a piece for each unit of search', () => {
    const answer = usageOfAnswer({ results: [], meta: { billed_units: { search_units: 3 } } });
    expect(answer).toMatchObject({ usage: { pieces: 3 }, estimated: false });
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
