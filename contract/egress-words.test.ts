import { expect, test } from 'bun:test';
import { allowableIn, readableProblem } from './egress-words.ts';

test('a stored refusal is one sentence in one language, with the name once (N28)', () => {
  const stored = 'private_address: localhost (127.0.0.1:11434, [::1]:11434)';
  expect(readableProblem(stored)).toEqual({
    zh: 'localhost (127.0.0.1:11434, [::1]:11434) 在内网中，默认不允许访问；超级管理员可以允许它',
    en: 'localhost (127.0.0.1:11434, [::1]:11434) is in a private network and not allowed by default; the super admin can allow it',
  });
  expect(readableProblem(`test ${stored}`)).toEqual(readableProblem(stored));
  expect(allowableIn(stored)).toEqual(['127.0.0.1:11434', '[::1]:11434']);
  expect(allowableIn('private_address: 10.0.0.5:80')).toEqual(['10.0.0.5:80']);
});

test('what an upstream said stays as it is (N28)', () => {
  for (const said of ['401 no', 'constructor: x', 'unauthorized: key', '']) {
    expect(readableProblem(said)).toEqual({ zh: said, en: said });
    expect(allowableIn(said)).toEqual([]);
  }
  expect(readableProblem('unresolved: $& {name}').en).toBe('the host $& {name} cannot be found');
});
