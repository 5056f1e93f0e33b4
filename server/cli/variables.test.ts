import { expect, test } from 'bun:test';
import { environmentSchema } from '#server/platform/env.ts';
import { readableVariables } from './variables.ts';

const variables = {
  MASTER_KEY: 'a',
  INITIAL_ROOT_PASSWORD: 'b',
  AWS_SECRET_ACCESS_KEY: 'c',
  OPENAI_API_KEY: 'd',
  OPENAI_ORG: 'e',
  TOLLGATE_CHANNEL_MAIN_KEY: 'f',
  PATH: 'g',
};

test('a file reads TOLLGATE_ variables and those that are named, and nothing else of the environment (S29)', () => {
  expect(readableVariables(variables, {})).toEqual({ TOLLGATE_CHANNEL_MAIN_KEY: 'f' });
  expect(readableVariables(variables, { env: 'OPENAI_API_KEY' })).toEqual({
    OPENAI_API_KEY: 'd',
    TOLLGATE_CHANNEL_MAIN_KEY: 'f',
  });
  expect(Object.keys(readableVariables(variables, { env: 'OPENAI_*, PATH' })).toSorted()).toEqual([
    'OPENAI_API_KEY',
    'OPENAI_ORG',
    'PATH',
    'TOLLGATE_CHANNEL_MAIN_KEY',
  ]);
});

test('no variable that the server is run with can be read, named or not (S29)', () => {
  for (const name of Object.keys(environmentSchema.shape)) {
    expect(() => readableVariables(variables, { env: name })).toThrow('variable of the server');
    expect(name.startsWith('TOLLGATE_')).toBe(false);
  }
  expect(readableVariables(variables, { env: 'M*,INITIAL*' })).toEqual({ TOLLGATE_CHANNEL_MAIN_KEY: 'f' });
});
