// A batch as it is kept and shown: the words of its upstream, its state at each moment, its counts, and its requests.
import { describe, expect, test } from 'bun:test';
import { factText, wordsIn } from '#contract/facts.ts';
import { failWords } from '#server/relay/tasks/fail-words.ts';
import type { Caller } from '#server/relay/caller/authenticate.ts';
import { messagesEndpoint } from '#server/relay/request/endpoints.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import type { Task } from '#server/relay/tasks/rows.ts';
import { anthropicBatches, anthropicView, hasResults } from './anthropic.ts';
import { AskedIds, IdPrints } from './asked-ids.ts';
import { fileObject, limitIn, pageOf, purposeIn } from './answers.ts';
import { batchCounts } from './counts.ts';
import { openAiBatches, OPEN_AI_FIELDS, openAiView } from './openai.ts';
import { atPlace, batchEndpoint, estimateOf, readLine, readMessage, RequestSum } from './requests.ts';
import { batchFields } from './state.ts';

const now = 1_770_000_000_000;
const input = { model: 'm', path: '/v1/responses', requests: 4, promptTokens: 40, outputTokens: 80 };

function taskOf(batch: object, more: Partial<Task> = {}, state: object = {}): Task {
  return {
    task_id: 'batch_ours',
    platform: 'openai-batch',
    model: 'mine',
    status: 'IN_PROGRESS',
    money: 'open',
    fail_reason: '',
    submit_ms: now - 5000,
    start_ms: 0,
    finish_ms: now,
    deadline_at: now / 1000 + 600,
    properties: JSON.stringify({ upstream: 'u', batch, input, ...state }),
    ...more,
  } as Task;
}

const ENDED = { status: 'SUCCESS', money: 'settled' } as const;

describe('the words of an upstream', () => {
  test('are known fields of at most 20,000 characters', () => {
    const fits = 'x'.repeat(19_998);
    expect(batchFields({ a: 1, b: null, c: 2, d: fits, e: `${fits}x` }, ['a', 'b', 'd', 'e', 'f'])).toEqual({
      a: 1,
      b: null,
      d: fits,
    });
    expect(batchFields('text', ['a'])).toEqual({});
  });

  test('have the first twenty errors, without names of upstreams', () => {
    const error = (line: unknown) => ({
      code: 'c'.repeat(101),
      line,
      message: 'ask https://a.example',
      param: '',
      x: 1,
    });
    const { errors } = batchFields({ errors: { data: [error(7), error('7'), 'text'] } }, ['errors']);
    const shown = { code: 'c'.repeat(100), message: 'ask ***', param: null };
    expect(errors).toEqual({
      object: 'list',
      data: [
        { ...shown, line: 7 },
        { ...shown, line: null },
      ],
    });
    const many = Array.from({ length: 21 }, (_, line) => ({ line, param: 'p'.repeat(101) }));
    const { data } = batchFields({ errors: { data: many } }, ['errors'])['errors'] as { data: object[] };
    expect([data.length, data[0]]).toEqual([20, { code: '', line: 0, message: '', param: 'p'.repeat(100) }]);
    for (const given of [null, {}, { data: 'x' }])
      expect(batchFields({ errors: given }, ['errors'])).toEqual({});
  });
});

