// Lines of batches: divided, summed, and shown to their owner.
import { describe, expect, spyOn, test } from 'bun:test';
import { itemTexts, memberText } from '#server/relay/request/json-members.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { eachLine, LineSplitter } from './lines.ts';
import type { Task } from '#server/relay/tasks/rows.ts';
import { anthropicBatches } from './anthropic.ts';
import { openAiBatches } from './openai.ts';
import { readLine, RequestSum } from './requests.ts';
import { stateOf } from './state.ts';
import { shownInput, shownOutput } from './shown-lines.ts';
import { LongLine, UsageSum } from './usage-sum.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);

describe('lines', () => {
  test('of a file have the numbers an editor shows, blank ones are skipped', async () => {
    const seen: [number, string][] = [];
    await eachLine(bytes('{"a":1}\r\n\n {"b":"é"}'), (text, number) => seen.push([number, text]));
    expect(seen).toEqual([
      [1, '{"a":1}'],
      [3, '{"b":"é"}'],
    ]);
  });

  test('that are blank cost no more than their bytes: a file may have fifty million of them', async () => {
    const decode = spyOn(TextDecoder.prototype, 'decode');
    const seen: [number, string][] = [];
    const blank = '\n \r\n\t'.repeat(1000);
    await eachLine(bytes(`${blank}{"a":1}${blank}`), (text, number) => seen.push([number, text]));
    const decoded = decode.mock.calls.length;
    decode.mockRestore();
    expect(decoded).toBe(1);
    expect(seen).toEqual([[2001, '{"a":1}']]);
  });

  test('of an answer are whole, however its pieces are cut', () => {
    const whole = bytes('{"a":"é"}\n{"b":2}\n\n{"c":3}');
    for (let size = 1; size <= whole.length; size += 1) {
      const splitter = new LineSplitter();
      const lines = [];
      for (let at = 0; at < whole.length; at += size)
        lines.push(...splitter.push(whole.subarray(at, at + size)));
      lines.push(...splitter.push(undefined));
      expect(lines).toEqual([{ line: '{"a":"é"}' }, { line: '{"b":2}' }, { line: '' }, { line: '{"c":3}' }]);
    }
  });

  test('too long to be read pass in pieces that are not kept', () => {
    const splitter = new LineSplitter();
    const long = 'x'.repeat(1024 * 1024);
    const found = [];
    for (let count = 0; count < 20; count += 1) found.push(...splitter.push(bytes(long)));
    found.push(...splitter.push(bytes('end\n{"next":1}')), ...splitter.push(undefined));
    const text = found.map((each) => ('long' in each ? each.long : '')).join('');
    expect(text).toBe(`${long.repeat(20)}end`);
    expect(found.filter((each) => 'long' in each && each.isEnd)).toHaveLength(1);
    expect(found.at(-1)).toEqual({ line: '{"next":1}' });
  });

  test('keep the bytes of a member and of items', () => {
    expect(memberText('{"a": 1.0, "body" : {"n": 1e2} }', 'body')).toBe('{"n": 1e2}');
    expect(memberText('{"a":1}', 'body')).toBeUndefined();
    expect([...itemTexts(' [ {"n":1.0} , "a,]", 3,[4]]')]).toEqual(['{"n":1.0}', '"a,]"', '3', '[4]']);
    expect([...itemTexts('[]')]).toEqual([]);
  });
});

