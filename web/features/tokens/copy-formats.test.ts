import { expect, test } from 'bun:test';
import { copyTextOf, variableNames } from './copy-formats.ts';

const tokens = [
  { name: 'prod-web', key: 'aaaa' },
  { name: '生产', key: 'bbbb' },
];

test('REL-3.48 keys are copied with the sk- prefix, one per line', () => {
  expect(copyTextOf(tokens, 'keys')).toBe('sk-aaaa\nsk-bbbb');
});

test('name and key are on one line', () => {
  expect(copyTextOf(tokens, 'named')).toBe('prod-web    sk-aaaa\n生产    sk-bbbb');
});

test('an .env file has one valid and different variable per token', () => {
  expect(copyTextOf(tokens, 'env')).toBe('PROD_WEB_API_KEY=sk-aaaa\nTOKEN_API_KEY=sk-bbbb');
  const names = variableNames(
    ['a b', 'a-b', 'A_B', '令牌', '钥匙', '2fa', '--'].map((name) => ({ name, key: '' })),
  );
  expect(new Set(names).size).toBe(7);
  for (const name of names) expect(name).toMatch(/^[A-Z][A-Z\d_]*$/);
});
