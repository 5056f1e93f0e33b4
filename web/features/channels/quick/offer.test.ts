import { describe, expect, test } from 'bun:test';
import { offerOf } from './offer.ts';

describe('the models of a first channel', () => {
  test('those that are known, and so priced; the others are counted', () => {
    expect(offerOf(['a', 'b', 'c'], ['x', 'b', 'a', 'y'])).toEqual({
      models: ['b', 'a'],
      left: 2,
      tests: ['b', 'a'],
    });
  });

  test('all of an upstream whose models are unknown', () => {
    expect(offerOf(['a'], ['x', 'y'])).toEqual({ models: ['x', 'y'], left: 0, tests: ['x', 'y'] });
  });

  test('an upstream that cannot be asked offers the known ones', () => {
    expect(offerOf(['a', 'b'], undefined).models).toEqual(['a', 'b']);
  });

  test('only models that answer a question are tested, at most three', () => {
    const listed = ['text-embedding-3', 'gpt-image-1', 'm1', 'm2', 'm3', 'm4', 'whisper-1'];
    expect(offerOf([], listed).tests).toEqual(['m1', 'm2', 'm3']);
  });
});
