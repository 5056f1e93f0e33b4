import { describe, expect, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import lists from './type-models.json' with { type: 'json' };
import { typeModels } from './type-models.ts';

describe('the lists of known models', () => {
  test('every list belongs to a channel type, and every family it names exists', () => {
    const types: Record<string, { families?: string[]; models?: string[] }> = lists.types;
    expect(Object.keys(types).filter((name) => !(name in CHANNEL_TYPE))).toEqual([]);
    const named = Object.values(types).flatMap(({ families = [] }) => families);
    expect(named.filter((family) => !(family in lists.families))).toEqual([]);
  });

  test('a type has the models of its families and its own, each once', () => {
    expect(typeModels[CHANNEL_TYPE.bedrock]).toEqual([
      ...lists.families.claude,
      ...lists.types.bedrock.models,
    ]);
    for (const models of Object.values(typeModels)) expect(new Set(models).size).toBe(models.length);
  });
});
