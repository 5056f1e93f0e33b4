// S9: no field of a channel that is not a secret moves the host of a call, unless the provider declares it.
import { describe, expect, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { providerOf, providers, taskProviders } from './index.ts';
import { channelTypes } from './facts/channel-types.ts';
import type { Provider } from './provider.ts';

/** Each ends or replaces a host name when it is put into one. */
const HOSTILE = [
  'evil.example/',
  'evil.example',
  'a@127.0.0.1:9106/#',
  '@evil.example',
  '@evil.example/',
  '.evil.example',
  'x.evil.example/?',
  '#@evil.example',
  '/evil.example',
  '//evil.example',
  '\\evil.example',
  ':80@evil.example',
  '%2f@evil.example',
  'us-east-1\n.evil.example',
  'us-east-1.evil.example/#',
  'us-east-1 evil',
  '{"default":"evil.example/#","m":"@evil.example"}',
  '{"paths":{"openai-chat":"@evil.example/","anthropic-messages":"//evil.example/","openai-images":".evil.example"}}',
  '',
];
const PATHS = ['/v1/chat/completions', '/v1/messages', '/v1/embeddings', '/v1beta/models/m:generateContent'];

/** Origins of every address that the provider makes for a channel. */
function originsOf(
  provider: Provider,
  channel: { baseUrl: string; key: string; other: string },
): Set<string> {
  const whole = { ...channel, organization: '' };
  const urls = provider.speaks.flatMap((format) =>
    PATHS.flatMap((path) =>
      ['m', 'claude-x', 'a/b', '@evil.example', 'claude-@evil.example/'].flatMap((model) =>
        [true, false].map((isStream) => provider.url(whole, { format, path, model, isStream })),
      ),
    ),
  );
  if (provider.listing) urls.push(provider.listing.url(whole));
  return new Set(urls.map((url) => new URL(url).origin));
}

const all = [...providers, ...taskProviders].map((provider) => {
  const facts = channelTypes.find(({ type }) => type === provider.type);
  return [facts?.name ?? '', provider, facts?.baseUrl ?? ''] as const;
});

describe.each(all)('%s', (_name, provider, usualUrl) => {
  const own = { baseUrl: 'https://upstream.example', key: 'k', other: '' };

  test('with a base URL every call goes to its origin, whatever `other` and the key contain', () => {
    for (const value of HOSTILE)
      for (const channel of [
        { ...own, other: value },
        { ...own, key: `a|${value}` },
        { ...own, key: `a|b|${value}` },
        { ...own, key: JSON.stringify({ project_id: value, client_email: 'e', private_key: 'x' }) },
      ])
        expect([value, [...originsOf(provider, channel)]]).toEqual([value, ['https://upstream.example']]);
  });

  test('without one every call goes to the provider’s own hosts', () => {
    if (usualUrl === '' && !provider.decidesAddress && provider.type !== CHANNEL_TYPE.spark) return;
    const usual = originsOf(provider, { baseUrl: '', key: 'k', other: '' });
    for (const value of HOSTILE) {
      // Refused on save; a row from before the rule falls back to the default.
      if (value !== '') expect([value, provider.decidesAddress?.(value)]).toEqual([value, undefined]);
      for (const channel of [
        { baseUrl: '', key: 'k', other: value },
        { baseUrl: '', key: `a|${value}`, other: '' },
        { baseUrl: '', key: `a|b|${value}`, other: '' },
        { baseUrl: '', key: JSON.stringify({ project_id: value, client_email: 'e' }), other: '' },
      ])
        expect([value, [...originsOf(provider, channel)].filter((origin) => !usual.has(origin))]).toEqual([
          value,
          [],
        ]);
    }
  });

  test('a value that moves the host is declared', () => {
    const at = (other: string) => [...originsOf(provider, { baseUrl: own.baseUrl, key: 'k', other })];
    const without = (other: string) =>
      usualUrl === '' && !provider.decidesAddress
        ? at(other)
        : [...originsOf(provider, { baseUrl: '', key: 'k', other })];
    for (const other of ['eu-west-1', 'europe-west4', 'v1', '2024-12-01', '{"default":"europe-west4"}']) {
      const moved = without(other).join() !== without('').join();
      if (moved) expect([other, provider.decidesAddress !== undefined]).toEqual([other, true]);
      const hosts = provider.decidesAddress?.(other);
      if (hosts)
        for (const origin of without(other).filter((each) => !each.includes('//bedrock.')))
          expect(hosts).toContain(new URL(origin).host);
    }
  });
});

test('regions of Bedrock and Vertex have a strict form', () => {
  const hosts = (type: number, other: string) => providerOf(type)?.decidesAddress?.(other);
  for (const region of ['us-east-1', 'us-gov-west-1', 'ap-southeast-2', 'us-iso-east-1', ' eu-central-1 '])
    expect(hosts(CHANNEL_TYPE.bedrock, region)).toEqual([`bedrock-runtime.${region.trim()}.amazonaws.com`]);
  for (const region of ['us', 'us-east-', 'US-EAST-1', 'us-east-1.', 'us-east-100', '-us-east-1'])
    expect([region, hosts(CHANNEL_TYPE.bedrock, region)]).toEqual([region, undefined]);
  expect(hosts(CHANNEL_TYPE.vertex, 'global')).toEqual(['aiplatform.googleapis.com']);
  expect(hosts(CHANNEL_TYPE.vertex, '{"default":"us","claude-x":"europe-west12"}')).toEqual([
    'us-aiplatform.googleapis.com',
    'europe-west12-aiplatform.googleapis.com',
  ]);
  for (const region of ['', '{}', '{', '{"default":1}', 'us-east5.', '{"default":"us","m":"x/"}'])
    expect([region, hosts(CHANNEL_TYPE.vertex, region)]).toEqual([region, undefined]);
});
