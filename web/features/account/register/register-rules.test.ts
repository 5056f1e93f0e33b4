import { describe, expect, test } from 'bun:test';
import { registerProblems } from './register-rules.ts';

const good = {
  username: 'paperboat',
  password: 'zq7Kfmwx',
  password2: 'zq7Kfmwx',
  email: '',
  verification_code: '',
};

describe('the registration form', () => {
  test('accepts a name, a password of 8 and its repetition', () => {
    expect(registerProblems(good, false)).toEqual({});
  });

  test('username and password are required', () => {
    expect(registerProblems({ ...good, username: ' ', password: '', password2: '' }, false)).toEqual({
      username: 'required',
      password: 'required',
    });
  });

  test('a password under 8 characters is refused, one over 20 is not', () => {
    expect(registerProblems({ ...good, password: 'abcdefg', password2: 'abcdefg' }, false).password).toBe(
      'tooShort',
    );
    const long = 'abcdefghijklmnopqrstuvwxyz';
    expect(registerProblems({ ...good, password: long, password2: long }, false)).toEqual({});
  });

  test('the two passwords must be equal', () => {
    expect(registerProblems({ ...good, password2: 'zq7KfmwX' }, false).password2).toBe('differ');
  });

  test('email and code are asked for only where verification is on', () => {
    expect(registerProblems(good, true)).toEqual({
      email: 'emailRequired',
      verification_code: 'codeRequired',
    });
  });

  test('the form enforces the 12 characters it hints at', () => {
    expect(registerProblems({ ...good, username: 'thirteen-char' }, false).username).toBe('usernameTooLong');
  });
});
