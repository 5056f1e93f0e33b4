// What the upstream of a task is asked, to the header and the limit, and what its answers mean.
import { describe, expect, test } from 'bun:test';
import { ConnectionError } from '#server/platform/egress/index.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import type { Core } from '#server/relay/pipeline/core.ts';
import { failure } from '#tests/support/failure.ts';
import { reportsOf as drawingsOf, submit as submitDrawing } from './drawing/upstream.ts';
import { suno } from './music/suno.ts';
import { askUpstream, READ_SECONDS, SUBMISSION_SECONDS, SUBMIT_SECONDS } from './upstream.ts';
import { callUpstream } from './video/upstream.ts';

type Answer = Response | Error;

function world(answers: Answer[], provider: object = {}) {
  const asked: unknown[][] = [];
  const warned: unknown[][] = [];
  const core = {
    egress: {
      fetch: async (kind: string, url: string, options: Record<string, unknown>) => {
        const { body, ...rest } = options;
        asked.push([kind, url, { ...rest, ...(body === undefined ? {} : { body }) }]);
        const answer = answers.shift() ?? Response.json({});
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
    log: { warn: (...words: unknown[]) => void warned.push(words) },
  } as unknown as Core;
  const channel = {
    id: 31,
    headers: { Authorization: 'Bearer up' },
    setting: { proxy: '' },
    statusMapping: new Map([['418', '503']]),
    provider: {
      url: (_: Channel, call: { format: string; path: string; model: string; isStream: boolean }) =>
        `https://up.example/${call.format}${call.path}#${call.model}${call.isStream}`,
      ...provider,
    },
  } as unknown as Channel;
  return {
    core,
    channel,
    asked,
    warned,
    proxied: { ...channel, setting: { proxy: 'socks5://p' } } as Channel,
  };
}

const json = { Accept: 'application/json', Authorization: 'Bearer up' };
const MEGABYTE = 1024 * 1024;
const signal = new AbortController().signal;
const aborted = AbortSignal.abort();
const lost = () => new ConnectionError('closed', 'cut');

test('a submission is left alone for as long as two requests may take', () => {
  expect([SUBMIT_SECONDS, READ_SECONDS, SUBMISSION_SECONDS]).toEqual([60, 20, 150]);
});

describe('a request', () => {
  const ask = { format: 'suno' as const, path: '/a', timeoutSeconds: 7 };

  test('without a body is a GET, with one a POST', async () => {
    const { core, channel, proxied, asked } = world([]);
    await askUpstream(core, channel, ask);
    await askUpstream(core, proxied, { ...ask, body: { a: 1 }, signal, headers: { Accept: 'text/plain' } });
    const bytes = Buffer.from('bytes');
    await askUpstream(core, channel, {
      ...ask,
      method: 'DELETE',
      body: 1,
      content: { type: 'text/csv', bytes },
    });
    const url = 'https://up.example/suno/a#false';
    const limits = { timeoutSeconds: 7, limitBytes: 8 * MEGABYTE };
    expect(asked).toEqual([
      ['channel', url, { method: 'GET', headers: json, ...limits }],
      [
        'channel',
        url,
        {
          method: 'POST',
          headers: { ...json, Accept: 'text/plain', 'Content-Type': 'application/json' },
          proxy: 'socks5://p',
          signal,
          ...limits,
          body: '{"a":1}',
        },
      ],
      [
        'channel',
        url,
        { method: 'DELETE', headers: { ...json, 'Content-Type': 'text/csv' }, ...limits, body: bytes },
      ],
    ]);
  });

  test('that is answered has a value, or none where the answer is no JSON', async () => {
    const { core, channel } = world([Response.json({ a: 1 }, { status: 201 }), new Response('words')]);
    expect(await askUpstream(core, channel, ask)).toEqual({ status: 201, value: { a: 1 } });
    expect(await askUpstream(core, channel, ask)).toEqual({ status: 200, value: undefined });
  });

  test('that is refused has the upstream’s words and status, and the one that callers see', async () => {
    const refused = Response.json(
      { error: { message: 'no' } },
      { status: 418, headers: { 'Retry-After': '9' } },
    );
    const { core, channel } = world([refused]);
    expect(await askUpstream(core, channel, ask)).toMatchObject({
      status: 418,
      value: { error: { message: 'no' } },
      failure: { kind: 'http', status: 503, rawStatus: 418, error: { message: 'no' }, retryAfterSeconds: 9 },
    });
  });

  test('that is cut may have arrived; one that its caller gave up is no failure of the upstream', async () => {
    const { core, channel } = world([lost(), lost(), new TypeError('ours')]);
    expect(await askUpstream(core, channel, ask)).toMatchObject({
      status: 0,
      failure: { kind: 'network', mayHaveArrived: true },
    });
    expect(await askUpstream(core, channel, { ...ask, signal: aborted })).toMatchObject({
      status: 0,
      failure: { kind: 'client_left' },
    });
    expect((await failure(askUpstream(core, channel, ask))).message).toBe('ours');
  });
});

describe('a request for a video', () => {
  const call = {
    method: 'POST',
    path: '/v',
    model: 'clip',
    json: { a: 1 },
    headers: { 'X-Own': '1' },
  } as const;
  const url = 'https://up.example/video/v#clipfalse';

  test('has the headers of channel, platform and signature', async () => {
    const signed: unknown[] = [];
    const { core, channel, proxied, asked } = world([], {
      authorize: async (_: Channel, request: unknown) => {
        signed.push(request);
        return { Authorization: 'signed' };
      },
    });
    await callUpstream(core, channel, call, { timeoutSeconds: 7 });
    const headers = { Authorization: 'Bearer up', 'X-Own': '1', 'Content-Type': 'application/json' };
    expect(signed).toEqual([{ method: 'POST', url: new URL(url), body: '{"a":1}', headers }]);
    await callUpstream(core, proxied, { method: 'GET', path: '/v' }, { timeoutSeconds: 8, signal });
    expect(asked).toEqual([
      [
        'channel',
        url,
        {
          method: 'POST',
          headers: { Accept: 'application/json', ...headers, Authorization: 'signed' },
          timeoutSeconds: 7,
          limitBytes: 128 * MEGABYTE,
          body: '{"a":1}',
        },
      ],
      [
        'channel',
        'https://up.example/video/v#false',
        {
          method: 'GET',
          headers: { Accept: 'application/json', Authorization: 'signed' },
          proxy: 'socks5://p',
          signal,
          timeoutSeconds: 8,
          limitBytes: 128 * MEGABYTE,
        },
      ],
    ]);
  });

  test('of a form is sent with its boundary', async () => {
    const { core, channel, asked } = world([]);
    const form = new FormData();
    form.append('prompt', 'a gate');
    await callUpstream(core, channel, { method: 'POST', path: '/v', form }, { timeoutSeconds: 7 });
    const [[, , options] = []] = asked;
    const { headers, body } = options as { headers: Record<string, string>; body: Uint8Array };
    const [, boundary] =
      /^multipart\/form-data; ?boundary="?([^"]+)/.exec(headers['Content-Type'] ?? '') ?? [];
    expect(Buffer.from(body).toString()).toContain(
      `${boundary}\r\nContent-Disposition: form-data; name="prompt"`,
    );
  });

  test('is refused by a status, or by the provider’s words in an answer', async () => {
    const refusal = { message: 'no', type: 't', code: 'c', status: 429, isAccountFault: true };
    const { core, channel } = world(
      [
        Response.json({ refused: 1 }),
        Response.json({ a: 1 }),
        Response.json({ error: { message: 'x' } }, { status: 418 }),
      ],
      { refusalIn: (value: object) => ('refused' in value ? refusal : undefined) },
    );
    const reply = () => callUpstream(core, channel, call, { timeoutSeconds: 7 });
    expect(await reply()).toMatchObject({
      status: 200,
      value: { refused: 1 },
      failure: { status: 429, error: { message: 'no' }, isAccountFault: true },
    });
    expect(await reply()).toEqual({ status: 200, value: { a: 1 } });
    expect(await reply()).toMatchObject({ status: 418, failure: { status: 503, rawStatus: 418 } });
  });

  test('that was never signed has not arrived', async () => {
    const { core, channel } = world([lost()]);
    const reply = (of: Channel, given?: AbortSignal) =>
      callUpstream(core, of, call, { timeoutSeconds: 7, ...(given === undefined ? {} : { signal: given }) });
    expect(await reply(channel)).toMatchObject({ status: 0, failure: { mayHaveArrived: true } });
    const authorize = async () => {
      throw lost();
    };
    const unsigned = { ...channel, provider: { ...channel.provider, authorize } } as unknown as Channel;
    expect(await reply(unsigned)).toMatchObject({ failure: { mayHaveArrived: false } });
    expect(await reply(unsigned, aborted)).toMatchObject({ failure: { kind: 'client_left' } });
  });
});

