import { describe, expect, test } from 'bun:test';
import { createTokenCache, ExchangeError, signingTools } from './tools.ts';

function scene(answer: () => Response = () => Response.json({ ok: true })) {
  let now = new Date('2026-01-01T00:00:00Z');
  const asked: string[] = [];
  const egress = {
    fetch: async (url: string) => {
      asked.push(url);
      await Bun.sleep(1);
      return answer();
    },
    now: () => now,
  };
  return {
    asked,
    tools: signingTools(egress, createTokenCache()),
    pass: (seconds: number) => (now = new Date(now.getTime() + seconds * 1000)),
    now: () => now,
  };
}

describe('exchanged tokens', () => {
  test('concurrent requests share one exchange, and it is repeated shortly before the token expires', async () => {
    const { tools, asked, pass, now } = scene();
    const ask = () =>
      tools.cached('key', async () => {
        await tools.fetchJson('https://token.example/', { method: 'POST', headers: {} });
        return { value: `token ${asked.length}`, expiresAt: new Date(now().getTime() + 3_600_000) };
      });
    expect(await Promise.all([ask(), ask(), ask()])).toEqual(['token 1', 'token 1', 'token 1']);
    pass(3500);
    expect(await ask()).toBe('token 1');
    pass(60);
    expect(await ask()).toBe('token 2');
    expect(await tools.cached('other', () => Promise.resolve({ value: 'x', expiresAt: now() }))).toBe('x');
  });

  test('a failed exchange rejects all who wait for it, and the next request tries again', async () => {
    let status = 401;
    const { tools, asked } = scene(() => new Response('{"error":"invalid_client"}', { status }));
    const ask = () =>
      tools.cached('key', async () => {
        await tools.fetchJson('https://token.example/', { method: 'POST', headers: {} });
        return { value: 'token', expiresAt: new Date('2027-01-01') };
      });
    const errors = await Promise.all([ask(), ask()].map((each) => each.catch((error: unknown) => error)));
    expect(errors.map((error) => error instanceof ExchangeError && error.status)).toEqual([401, 401]);
    expect(asked).toHaveLength(1);
    status = 200;
    expect(await ask()).toBe('token');
  });

  test('an answer that is not JSON is a failure, not a token', async () => {
    const { tools } = scene(() => new Response('<html>'));
    const error: unknown = await tools
      .fetchJson('https://x.example/', { method: 'GET', headers: {} })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ExchangeError);
  });
});
