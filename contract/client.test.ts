import { describe, expect, test } from 'bun:test';
import { z } from 'zod';
import { createClient, type Call } from './client.ts';
import { endpoint } from './endpoint.ts';
import { languageOf } from './language.ts';
import { api } from './api.ts';

const sample = {
  things: {
    read: endpoint({
      method: 'GET',
      path: '/api/thing/{id}',
      access: 'user',
      summary: { zh: '', en: '' },
      params: z.object({ id: z.number() }),
      query: z.object({ keyword: z.string().optional(), flag: z.boolean().optional() }),
      returns: z.object({ id: z.number() }),
    }),
    list: endpoint({
      method: 'GET',
      path: '/api/thing/',
      access: 'user',
      summary: { zh: '', en: '' },
      returns: z.array(z.number()),
      extra: z.object({ total: z.number() }),
    }),
  },
};

function recording(answer: { data: unknown } & Record<string, unknown>) {
  const calls: Call[] = [];
  const client = createClient(sample, async (call) => {
    calls.push(call);
    return answer;
  });
  return { calls, client };
}

describe('typed client', () => {
  test('fills and encodes the path, leaves empty query values out, and unwraps data', async () => {
    const { calls, client } = recording({ data: { id: 7 } });
    const answer = await client.things.read({
      params: { id: 7 },
      query: { keyword: 'a b&c', flag: undefined },
    });
    expect(answer).toEqual({ id: 7 });
    expect(calls[0]?.url).toBe('/api/thing/7?keyword=a+b%26c');
  });

  test('keeps the fields beside data where the declaration names them', async () => {
    const { client } = recording({ data: [1, 2], total: 2 });
    const answer = await client.things.list();
    expect(answer.total).toBe(2);
    expect(answer.data).toEqual([1, 2]);
  });
});

describe('declarations', () => {
  const all = Object.values(api).flatMap((group) => Object.values(group));

  test('no two endpoints share a method and a path', () => {
    const routes = all.map(
      (each) => `${each.method} ${each.path.replace(/\/$/, '').replaceAll(/\{\w+\}/g, '{}')}`,
    );
    expect(new Set(routes).size).toBe(routes.length);
  });

  test('every endpoint says in both languages what it is for', () => {
    expect(all.filter((each) => each.summary.zh === '' || each.summary.en === '')).toEqual([]);
  });
});

describe('language of the caller', () => {
  test('takes the wanted one of the two, by quality, and falls back to Chinese', () => {
    expect(languageOf('en-US,en;q=0.9')).toBe('en');
    expect(languageOf('fr,zh-CN;q=0.8,en;q=0.7')).toBe('zh');
    expect(languageOf('zh;q=0.1,en;q=0.9')).toBe('en');
    expect(languageOf('*')).toBe('zh');
    expect(languageOf(null)).toBe('zh');
    expect(languageOf('*', 'en')).toBe('en');
  });
});
