// docs/providers.md equals the registry: a change of a provider must change the page.
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { balanceReading } from './facts/balance.ts';
import { channelTypes, type ChannelTypeFacts } from './facts/channel-types.ts';
import { providerOf } from './index.ts';

const page = new URL('../../../docs/providers.md', import.meta.url);

const formatNames: Readonly<Record<string, string>> = {
  'openai-chat': 'chat',
  'openai-responses': 'responses',
  'anthropic-messages': 'messages',
  'gemini-generate': 'generateContent',
  'openai-completions': 'completions',
  'openai-embeddings': 'embeddings',
  'openai-rerank': 'rerank',
  'openai-images': 'images',
  'openai-speech': 'speech',
  'openai-transcriptions': 'transcriptions',
  'openai-moderations': 'moderations',
  'openai-realtime': 'realtime',
  'openai-batches': 'files and batches',
  'anthropic-batches': 'message batches',
  midjourney: 'drawings',
  suno: 'music',
  video: 'videos',
  own: 'its own',
};

function line({ type, name, keyFormat, balance }: ChannelTypeFacts): string {
  const provider = providerOf(type);
  if (provider === undefined) return cells([String(type), name, 'nothing yet', '', '', '']);
  const speaks = provider.speaks.flatMap((format) =>
    formatNames[format] === undefined ? [] : [formatNames[format]],
  );
  const key = keyFormat === '' ? '' : `\`${keyFormat.replaceAll('|', '\\|')}\``;
  return cells([
    String(type),
    name,
    speaks.join(', '),
    key,
    provider.listing === null ? '' : 'yes',
    balance === undefined ? '' : balanceReading(balance).currency,
  ]);
}

const cells = (values: readonly string[]): string => `| ${values.join(' | ')} |`;

const withoutPadding = (row: string): string => row.replaceAll(/\s+/g, ' ').trim();

test('the table equals the registry', () => {
  const documented = readFileSync(page, 'utf8')
    .split('\n')
    .filter((row) => /^\| +\d/.test(row))
    .map(withoutPadding);
  const known = [...channelTypes]
    .sort((left, right) => left.type - right.type)
    .map((facts) => withoutPadding(line(facts)));
  expect(documented).toEqual(known);
});
