// Every fault seen from the wire: what a caller receives, and what the mock's books contain.
import { afterAll, beforeEach, describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import {
  type Behaviour,
  type ServedRequest,
  behaviourKey,
  behaviourMessage,
  startMockUpstream,
} from './index.ts';
import { spawnMockUpstream } from './spawn.ts';

const mock = startMockUpstream();
beforeEach(() => mock.reset());
afterAll(() => mock.stop());

interface CallOptions {
  behaviour?: Behaviour | string;
  stream?: boolean;
  key?: string;
  model?: string;
  signal?: AbortSignal;
  path?: string;
}

async function call({
  behaviour,
  stream = true,
  key = 'sk-f',
  model = 'gpt-4o',
  signal,
  path,
}: CallOptions): Promise<Response> {
  const content = behaviour === undefined ? 'hi' : behaviourMessage(behaviour);
  return await fetch(`${mock.url}${path ?? '/v1/chat/completions'}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream, messages: [{ role: 'user', content }] }),
    redirect: 'manual',
    signal,
  });
}

/** The text received until the body ended or broke. */
async function received(
  response: Response,
  onText: (text: string) => void = () => {},
): Promise<{ text: string; broken: boolean }> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let text = '';
  try {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      onText(text);
    }
  } catch {
    return { text, broken: true };
  }
  return { text, broken: false };
}

async function recordOnceEnded(): Promise<ServedRequest> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const record = mock.requests.at(-1);
    if (record && record.ending !== 'open') return record;
    await Bun.sleep(5);
  }
  throw new Error('the record stayed open');
}

const dataLines = (text: string): string[] =>
  text.split(/\r\n|\r|\n/).filter((line) => line.startsWith('data:'));

describe('where a behaviour comes from', () => {
  test('a rule applies to the requests it matches, as often as it says', async () => {
    mock.behave({ when: { model: 'gpt-4o' }, times: 1, behaviour: '500' });
    expect((await call({ model: 'o3' })).status).toBe(200);
    expect((await call({})).status).toBe(500);
    expect((await call({})).status).toBe(200);
  });

  test('the key, the model name and the message each carry one', async () => {
    expect((await call({ key: behaviourKey('sk-a', '429') })).status).toBe(429);
    expect((await call({ key: behaviourKey('sk-a', { status: 418 }) })).status).toBe(418);
    expect((await call({ model: 'gpt-4o@503' })).status).toBe(503);
    expect((await call({ behaviour: '403' })).status).toBe(403);
  });

  test('a rule is taken back', async () => {
    const undo = mock.behave({ status: 500 });
    undo();
    expect((await call({})).status).toBe(200);
  });
});

describe('refusals', () => {
  test.each([
    ['401', 401, 'invalid_api_key'],
    ['403', 403, 'unsupported_country_region_territory'],
    ['404', 404, 'model_not_found'],
    ['429', 429, 'rate_limit_exceeded'],
    ['quota', 429, 'insufficient_quota'],
    ['500', 500, null],
    ['503', 503, null],
  ])('%s has the provider’s body and counts as refused', async (behaviour, status, code) => {
    const response = await call({ behaviour });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { code, param: null } });
    expect(mock.books.totals).toMatchObject({ refused: 1, complete: 0, outputTokens: 0 });
  });

  test('no key, a bad key and an unknown path are refused as OpenAI does', async () => {
    const bare = await fetch(`${mock.url}/v1/models`);
    expect(bare.status).toBe(401);
    expect((await call({ key: 'sk-invalid-1' })).status).toBe(401);
    const lost = await call({ path: '/v1/nothing' });
    expect(await lost.json()).toMatchObject({ error: { message: 'Invalid URL (POST /v1/nothing)' } });
  });

  test('a redirect points at the metadata address', async () => {
    const response = await call({ behaviour: 'redirect' });
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toContain('169.254.169.254');
  });
});

describe('time', () => {
  test('a stall before the headers ends when the caller leaves', async () => {
    const leave = new AbortController();
    const pending = call({ behaviour: 'stall-headers', signal: leave.signal }).then(
      () => 'answered',
      () => 'left',
    );
    await Bun.sleep(50);
    leave.abort();
    expect(await pending).toBe('left');
    expect((await recordOnceEnded()).ending).toBe('aborted');
  });

  test('a stall before the first token sends the head at once', async () => {
    const leave = new AbortController();
    const response = await call({ behaviour: 'stall-first-token', signal: leave.signal });
    expect(response.status).toBe(200);
    leave.abort();
    expect(await recordOnceEnded()).toMatchObject({ ending: 'aborted', outputTokensWritten: 0 });
  });

  test('a stall in mid stream has written exactly the events before it', async () => {
    const leave = new AbortController();
    const response = await call({ behaviour: 'stall-mid', signal: leave.signal });
    const { text, broken } = await received(response, (soFar) => {
      if (dataLines(soFar).length >= 4) setTimeout(() => leave.abort(), 20);
    });
    expect(broken).toBe(true);
    expect(dataLines(text)).toHaveLength(4);
    const record = await recordOnceEnded();
    expect(record).toMatchObject({ ending: 'aborted', eventsWritten: 4, outputTokensWritten: 3 });
    expect(record.endedAtMilliseconds - record.startedAtMilliseconds).toBeLessThan(10_000);
  });

  test('an endless stream waits for a caller that does not read, and ends when it leaves', async () => {
    const content = behaviourMessage({ endless: true });
    const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content }] });
    const socket = connect(mock.port, '127.0.0.1', () => {
      const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\nContent-Length: ${body.length}`;
      socket.write(`${head}\r\n\r\n${body}`);
      socket.pause();
    });
    let written = -1;
    for (let attempt = 0; attempt < 100 && written !== mock.requests[0]?.bytesWritten; attempt += 1) {
      written = mock.requests[0]?.bytesWritten ?? -1;
      await Bun.sleep(50);
    }
    expect(mock.requests[0]?.bytesWritten).toBe(written);
    expect(written).toBeGreaterThan(10_000);
    expect(written).toBeLessThan(50_000_000);
    socket.destroy();
    expect((await recordOnceEnded()).ending).toBe('aborted');
  });

  test('an endless stream runs until the caller leaves and the books know how much was written', async () => {
    const leave = new AbortController();
    const response = await call({ behaviour: 'endless', signal: leave.signal });
    const { text } = await received(response, (soFar) => {
      if (dataLines(soFar).length > 25) leave.abort();
    });
    const record = await recordOnceEnded();
    expect(record.ending).toBe('aborted');
    expect(record.outputTokensWritten).toBeGreaterThan(20);
    expect(record.eventsWritten).toBeGreaterThanOrEqual(dataLines(text).length);
    expect(mock.books.totals.partialOutputTokens).toBe(record.outputTokensWritten);
  });
});

