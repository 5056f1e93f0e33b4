// The output of a batch, read from its upstream to the end.
import { describe, expect, test } from 'bun:test';
import { isObject, type Json } from '#server/models/formats/json.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { readOutput, UsageSum } from './usage-sum.ts';

/** Longer than any line that is kept. */
const LONG = 'x'.repeat(9 * 1024 * 1024);
const PIECE = 1024 * 1024;
const report = (prompt_tokens: number) => ({ usage: { prompt_tokens, completion_tokens: 1 } });
const line = (custom_id: string, prompt_tokens: number, text = '') =>
  JSON.stringify({ custom_id, content: text, ...report(prompt_tokens) });
const answerIn = (value: Json) => (isObject(value['usage']) ? { usage: value['usage'] } : undefined);

interface Wish {
  onPiece?: () => void;
  /** Before this piece. */
  breaksAt?: number;
  signal?: AbortSignal;
}

async function read(
  output: string,
  { onPiece = () => {}, breaksAt = Infinity, signal = new AbortController().signal }: Wish = {},
) {
  const bytes = new TextEncoder().encode(output);
  const seen = { warned: 0, aborted: 0 };
  let at = 0;
  let pieces = 0;
  const answer = {
    status: 200,
    async read() {
      if (pieces === breaksAt) throw new Error('broken off');
      onPiece();
      const piece = at < bytes.length ? bytes.subarray(at, at + PIECE) : undefined;
      at += PIECE;
      pieces += 1;
      return piece;
    },
  };
  const core = {
    egress: {
      target: async () => ({}),
      open: () => ({ answer: Promise.resolve(answer), abort: () => (seen.aborted += 1) }),
    },
    log: { warn: () => (seen.warned += 1) },
  } as unknown as Core;
  const channel = {
    id: 3,
    provider: { url: () => 'https://upstream.example/v1/files/output/content' },
    setting: { proxy: '' },
    headers: {},
  } as unknown as Channel;
  const sum = new UsageSum({ path: '/v1/chat/completions', promptTokens: 90, requests: 9 });
  const from = { channel, format: 'openai-batches', path: '/x', signal } as const;
  const found = await readOutput(core, from, sum, answerIn);
  return { found, seen };
}

describe('an output', () => {
  test('with two lines that are too long to be kept has the id and the report of each', async () => {
    const { found } = await read(
      [line('a', 100, LONG), line('b', 20, LONG), line('c', 3), line('a', 100, LONG), ''].join('\n'),
    );
    expect(found).toMatchObject({
      answered: 3,
      usage: { input: 123, output: 3 },
      estimated: false,
      doubts: [{ count: 'answers', reported: 4, charged: 3 }],
    });
  });

  test('is read to its end, with a last line that has none and lines that are empty', async () => {
    const { found, seen } = await read(`${line('a', 5)}\n\n  \r\n${line('b', 6)}`);
    expect(found).toMatchObject({ answered: 2, usage: { input: 11 } });
    expect(seen).toEqual({ warned: 0, aborted: 0 });
    expect((await read('')).found).toMatchObject({ answered: 0, usage: { input: 0 } });
  });

  test('that is cut, breaks off or is no list of objects is not the output, and is read again later', async () => {
    for (const output of [`${line('a', 5)}\n${line('b', 6).slice(0, -3)}`, `${line('a', 5)}\n[]\n`]) {
      const { found, seen } = await read(output);
      expect([found, seen]).toEqual([undefined, { warned: 1, aborted: 1 }]);
    }
    const broken = await read(line('a', 5), { breaksAt: 1 });
    expect([broken.found, broken.seen]).toEqual([undefined, { warned: 1, aborted: 1 }]);
  });

  test('that was being read when the node stopped is not the output', async () => {
    const ending = new AbortController();
    const { found, seen } = await read(line('a', 5), {
      onPiece: () => ending.abort(),
      signal: ending.signal,
    });
    expect(found).toBeUndefined();
    expect(seen).toEqual({ warned: 0, aborted: 1 });
  });
});