describe('the sum of an output', () => {
  const input = { path: '/v1/chat/completions', promptTokens: 25, requests: 2 };
  const content = { choices: [{ message: { role: 'assistant', content: 'four words of content' } }] };

  test('has every class of every report', () => {
    const sum = new UsageSum(input);
    const details = {
      prompt_tokens_details: { cached_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 2 },
    };
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, ...details };
    for (const id of ['a', 'b']) sum.add({ ...content, usage }, id);
    expect(sum.result).toMatchObject({
      usage: { input: 12, cacheRead: 8, output: 6, reasoning: 4, pieces: 2 },
      estimated: false,
      answered: 2,
    });
  });

  test('of a batch whose ids were not kept has no more answers than requests (M21)', () => {
    const sum = new UsageSum(input);
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    for (const id of ['a', 'b', 'c', 'd']) sum.add({ ...content, usage }, id);
    expect(sum.result).toMatchObject({
      usage: { input: 20, output: 10, pieces: 2 },
      answered: 2,
      doubts: [{ count: 'answers', reported: 4, charged: 2 }],
    });
  });

  test('of answers that are believed one by one is no more than all requests allow together (M21)', () => {
    const each = { input: 100, output: 50, answer: 50, searches: 0 };
    const all = { input: 150, output: 80, answer: 80, searches: 0 };
    const sum = new UsageSum({ ...input, bounds: { each, all } });
    const usage = { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 };
    for (const id of ['a', 'b']) sum.add({ ...content, usage }, id);
    expect(sum.result).toMatchObject({ usage: { input: 150, output: 80 }, answered: 2 });
  });

  test('of an answer that is longer than its limit has what was delivered of it', () => {
    const each = { input: 100, output: 50, answer: 50, searches: 0 };
    const sum = new UsageSum({ ...input, bounds: { each, all: { ...each, input: 200 } } });
    const long = { choices: [{ message: { role: 'assistant', content: 'word '.repeat(100) } }] };
    sum.add({ ...long, usage: { prompt_tokens: 10, completion_tokens: 120, total_tokens: 130 } }, 'a');
    expect(sum.result).toMatchObject({ usage: { input: 10, output: 120 }, doubts: [] });
  });

  test('has all of an answer that was counted here, beside what the other requests allow (M21)', () => {
    const each = { input: 100, output: 50, answer: 50, searches: 0 };
    const sum = new UsageSum({ ...input, bounds: { each, all: { ...each, input: 200 } } });
    const usage = { prompt_tokens: 10, completion_tokens: 50, total_tokens: 60 };
    sum.add({ ...content, usage }, 'a');
    const counted = new UsageSum(input);
    for (const batch of [sum, counted]) batch.add(content, 'b');
    const { output } = counted.result.usage;
    expect(output).toBeGreaterThan(0);
    expect(sum.result).toMatchObject({ usage: { output: 50 + output }, estimated: true, doubts: [] });
  });

  test('has no more answers than requests, also when some are too long to show their id', () => {
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    for (const order of ['first', 'last']) {
      const sum = new UsageSum(input);
      if (order === 'last') sum.add({ ...content, usage }, 'a');
      sum.addUnread();
      if (order === 'first') sum.add({ ...content, usage }, 'a');
      sum.addUnread();
      sum.addLong(new LongLine());
      sum.add({ ...content, usage }, 'b');
      const { answered, doubts, usage: used } = sum.result;
      expect([answered, used.pieces]).toEqual([2, 2]);
      expect(doubts).toEqual([{ count: 'answers', reported: 5, charged: 2 }]);
    }
  });

  test('takes an average prompt for an answer without a credible report, and says so', () => {
    const sum = new UsageSum(input);
    sum.add(content, 'a');
    sum.addUnread();
    const { usage, estimated, answered } = sum.result;
    expect([usage.input, estimated, answered]).toEqual([26, true, 2]);
    expect(usage.output).toBeGreaterThan(0);
    expect(new UsageSum(input).result).toMatchObject({
      usage: { input: 0, output: 0, pieces: 0 },
      answered: 0,
    });
  });

  test('has the report of an answer that is too long to be kept, not the average prompt', async () => {
    const report = '"usage":{"prompt_tokens":9000,"total_tokens":9000,"details":{"cached_tokens":0}}';
    const around = (before: string, after: string) => {
      const sum = new UsageSum({ ...input, path: '/v1/embeddings' });
      const line = new LongLine();
      for (const piece of [before, 'x'.repeat(100_000), '\\"usage\\":{\\"prompt_tokens\\":1}', after])
        line.add(piece);
      sum.addLong(line);
      return sum.result;
    };
    const read = { usage: { input: 9000, pieces: 1 }, estimated: false, answered: 1 };
    expect(around('{"data":[', `],${report}}},"error":null}`)).toMatchObject(read);
    expect(around(`{${report},"data":[`, ']}},"error":null}')).toMatchObject(read);
    const unread = { usage: { input: 13 }, estimated: true, answered: 1 };
    expect(around('{"data":[', ']}},"error":null}')).toMatchObject(unread);
    expect(around('{"data":[', '"usage":{"prompt_tokens":-1}}')).toMatchObject(unread);
  });
});

