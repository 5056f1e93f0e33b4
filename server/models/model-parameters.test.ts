// What forms offer for a model follows what its generation takes.
import { expect, test } from 'bun:test';
import { parametersOf } from './model-parameters.ts';

test('a model that always reasons takes an effort and no sampling, and names its limit anew', () => {
  expect(parametersOf('o3')).toMatchObject({
    sampling: 'never',
    efforts: ['low', 'medium', 'high'],
    hasPenalties: false,
    hasSeed: false,
    limitName: 'max_completion_tokens',
  });
  expect(parametersOf('gpt-5')).toMatchObject({ sampling: 'never', hasVerbosity: true });
});

test('a model that may answer without reasoning takes sampling without an effort only', () => {
  expect(parametersOf('gpt-5.2')).toMatchObject({ sampling: 'without_effort', usualEffort: 'none' });
  expect(parametersOf('claude-sonnet-4-5')).toMatchObject({
    sampling: 'without_effort',
    highestTemperature: 1,
    takesBothSamplings: false,
    hasSeed: false,
  });
});

test('newer generations of Claude take no sampling, older ones no effort', () => {
  expect(parametersOf('claude-opus-4-8').sampling).toBe('never');
  expect(parametersOf('claude-3-5-haiku')).toMatchObject({ sampling: 'always', efforts: [] });
});

test('a plain model takes no effort', () => {
  expect(parametersOf('gpt-4o-mini')).toMatchObject({
    sampling: 'always',
    efforts: [],
    limitName: 'max_tokens',
  });
  expect(parametersOf('gemini-2.0-flash').efforts).toEqual([]);
  expect(parametersOf('gemini-2.5-pro').efforts).not.toEqual([]);
});

test('of an unknown model nothing is left out', () => {
  expect(parametersOf('our-own-model')).toMatchObject({
    sampling: 'always',
    hasSeed: true,
    hasPenalties: true,
  });
  expect(parametersOf('our-own-model').efforts).toHaveLength(3);
});
