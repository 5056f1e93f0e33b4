import { expect, test } from 'bun:test';
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { channelTypes } from './channel-types.ts';

test('every type of upstream has one name', () => {
  const named = Object.values(CHANNEL_TYPE).toSorted((left, right) => left - right);
  const known = channelTypes.map(({ type }) => type).toSorted((left, right) => left - right);
  expect(named as readonly number[]).toEqual(known);
});