const core = { settings: { current: { ModelLimits: { m: { answer: 9000 } } } } } as unknown as Core;

test('the hold of a batch is for every choice of every request, and for the largest answer without a limit (M21)', () => {
  const sum = new RequestSum(core, { models: undefined } as Caller);
  const add = (custom_id: string, fields: object) => {
    const body = { model: 'm', messages: [{ role: 'user', content: 'gate?' }], ...fields };
    sum.add(readLine(JSON.stringify({ custom_id, method: 'POST', url: '/v1/chat/completions', body })));
  };
  add('one', { max_tokens: 100 });
  add('three', { max_tokens: 50, n: 3 });
  expect(sum.input).toMatchObject({ requests: 2, outputTokens: 250 });
  add('unlimited', { n: 2 });
  expect(sum.input.outputTokens).toBe(250 + 2 * 9000);
});

test('the hold of a batch has the reasoning that a model counts beside the limit, for every choice (M21)', () => {
  const sum = new RequestSum(core, { models: undefined } as Caller);
  const messages = [{ role: 'user', content: 'gate?' }];
  const body = { model: 'deepseek-r1', messages, max_tokens: 100, n: 2 };
  const line = { custom_id: 'one', method: 'POST', url: '/v1/chat/completions', body };
  sum.add(readLine(JSON.stringify(line)));
  expect(sum.input.outputTokens).toBe(2 * (100 + 32_768));
});

test('lines are shown with the caller’s model and without the names of upstreams', () => {
  const asked = '{"custom_id":"a","body":{"n": 1.0,"model":"upstream"}}';
  expect(shownInput(asked, 'mine')).toBe('{"custom_id":"a","body":{"n": 1.0,"model":"mine"}}');
  const answered = '{"custom_id":"a","response":{"body":{"model":"upstream","x": 1.0}},"error":null}';
  expect(shownOutput(answered, 'mine')).toBe(answered.replace('upstream', 'mine'));
  expect(shownOutput(answered, undefined)).toBe(answered);
  const failed =
    '{"custom_id":"a","response":{"body":{"error":{"message":"ask https://a.example.com","code":"x"}}}}';
  expect(JSON.parse(shownOutput(failed, undefined))).toEqual({
    custom_id: 'a',
    response: { body: { error: { message: 'ask ***', code: 'x' } } },
  });
});