describe('a batch of OpenAI', () => {
  const counted = (status: string, total: number, completed: number, failed: number) => ({
    status,
    request_counts: { total, completed, failed },
  });
  const change = (batch: object, more: Partial<Task> = {}) => {
    const { change: changed, ends } = openAiBatches.changeIn(taskOf({}, more), { batch }, now);
    return [changed.status, changed.progress, changed.start_ms, ends];
  };

  test('is as far as its requests are', () => {
    expect(change(counted('validating', 4, 0, 0))).toEqual(['QUEUED', '0%', 0, false]);
    expect(change(counted('in_progress', 3, 1, 1))).toEqual(['IN_PROGRESS', '66%', now, false]);
    expect(change(counted('finalizing', 4, 9, 0), { start_ms: 5 })).toEqual([
      'IN_PROGRESS',
      '100%',
      5,
      false,
    ]);
    expect(change(counted('in_progress', 4, -9, 0))[1]).toBe('0%');
    expect(change(counted('in_progress', 0, 1, 0))[1]).toBe('0%');
    expect(change({ status: 'cancelling' }).slice(0, 2)).toEqual(['IN_PROGRESS', '0%']);
    expect(openAiBatches.changeIn(taskOf({}), {}, now)).toEqual({
      change: { status: 'IN_PROGRESS' },
      ends: false,
    });
  });

  test('that is refused says why, in the words of its first error', () => {
    const reason = (batch: object) =>
      openAiBatches.changeIn(taskOf({}), { batch: { status: 'failed', ...batch } }, now).change;
    const errors = { data: [{ message: 'Line 1 is wrong' }, { message: 'Line 2' }] };
    expect(reason({ errors })).toMatchObject({
      status: 'FAILURE',
      fail_reason: 'Line 1 is wrong',
      start_ms: now,
      finish_ms: now,
    });
    expect(reason({}).fail_reason).toBe(factText('batchRefused'));
  });

  test('is shown with our ids; its end and its files when it is paid', () => {
    const batch = {
      id: 'theirs',
      endpoint: '/theirs',
      status: 'completed',
      completed_at: 5,
      failed_at: 6,
      expired_at: 7,
      cancelled_at: 8,
      metadata: { night: 'yes' },
    };
    const files = { inputFile: 'file-in', outputFile: 'file-out', errorFile: 'file-errors' };
    const common = {
      id: 'batch_ours',
      object: 'batch',
      errors: null,
      endpoint: '/v1/responses',
      model: 'mine',
      metadata: { night: 'yes' },
      input_file_id: 'file-in',
    };
    const kept = batchFields(batch, OPEN_AI_FIELDS);
    expect(openAiView(taskOf(kept, { status: 'SUCCESS' }, files))).toEqual({
      ...common,
      status: 'finalizing',
      output_file_id: null,
      error_file_id: null,
    });
    const { id: _, endpoint: __, ...ends } = batch;
    const ended = { ...common, ...ends, status: 'completed' };
    expect(openAiView(taskOf(kept, ENDED, files))).toEqual({
      ...ended,
      output_file_id: 'file-out',
      error_file_id: 'file-errors',
    });
    expect(openAiView(taskOf(kept, ENDED, { inputFile: 'file-in' }))).toEqual({
      ...ended,
      output_file_id: null,
      error_file_id: null,
    });
  });

  test('has its upstream’s state until it ends, and is being finalized or cancelled until it is paid', () => {
    const status = (batch: object, more: Partial<Task> = {}) => openAiView(taskOf(batch, more)).status;
    expect(status({ status: 'in_progress' })).toBe('in_progress');
    expect(status({})).toBe('validating');
    expect(status({ status: 'validating' })).toBe('validating');
    for (const end of ['completed', 'expired', 'cancelled', 'failed'])
      expect(status({ status: end })).toBe('finalizing');
    expect(status({ status: 'cancelled', cancelling_at: 5 })).toBe('cancelling');
    expect(status({ status: 'cancelled', cancelling_at: null })).toBe('finalizing');
    expect(status({ status: 'cancelled', cancelling_at: 5 }, ENDED)).toBe('cancelled');
  });

  test('that was given up here has failed, and says why when its hold has ended', () => {
    const failed = { status: 'FAILURE', fail_reason: factText('batchLate') };
    for (const status of ['validating', 'in_progress']) {
      const given = openAiView(taskOf({ status }, { ...failed, money: 'released' }));
      expect(given).toMatchObject({
        status: 'failed',
        errors: {
          object: 'list',
          data: [{ code: 'batch_lost', message: failWords(factText('batchLate')), param: null, line: null }],
        },
      });
      expect(openAiView(taskOf({ status }, { ...failed, money: 'open' }))).toMatchObject({
        status,
        errors: null,
      });
    }
    expect(openAiView(taskOf({ status: 'failed' }, { ...failed, money: 'released' })).errors).toBeNull();
    expect(wordsIn('en', factText('batchLate'))).not.toBe('');
  });
});

