// The request that the panel tries. That the relay finds in it what its fields say is tested with the simulator.
import { describe, expect, test } from 'bun:test';
import { blankTry, callOf, headersOf, isHeader, requestOf } from './request.ts';

const blank = { ...blankTry('default'), prompt: 'hello' };

describe('the request of the panel', () => {
  test('a plain prompt is one text, with the effort that is chosen', () => {
    expect(requestOf(blank)).toEqual({ messages: [{ role: 'user', content: 'hello' }] });
    expect(requestOf({ ...blank, effort: 'high' })).toMatchObject({ reasoning_effort: 'high' });
  });

  test('a pasted request is sent in its own format, one made of fields in that of OpenAI', () => {
    const pasted = {
      ...blank,
      way: 'request' as const,
      request: '{"a": 1}',
      format: 'gemini-generate' as const,
    };
    expect(callOf(pasted)).toEqual({
      group: 'default',
      format: 'gemini-generate',
      headers: {},
      request: { a: 1 },
    });
    expect(callOf({ ...pasted, way: 'fields' }).format).toBe('openai-chat');
    expect(callOf({ ...blank, spendable: 0 }).spendable).toBe(0);
    for (const request of ['', '{', '[]', 'null', '1'])
      expect(requestOf({ ...pasted, request })).toBeUndefined();
  });

  test('headers are lines of a name and a value', () => {
    expect(headersOf('X-Tier: gold\n\n Tollgate-Tags : team=search \nnothing')).toEqual({
      'X-Tier': 'gold',
      'Tollgate-Tags': 'team=search',
    });
    expect(['X-Tier: gold', 'X-Tier:', 'gold'].map(isHeader)).toEqual([true, false, false]);
  });
});