describe('broken streams', () => {
  test.each([1, 100, 777])('a reset at byte %i delivers exactly that many bytes', async (resetAtByte) => {
    const { text, broken } = await received(await call({ behaviour: { resetAtByte } }));
    expect(broken).toBe(true);
    expect(text).toHaveLength(resetAtByte);
    expect(await recordOnceEnded()).toMatchObject({ ending: 'reset', bytesWritten: resetAtByte });
  });

  test('a reset is a TCP reset, for JSON answers too', async () => {
    const body = JSON.stringify({
      model: 'm',
      messages: [{ role: 'user', content: behaviourMessage({ resetAtByte: 50 }) }],
    });
    const failure = await new Promise<string>((resolve) => {
      const socket = connect(mock.port, '127.0.0.1', () => {
        const head = [
          'POST /v1/chat/completions HTTP/1.1',
          'Host: x',
          'Authorization: Bearer sk-f',
          `Content-Length: ${body.length}`,
        ];
        socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
      });
      socket.on('error', (error) => resolve((error as NodeJS.ErrnoException).code ?? ''));
      socket.on('end', () => resolve('end'));
      socket.resume();
    });
    expect(failure).toBe('ECONNRESET');
  });

  test('a reset before the first byte gives no answer at all or no content', async () => {
    const outcome = await call({ behaviour: 'reset-first-byte' }).then(
      async (response) => (await received(response)).text,
      () => '',
    );
    expect(outcome).toBe('');
    expect((await recordOnceEnded()).ending).toBe('reset');
  });

  test('a cut stream ends cleanly but has neither finish reason, usage nor [DONE]', async () => {
    const { text, broken } = await received(await call({ behaviour: 'cut' }));
    expect(broken).toBe(false);
    expect(dataLines(text)).toHaveLength(4);
    expect(text).not.toContain('[DONE]');
    expect((await recordOnceEnded()).ending).toBe('cut');
  });

  test('an error object inside a 200, streamed or not, is no content', async () => {
    const streamed = await received(await call({ behaviour: 'error-200' }));
    expect(dataLines(streamed.text)[0]).toContain('"type":"server_error"');
    const plain = await call({ behaviour: 'error-200', stream: false });
    expect(plain.status).toBe(200);
    expect(await plain.json()).toMatchObject({ error: { type: 'server_error' } });
    expect(mock.requests.map((request) => request.outputTokensWritten)).toEqual([0, 0]);
  });

  test('an error in mid stream, a malformed event, a huge line and a missing [DONE] appear as configured', async () => {
    expect((await received(await call({ behaviour: 'error-mid' }))).text).toContain('"error":{');
    const malformed = dataLines((await received(await call({ behaviour: 'malformed' }))).text);
    expect(() => JSON.parse(malformed[3]?.slice(6) ?? '{}') as unknown).toThrow();
    const huge = dataLines((await received(await call({ behaviour: 'huge-line' }))).text);
    expect(Math.max(...huge.map((line) => line.length))).toBeGreaterThan(4_000_000);
    expect((await received(await call({ behaviour: 'no-done' }))).text).not.toContain('[DONE]');
  });
});