describe('drawings', () => {
  const sent = async (answer: Answer) => {
    const { core, channel, asked } = world([answer]);
    return { result: await submitDrawing(core, channel, 'submit/imagine', { prompt: 'x' }), asked };
  };

  test('are submitted, and the answer is read', async () => {
    const properties = { status: 'SUCCESS' };
    const { result, asked } = await sent(
      Response.json({ code: 21, description: 'd', result: 17, properties }),
    );
    expect(result).toEqual({ status: 200, answer: { code: 21, description: 'd', result: 17, properties } });
    expect(asked[0]).toMatchObject([
      'channel',
      'https://up.example/midjourney/mj/submit/imagine#false',
      { method: 'POST', body: '{"prompt":"x"}', timeoutSeconds: 60 },
    ]);
    const plain = await sent(Response.json({ code: 1, description: 7, properties: 'x' }));
    expect(plain.result).toEqual({
      status: 200,
      answer: { code: 1, description: '', result: undefined, properties: {} },
    });
    for (const answer of [Response.json({ code: '1' }), new Response('x')])
      expect((await sent(answer)).result).toMatchObject({ status: 200, failure: { mayHaveArrived: true } });
    expect((await sent(new Response('', { status: 500 }))).result).toMatchObject({
      status: 500,
      failure: { rawStatus: 500 },
    });
  });

  test('are asked for together; foreign and strange reports are left out', async () => {
    const reports = [{ id: '1', status: 'SUCCESS' }, { id: '3' }, { id: 2 }, 'x'];
    const { core, channel, asked, warned } = world([Response.json(reports), Response.json({})]);
    const found = await drawingsOf(core, channel, ['1', '2'], signal);
    expect([...(found ?? [])]).toEqual([['1', { id: '1', status: 'SUCCESS' }]]);
    expect(asked[0]).toMatchObject([
      'channel',
      'https://up.example/midjourney/mj/task/list-by-condition#false',
      { body: '{"ids":["1","2"]}', timeoutSeconds: 20, signal },
    ]);
    expect([await drawingsOf(core, channel, ['1'], signal), warned.length]).toEqual([undefined, 1]);
    const left = world([lost()]);
    expect([await drawingsOf(left.core, channel, ['1'], aborted), left.warned.length]).toEqual([
      undefined,
      0,
    ]);
  });
});

test('songs are asked for together; foreign and strange reports are left out', async () => {
  const data = [{ task_id: '1', status: 'SUCCESS' }, { task_id: '3' }, { task_id: 2 }, 'x'];
  const { core, channel, asked, warned } = world([
    Response.json({ data }),
    Response.json({ data: 'x' }),
    Response.json({ data }, { status: 500 }),
  ]);
  const found = await suno.reportsOf(core, channel, ['1', '2'], signal);
  expect([...(found ?? [])]).toEqual([['1', { task_id: '1', status: 'SUCCESS' }]]);
  expect(asked[0]).toMatchObject([
    'channel',
    'https://up.example/suno/suno/fetch#false',
    { body: '{"ids":["1","2"]}', timeoutSeconds: 20, signal },
  ]);
  for (const warnings of [1, 2])
    expect([await suno.reportsOf(core, channel, ['1'], signal), warned.length]).toEqual([
      undefined,
      warnings,
    ]);
  const left = world([lost()]);
  expect([await suno.reportsOf(left.core, channel, ['1'], aborted), left.warned.length]).toEqual([
    undefined,
    0,
  ]);
});