describe('requests of one batch', () => {
  const sumOf = (models?: ReadonlySet<string>) => {
    const sum = new RequestSum(core, { models } as unknown as Caller);
    const add = (custom_id: string, fields: object = {}, url = '/v1/chat/completions') => {
      const body = { model: 'm', messages: [{ role: 'user', content: 'gate?' }], ...fields };
      sum.add(readLine(JSON.stringify({ custom_id, method: 'POST', url, body })));
    };
    return { sum, add };
  };
  const codeOf = (work: () => void): string | undefined => {
    try {
      work();
      return undefined;
    } catch (error) {
      return (error as { code?: string }).code;
    }
  };

  test('have ids, a model that their caller may use, no stream and no state of a channel', () => {
    const { add } = sumOf(new Set(['m']));
    add('one');
    expect(codeOf(() => add('one'))).toBe('batch_same_id');
    expect(codeOf(() => add('two', { stream: true }))).toBe('batch_stream');
    expect(codeOf(() => add('three', { model: 'n' }))).toBe('batch_other_model');
    expect(codeOf(() => add('four', { conversation: 'conv_1' }))).toBe('invalid_field');
    expect(codeOf(() => add('five', {}, '/v1/completions'))).toBe('batch_other_endpoint');
    expect(codeOf(() => sumOf(new Set(['other'])).add('one'))).toBe('model_not_allowed');
  });

  test('together may have used what each of them may, one of them what the widest may', () => {
    const { sum, add } = sumOf();
    add('one', { max_tokens: 1000 });
    const { bounds: small } = sum.input;
    add('two', { max_tokens: 9000 });
    add('three', { max_tokens: 1000 });
    const { bounds } = sum.input;
    if (small === undefined || bounds === undefined) throw new Error('no bounds');
    expect(bounds.each.output).toBeGreaterThan(small.each.output);
    expect(bounds.all.output).toBe(2 * small.each.output + bounds.each.output);
    expect(bounds.all.input).toBe(2 * small.each.input + bounds.each.input);
  });
});

describe('what an output adds', () => {
  const input = { path: '/v1/chat/completions', promptTokens: 25, requests: 40 };
  const content = { choices: [{ message: { role: 'assistant', content: 'four words of content' } }] };
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

  test('an estimate stays one when the last answers have reports, and so do doubts, the first twenty of them', () => {
    const each = { input: 8, output: 50, answer: 50, searches: 0 };
    const sum = new UsageSum({
      ...input,
      bounds: { each, all: { ...each, input: 10_000, output: 10_000, answer: 10_000 } },
    });
    sum.add(content, 'unreported');
    for (let number = 0; number < 30; number += 1) sum.add({ ...content, usage }, `${number}`);
    const { estimated, doubts } = sum.result;
    expect([estimated, doubts.length]).toEqual([true, 20]);
    expect(doubts[0]).toEqual({ count: 'input', reported: 10, charged: 8 });
  });

  test('a prompt that is longer than any request is believed as far as it was counted here', () => {
    const each = { input: 5, output: 50, answer: 50, searches: 0 };
    const sum = new UsageSum({ ...input, promptTokens: 4000, bounds: { each, all: each } });
    sum.addUnread();
    expect(sum.result).toMatchObject({ usage: { input: 100 }, doubts: [] });
  });

  test('searches are counted over all answers, and no more of them than were asked for', () => {
    const searched = { ...content, usage: { ...usage, server_tool_use: { web_search_requests: 2 } } };
    const each = { input: 100, output: 50, answer: 50, searches: 5 };
    const of = (searches: number) => {
      const all = { ...each, input: 1000, output: 1000, answer: 1000, searches };
      const sum = new UsageSum({ ...input, path: '/v1/messages', bounds: { each, all } });
      const message = {
        type: 'message',
        content: [],
        usage: { input_tokens: 10, output_tokens: 5, ...searched.usage },
      };
      for (const id of ['a', 'b', 'c']) sum.add(message, id);
      return sum.result.usage.surcharges;
    };
    expect(of(100)).toEqual([{ name: 'web_search', count: 6, dollarsEach: 0 }]);
    expect(of(4)).toEqual([{ name: 'web_search', count: 4, dollarsEach: 0 }]);
  });

  test('a long line with an id is an answer to that request alone', () => {
    const sum = new UsageSum({ ...input, requests: 3 });
    const long = new LongLine();
    long.add('{"custom_id":"a","response":{"body":{"usage":{"prompt_tokens":9,"completion_tokens":1}');
    sum.addLong(long);
    sum.addLong(long);
    expect(sum.result).toMatchObject({ answered: 1, usage: { input: 9, pieces: 1 } });
  });

  test('long lines without an id are answers to as many requests as there are', () => {
    const sum = new UsageSum({ ...input, requests: 2 });
    const long = new LongLine();
    long.add('{"response":{"body":{"usage":{"prompt_tokens":9,"completion_tokens":1}');
    for (let times = 0; times < 3; times += 1) sum.addLong(long);
    expect(sum.result).toMatchObject({
      answered: 2,
      usage: { input: 18 },
      doubts: [{ count: 'answers', reported: 3, charged: 2 }],
    });
  });

  test('an answer that used less than it might leaves the rest to no other, and takes nothing from the next one', () => {
    const each = { input: 10, output: 50, answer: 50, searches: 0 };
    const all = { input: 14, output: 55, answer: 55, searches: 0 };
    const sum = new UsageSum({ ...input, bounds: { each, all } });
    const used = (prompt_tokens: number, completion_tokens: number) => ({
      ...content,
      usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
    });
    sum.add(used(4, 5), 'a');
    sum.add(used(10, 50), 'b');
    expect(sum.result).toMatchObject({ usage: { input: 14, output: 55 }, doubts: [] });
    sum.add(used(10, 50), 'c');
    expect(sum.result).toMatchObject({ usage: { input: 14, output: 55 } });
    // What was counted here is believed beside it.
    sum.add(content, 'd');
    expect(sum.result.usage.output).toBeGreaterThan(55);
  });
});