describe('a batch of Anthropic', () => {
  const counts = { processing: 1, succeeded: 2, errored: 1, canceled: 0, expired: 0 };
  const change = (batch: object) => {
    const { change: changed, ends } = anthropicBatches.changeIn(taskOf({}), { batch }, now);
    return [changed.status, changed.progress, ends];
  };

  test('is as far as its requests are', () => {
    expect(change({ processing_status: 'in_progress', request_counts: counts })).toEqual([
      'IN_PROGRESS',
      '75%',
      false,
    ]);
    const other = { processing: 2, canceled: 1, expired: 1 };
    expect(change({ processing_status: 'canceling', request_counts: other })[1]).toBe('50%');
    expect(change({ processing_status: 'in_progress' })[1]).toBe('0%');
  });

  test('of which nothing was answered failed, by whom it was ended', () => {
    const output = { answered: 0, usage: {}, estimated: false, doubts: [] };
    const ended = (request_counts: object) =>
      anthropicBatches.changeIn(
        taskOf({}),
        { batch: { processing_status: 'ended', request_counts }, output },
        now,
      ).change;
    expect(ended({ canceled: 1, expired: 1 })).toMatchObject({
      status: 'FAILURE',
      fail_reason: factText('batchCancelled'),
    });
    expect(ended({ expired: 1 })).toMatchObject({ status: 'FAILURE', fail_reason: factText('batchExpired') });
    expect(ended({ errored: 1 })).toMatchObject({ status: 'SUCCESS', progress: '100%', fail_reason: '' });
  });

  test('is shown with times of its own where the upstream says none; its results when they were read and paid', () => {
    const iso = (ms: number) => new Date(ms).toISOString();
    const view = (batch: object, more: Partial<Task> = {}, state: object = {}) =>
      anthropicView(taskOf(batch, more, state), 'https://gate.example');
    expect(view({})).toEqual({
      id: 'batch_ours',
      type: 'message_batch',
      processing_status: 'in_progress',
      request_counts: {},
      created_at: iso(now - 5000),
      expires_at: iso(now + 600_000),
      ended_at: null,
      archived_at: null,
      cancel_initiated_at: null,
      results_url: null,
    });
    const times = {
      created_at: 'created',
      expires_at: 'expires',
      ended_at: 'ended',
      archived_at: 'archived',
      cancel_initiated_at: 'cancelled',
    };
    expect(view({ ...times, request_counts: counts })).toMatchObject({
      ...times,
      request_counts: counts,
      ended_at: null,
      processing_status: 'canceling',
    });
    expect(view(times, ENDED, { answered: 0 })).toMatchObject({
      ended_at: 'ended',
      processing_status: 'ended',
      results_url: 'https://gate.example/v1/messages/batches/batch_ours/results',
    });
    expect(view({}, ENDED)).toMatchObject({ ended_at: iso(now), results_url: null });
    expect(hasResults(taskOf({}, { status: 'SUCCESS', money: 'open' }, { answered: 1 }))).toBe(false);
    expect(hasResults(taskOf({}, { status: 'IN_PROGRESS', money: 'settled' }, { answered: 1 }))).toBe(false);
  });
});

test('the console counts what was answered and what failed, in the words of both APIs', () => {
  const counts = (platform: string, batch: object) => batchCounts(taskOf(batch, { platform }));
  expect(
    counts('openai-batch', { status: 'completed', request_counts: { completed: 2, failed: 1.9 } }),
  ).toEqual({
    state: 'completed',
    total: 4,
    answered: 2,
    failed: 1,
  });
  const request_counts = { succeeded: 10, errored: 1, canceled: 20, expired: 300, completed: -5 };
  expect(counts('anthropic-batch', { processing_status: 'ended', request_counts })).toEqual({
    state: 'ended',
    total: 4,
    answered: 10,
    failed: 321,
  });
  expect(counts('openai-batch', {})).toEqual({ state: '', total: 4, answered: 0, failed: 0 });
  expect(counts('midjourney', {})).toBeNull();
  expect(batchCounts(taskOf({}, { properties: '' }))).toBeNull();
});