describe('usage', () => {
  const chunksOf = async (
    usageReport: Behaviour['usageReport'],
  ): Promise<{ usage?: { completion_tokens: number } | null; choices: unknown[] }[]> => {
    const { text } = await received(await call({ behaviour: { usageReport } }));
    return dataLines(text)
      .slice(0, -1)
      .map((line) => JSON.parse(line.slice(6)));
  };

  test('missing, twice, unasked, with the finish reason, and cumulative', async () => {
    expect((await chunksOf('missing')).filter((chunk) => chunk.usage)).toHaveLength(0);
    expect((await chunksOf('twice')).filter((chunk) => chunk.usage)).toHaveLength(2);
    expect((await chunksOf('unasked')).at(-1)).toMatchObject({
      choices: [],
      usage: { completion_tokens: 15 },
    });
    expect((await chunksOf('with-finish')).at(-1)).toMatchObject({
      choices: [{ finish_reason: 'stop' }],
      usage: { completion_tokens: 15 },
    });
    const counts = (await chunksOf('cumulative')).map((chunk) => chunk.usage?.completion_tokens);
    expect(counts.slice(0, 4)).toEqual([0, 1, 2, 3]);
    expect(counts.at(-1)).toBe(15);
    expect(mock.requests.map((request) => request.usageReports > 0)).toEqual([false, true, true, true, true]);
  });
});

describe('bytes', () => {
  test('one-byte slices, comments and split data lines carry the same events', async () => {
    const plain = dataLines((await received(await call({}))).text).length;
    const sliced = await received(await call({ behaviour: { sliceBytes: 1, text: 'naïve 世界 🎉' } }));
    expect(sliced.text).toContain('世界');
    const commented = await received(await call({ behaviour: 'comments' }));
    expect(commented.text).toContain(': keep-alive 1');
    expect(dataLines(commented.text)).toHaveLength(plain);
    const multiline = await received(await call({ behaviour: { multilineData: true } }));
    expect(dataLines(multiline.text)).toHaveLength(2 * plain - 1);
  });

  test('line endings, BOM, missing last newline', async () => {
    expect((await received(await call({ behaviour: 'crlf' }))).text).toMatch(/^data: .*\r\n\r\ndata: /);
    const bare = (await received(await call({ behaviour: 'cr' }))).text;
    expect(bare).toContain('\r\rdata: ');
    expect(bare).not.toContain('\n');
    expect((await received(await call({ behaviour: 'bom' }))).text).toStartWith('\uFEFFdata: ');
    expect((await received(await call({ behaviour: 'no-newline' }))).text).toEndWith('data: [DONE]');
  });

  test('gzip, Set-Cookie and hop-by-hop headers are sent', async () => {
    const zipped = await call({ behaviour: 'gzip', stream: false });
    expect(await zipped.json()).toMatchObject({ object: 'chat.completion' });
    const bomb = await call({ behaviour: { gzipBombMegabytes: 3 }, stream: false });
    expect(Number(bomb.headers.get('content-length'))).toBeLessThan(10_000);
    expect(await bomb.text()).toHaveLength(3 * 1_048_576);
    const odd = await call({ behaviour: 'odd-headers', stream: false });
    expect(odd.headers.getSetCookie()).toEqual(['upstream_session=secret; Path=/; HttpOnly']);
    expect(odd.headers.get('x-upstream-secret')).toBe('do-not-forward');
  });
});

test('in its own process it is steered and read over HTTP', async () => {
  await using remote = await spawnMockUpstream({ keepRequests: 10 });
  await remote.behave({ when: { key: 'sk-r' }, times: 1, behaviour: { status: 429, tag: 'first' } });
  const ask = (): Promise<Response> =>
    fetch(`${remote.url}/v1/embeddings`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-r', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'text-embedding-3-small', input: 'four' }),
    });
  expect((await ask()).status).toBe(429);
  expect((await ask()).status).toBe(200);
  expect((await remote.counts()).keys['sk-r']).toMatchObject({
    requests: 2,
    refused: 1,
    complete: 1,
    inputTokens: 1,
  });
  expect(await remote.requests({ tag: 'first' })).toMatchObject([{ status: 429, path: '/v1/embeddings' }]);
  await remote.reset();
  expect((await remote.counts()).totals.requests).toBe(0);
});
