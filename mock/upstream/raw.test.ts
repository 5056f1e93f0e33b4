import { expect, test } from 'bun:test';
import { rawAnswer, startRawUpstream } from './raw.ts';

const post = (url: string): Promise<Response> => fetch(url, { method: 'POST', body: '{"a":1}' });

test('sends exactly the bytes it is given and keeps the request', async () => {
  const flood = Array.from({ length: 90 }, (_, index) => `X-Flood-${index}: ${'y'.repeat(50)}`);
  await using upstream = await startRawUpstream(() => ({ bytes: rawAnswer(flood, '{"ok":true}') }));
  const response = await post(upstream.url);
  expect(response.headers.get('x-flood-89')).toHaveLength(50);
  expect(await response.json()).toEqual({ ok: true });
  expect(upstream.requests).toHaveLength(1);
  expect(upstream.requests[0]).toEndWith('{"a":1}');
});

test('a body shorter than promised ends in an error, after a reset and after silence too', async () => {
  for (const ending of ['close', 'reset'] as const) {
    const head = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n';
    await using upstream = await startRawUpstream(() => ({ bytes: `${head}short`, ending }));
    const outcome = await post(upstream.url)
      .then((response) => response.text())
      .then(
        () => 'complete',
        () => 'broken',
      );
    expect(outcome).toBe('broken');
  }
  await using silent = await startRawUpstream(() => ({ bytes: 'HTTP/1.1 200 OK\r\n', ending: 'silence' }));
  const signal = AbortSignal.timeout(100);
  const outcome = await fetch(silent.url, { signal }).then(
    () => 'answered',
    () => 'gave up',
  );
  expect(outcome).toBe('gave up');
});