describe('ids of requests', () => {
  test('are kept as prints, each answered once, and no more answers than requests', () => {
    const prints = new IdPrints();
    for (const id of ['a', 'b', 'c']) prints.add(id);
    expect(Buffer.from(prints.text, 'base64')).toHaveLength(12);
    const asked = new AskedIds({ ids: prints.text, requests: 3 });
    expect([asked.take('a'), asked.take('a'), asked.take('x'), asked.take('c')]).toEqual([
      true,
      false,
      false,
      true,
    ]);
    expect([asked.takeUnnamed(), asked.takeUnnamed(), asked.take('b')]).toEqual([true, false, false]);
  });
});

function refused(read: () => unknown): unknown {
  try {
    read();
    return undefined;
  } catch (error) {
    return error instanceof RelayError ? [error.code, error.options.param] : error;
  }
}

describe('a request of a batch', () => {
  const body = { model: 'm', messages: [], max_tokens: 5 };
  const line = (more: object = {}) =>
    JSON.stringify({ custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body, ...more });

  test('is a POST to one of the paths, with an id of at most 512 characters and a body', () => {
    const id = 'x'.repeat(512);
    expect(readLine(line({ custom_id: id })).customId).toBe(id);
    for (const custom_id of [`${id}x`, '', 7])
      expect(refused(() => readLine(line({ custom_id })))).toEqual(['invalid_field', 'custom_id']);
    expect(refused(() => readLine(line({ method: 'GET' })))).toEqual(['invalid_field', 'method']);
    expect(refused(() => readLine(line({ body: undefined })))).toEqual(['invalid_field', 'body']);
    expect(refused(() => readLine(line({ url: '/v1/files' })))).toEqual(['batch_endpoint', 'url']);
    for (const path of [
      '/v1/chat/completions',
      '/v1/responses',
      '/v1/embeddings',
      '/v1/completions',
      '/v1/moderations',
    ])
      expect(batchEndpoint(path).path).toBe(path);
    const message = (more: object = {}) => JSON.stringify({ custom_id: 'a', params: body, ...more });
    const read = (text: string) => readMessage(text, messagesEndpoint, []);
    expect(read(message())).toMatchObject({ customId: 'a', prepared: { model: 'm', outputLimit: 5 } });
    expect(refused(() => read(message({ params: undefined })))).toEqual(['invalid_field', 'params']);
  });

  test('has no state of a channel, unless it says that it has none', () => {
    const core = { settings: { current: { ModelLimits: {} } } } as unknown as Core;
    const add = (fields: object) => () =>
      new RequestSum(core, { models: undefined } as Caller).add(
        readLine(line({ body: { ...body, ...fields } })),
      );
    for (const name of ['previous_response_id', 'conversation', 'background']) {
      expect(refused(add({ [name]: 'x' }))).toEqual(['invalid_field', name]);
      for (const value of [null, false]) expect(refused(add({ [name]: value }))).toBeUndefined();
    }
    const empty = new RequestSum(core, { models: undefined } as Caller);
    expect(refused(() => empty.input)).toEqual(['batch_empty', undefined]);
  });

  test('is checked for words, and counts its prompt; one without an answer counts none', () => {
    const sumOf = (words: string[] = []) => {
      const filter = { find: (text: string) => words.filter((word) => text.includes(word)) };
      const current = { ModelLimits: {}, CheckSensitiveEnabled: true, CheckSensitiveOnPromptEnabled: true };
      return new RequestSum(
        { settings: { current }, filter } as unknown as Core,
        { models: undefined } as Caller,
      );
    };
    const asked = (custom_id: string) => {
      const fields = { url: '/v1/embeddings', body: { model: 'm', input: 'two words' } };
      return readLine(line({ custom_id, ...fields }));
    };
    const sum = sumOf();
    for (const id of ['a', 'b', 'c']) sum.add(asked(id));
    expect(sum.input).toMatchObject({
      model: 'm',
      path: '/v1/embeddings',
      requests: 3,
      promptTokens: 6,
      outputTokens: 0,
    });
    const other = JSON.stringify({
      custom_id: 'd',
      method: 'POST',
      url: '/v1/embeddings',
      body: { model: 'n', input: 'x' },
    });
    const why = (read: () => unknown) => {
      try {
        return read();
      } catch (error) {
        return error instanceof RelayError ? [error.code, error.parameters] : error;
      }
    };
    expect(why(() => sum.add(readLine(other)))).toEqual(['batch_other_model', { model: 'm', other: 'n' }]);
    const chat = line({ body: { model: 'm', messages: [{ role: 'user', content: 'two words' }] } });
    expect(why(() => sumOf(['two']).add(readLine(chat)))).toEqual(['sensitive_words', { words: 'two' }]);
    expect(why(() => sum.add(readLine(line())))).toEqual([
      'batch_other_endpoint',
      { path: '/v1/embeddings', other: '/v1/chat/completions' },
    ]);
  });

  test('is named by its place in an error', () => {
    const place = (kind: 'line' | 'request'): unknown => {
      try {
        atPlace(kind, 7, () => {
          throw new RelayError('invalid_field', { field: 'n' }, { param: 'n' });
        });
      } catch (error) {
        const { code, parameters, options } = error as RelayError;
        return [code, parameters, options];
      }
      return undefined;
    };
    const error = ['invalid_field', { field: 'n' }];
    expect(place('line')).toEqual([...error, { param: 'n', place: { zh: '第 7 行', en: 'Line 7' } }]);
    expect(place('request')).toEqual([
      ...error,
      { param: 'n', place: { zh: '第 7 个请求', en: 'Request 7' } },
    ]);
    expect(atPlace('line', 1, () => 5)).toBe(5);
  });

  test('is held for its prompt and its answer, once for each', () => {
    expect(estimateOf(input)).toMatchObject({ input: 40, output: 80, pieces: 4 });
  });
});

