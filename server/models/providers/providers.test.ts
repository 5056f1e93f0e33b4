import { describe, expect, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { balanceReading } from './facts/balance.ts';
import { channelTypes } from './facts/channel-types.ts';
import { providerOf, providers, taskProviders } from './index.ts';

const nameOf = (type: number) => channelTypes.find((each) => each.type === type)?.name;

describe('channel types', () => {
  test('REL-3.29 REL-3.30 REL-3.31 REL-3.32 REL-3.33 REL-3.34 REL-3.35 REL-3.36 REL-3.37 REL-3.38 REL-3.40 REL-3.41 the numbers have their documented meaning', () => {
    expect([1, 2, 3, 5, 8, 18, 21, 22, 36, 39, 40, 41].map(nameOf)).toEqual([
      'OpenAI',
      'Midjourney Proxy',
      'Azure',
      'Midjourney Proxy Plus',
      'Custom',
      'Xunfei Spark',
      'AIProxy library',
      'FastGPT',
      'Suno',
      'Cloudflare',
      'SiliconFlow',
      'Vertex AI',
    ]);
  });

  test('REL-3.44 all types are listed once, the unused numbers are not', () => {
    const numbers = channelTypes.map(({ type }) => type).sort((left, right) => left - right);
    const expected = Array.from({ length: 60 }, (_, index) => index + 1).filter(
      (number) => ![28, 29, 30, 32].includes(number),
    );
    expect(numbers.filter((number) => number < 1000)).toEqual(expected);
    // Those that have no number in compatible gateways, without gaps.
    const own = numbers.filter((number) => number >= 1000);
    expect(own).toEqual(own.map((_, index) => 1001 + index));
    expect(new Set(channelTypes.map(({ mark }) => mark)).size).toBe(channelTypes.length);
  });

  test('every provider of the relay is a listed type, once', () => {
    const all = [...providers, ...taskProviders];
    const listed = new Set(channelTypes.map(({ type }) => type));
    expect(all.filter(({ type }) => !listed.has(type))).toEqual([]);
    expect(new Set(all.map(({ type }) => type)).size).toBe(all.length);
  });

  test('an OpenAI-compatible upstream is called at its own address with a bearer key', () => {
    const channel = { baseUrl: '', key: 'sk-1', organization: '', other: '' };
    const yi = providerOf(CHANNEL_TYPE.lingyi);
    const call = {
      format: 'openai-chat',
      path: '/v1/chat/completions',
      model: 'yi-large',
      isStream: false,
    } as const;
    expect(yi?.url(channel, call)).toBe('https://api.lingyiwanwu.com/v1/chat/completions');
    expect(yi?.headers(channel)).toEqual({ Authorization: 'Bearer sk-1' });
  });
});

describe('balances', () => {
  test.each([
    ['openai', [{ hard_limit_usd: 120 }, { total_usage: 2050.5 }], 99.495],
    [
      'deepseek',
      [
        {
          balance_infos: [
            { currency: 'USD', total_balance: '1' },
            { currency: 'CNY', total_balance: '110.00' },
          ],
        },
      ],
      110,
    ],
    ['moonshot', [{ data: { available_balance: 49.58 } }], 49.58],
    ['siliconflow', [{ data: { totalBalance: '88.00' } }], 88],
    ['openrouter', [{ data: { total_credits: 100.5, total_usage: 25.5 } }], 75],
    ['aiproxy', [{ data: { totalPoints: 7 } }], 7],
    ['api2gpt', [{ total_remaining: 3 }], 3],
    ['aigc2d', [{ total_available: 4 }], 4],
  ] as const)('%s reports the balance', (kind, answers, expected) => {
    expect(balanceReading(kind).read(answers)).toBeCloseTo(expected, 6);
    expect(balanceReading(kind).read([{}, {}])).toBeUndefined();
  });
});
