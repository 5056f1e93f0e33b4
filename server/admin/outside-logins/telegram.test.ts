import { expect, test } from 'bun:test';
import { telegramCheckString, telegramHash } from './telegram.ts';

const fields = {
  id: '42',
  first_name: 'Paper',
  username: 'paperboat',
  auth_date: '1700000000',
  hash: 'of no interest',
};

test('what is signed: every field but the signature, sorted by name, one to a line', () => {
  expect(telegramCheckString(fields)).toBe(
    'auth_date=1700000000\nfirst_name=Paper\nid=42\nusername=paperboat',
  );
  expect(telegramCheckString({ ...fields, lang: 'zh' }, ['hash', 'lang'])).toBe(telegramCheckString(fields));
});

test('the signature is HMAC-SHA-256 under the SHA-256 of the bot’s token', () => {
  // Computed with: printf '…' | openssl dgst -sha256 -mac HMAC -macopt hexkey:$(printf 1:token | sha256sum)
  expect(telegramHash('1:token', 'auth_date=1\nid=42')).toBe(
    '3812fedba579bcf4ace1345a4834e66b400af82030544c3eed4d5b64409c74bf',
  );
});