describe('lists', () => {
  test('have a page of items, and say whether there are more', () => {
    const items = ['a', 'b', 'c'].map((id) => ({ id }));
    const page = { object: 'list', first_id: 'a' };
    expect(pageOf(items, 2)).toEqual({ ...page, data: items.slice(0, 2), last_id: 'b', has_more: true });
    expect(pageOf(items, 3)).toEqual({ ...page, data: items, last_id: 'c', has_more: false });
    expect(pageOf([], 3)).toEqual({
      object: 'list',
      data: [],
      first_id: null,
      last_id: null,
      has_more: false,
    });
  });

  test('take a limit within their bounds', () => {
    const limit = (text?: string) => () =>
      limitIn(new URLSearchParams(text === undefined ? {} : { limit: text }), 20, 100);
    expect([limit()(), limit('1')(), limit('100')()]).toEqual([20, 1, 100]);
    for (const text of ['0', '101', '1.5', 'x', ''])
      expect(refused(limit(text))).toEqual(['invalid_field', 'limit']);
  });

  test('show a file without an end where it has none', () => {
    const file = {
      file_id: 'file-1',
      bytes: 5,
      created_at: 6,
      expires_at: 0,
      filename: 'in.jsonl',
      purpose: 'batch',
    };
    const shown = {
      id: 'file-1',
      object: 'file',
      bytes: 5,
      created_at: 6,
      filename: 'in.jsonl',
      purpose: 'batch',
      status: 'processed',
      status_details: null,
    };
    expect(fileObject(file)).toEqual(shown);
    expect(fileObject({ ...file, expires_at: 9 })).toEqual({ ...shown, expires_at: 9 });
    const [longest, tooLong] = [`a${'b'.repeat(40)}`, `a${'b'.repeat(41)}`];
    expect([purposeIn('user_data'), purposeIn(longest)]).toEqual(['user_data', longest]);
    for (const purpose of [tooLong, 'a', 'A', '1a', 7])
      expect(refused(() => purposeIn(purpose))).toEqual(['invalid_field', 'purpose']);
  });
});
