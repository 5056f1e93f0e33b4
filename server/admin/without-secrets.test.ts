import { expect, test } from 'bun:test';
import { withoutSecrets } from './without-secrets.ts';

test('what is named like a secret is not shown, at any depth; everything else is', () => {
  const row = {
    username: 'ana',
    password: 'hunter2',
    nested: { client_secret: 's', key: 'sk-1', keys: 3, GitHubClientSecret: 'x', password_hash: '$argon2' },
    list: [{ access_token: 't' }],
  };
  expect(JSON.parse(withoutSecrets(JSON.stringify(row)))).toEqual({
    username: 'ana',
    password: '•••',
    nested: { client_secret: '•••', key: '•••', keys: 3, GitHubClientSecret: '•••', password_hash: '•••' },
    list: [{ access_token: '•••' }],
  });
});

test('an empty secret says that there is none; a text that does not parse says nothing', () => {
  expect(withoutSecrets('{"password":""}')).toBe('{"password":""}');
  expect(withoutSecrets('{"password":"hun')).toBe('');
  expect(withoutSecrets('{}')).toBe('');
});
