import { expect, test } from 'bun:test';
import { readCallback } from './read-callback.ts';

test('code and state are read without conversion', () => {
  expect(readCallback('/oauth/github', '?code=12e456&state=0007')).toEqual({
    provider: 'github',
    code: '12e456',
    state: '0007',
    refused: false,
    iss: undefined,
  });
});

test('a provider with an error, or without a code, has refused', () => {
  expect(readCallback('/oauth/linuxdo', '?error=access_denied&state=s')).toMatchObject({ refused: true });
  expect(readCallback('/oauth/oidc', '')).toMatchObject({ provider: 'oidc', refused: true });
});

test('the issuer is passed on when the provider sends it', () => {
  expect(readCallback('/oauth/oidc', '?code=a&state=b&iss=https%3A%2F%2Fid.example')).toMatchObject({
    provider: 'oidc',
    iss: 'https://id.example',
  });
});

test('of Telegram’s address only the widget’s own fields are taken, the first of each', () => {
  const callback = readCallback(
    '/oauth/telegram/bind',
    '?state=s&id=42&id=43&first_name=Paper%20Boat&hash=ff&evil=1',
  );
  expect(callback).toEqual({
    provider: 'telegram',
    fields: { id: '42', first_name: 'Paper Boat', hash: 'ff' },
    state: 's',
    binds: true,
  });
  expect(readCallback('/oauth/telegram', '?id=42')).toMatchObject({ binds: false });
});