describe('the end of a batch', () => {
  const now = 1_770_000_000_000;
  const state = {
    upstream: 'u',
    batch: {},
    input: { model: 'm', path: '/v1/chat/completions', requests: 2, promptTokens: 4, outputTokens: 4 },
  };
  const task = { status: 'IN_PROGRESS', start_ms: 5, properties: JSON.stringify(state) } as Task;
  const output = (answered: number) => ({
    usage: new UsageSum(state.input).result.usage,
    estimated: true,
    answered,
    doubts: [{ count: 'report' }],
  });
  const change = (batch: object, answered?: number) =>
    openAiBatches.changeIn(
      task,
      { batch, ...(answered === undefined ? {} : { output: output(answered) }) },
      now,
    );

  test('is a success with what was answered, and a failure where nothing was and the upstream says why', () => {
    expect(change({ status: 'completed' }, 0)).toMatchObject({ ends: true, change: { status: 'SUCCESS' } });
    expect(change({ status: 'expired' }, 1)).toMatchObject({ ends: true, change: { status: 'SUCCESS' } });
    const expired = change({ status: 'expired' }, 0);
    expect(expired).toMatchObject({ ends: true, change: { status: 'FAILURE', finish_ms: now } });
    expect(stateOf({ properties: expired.change.properties ?? '' })).not.toHaveProperty('usage');
    // Its output has not been read.
    expect(change({ status: 'completed' })).toMatchObject({ ends: false, change: { status: 'IN_PROGRESS' } });
    expect(change({ status: 'failed' })).toMatchObject({ ends: true, change: { status: 'FAILURE' } });
    expect(change({ status: 'validating' })).toMatchObject({ ends: false, change: { status: 'QUEUED' } });
  });

  test('keeps what is charged, whether it was estimated, and what was not believed', () => {
    const ended = change({ status: 'completed' }, 2);
    const after = { ...task, ...ended.change };
    for (const platform of [openAiBatches, anthropicBatches]) {
      expect(platform.usageOf?.(after)).toMatchObject({ input: 0 });
      expect(platform.isEstimated?.(after)).toBe(true);
      expect(platform.doubtsOf?.(after)).toEqual([{ count: 'report' }]);
      expect([platform.isEstimated?.(task), platform.doubtsOf?.(task), platform.usageOf?.(task)]).toEqual([
        false,
        [],
        undefined,
      ]);
    }
  });
});
