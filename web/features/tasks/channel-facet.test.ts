// A filter of tasks names channels as the rows do; an ID still finds one that no row has.
import { expect, test } from 'bun:test';
import { channelOf, channelOptions } from './channel-facet.ts';

const rows = [
  { channel_id: 4, channel_name: 'band' },
  { channel_id: 4, channel_name: 'band' },
  { channel_id: 7, channel_name: '' },
  { channel_id: 0, channel_name: '' },
];

test('channels of the rows by name, each once; one that is gone by its ID', () => {
  expect(channelOptions(rows, undefined)).toEqual([
    { value: '4', label: 'band' },
    { value: '7', label: '#7' },
  ]);
  expect(channelOptions(rows, 4)).toHaveLength(2);
  expect(channelOptions([], 9)).toEqual([{ value: '9', label: '#9' }]);
});

test('a channel is typed as an ID or as a part of its name', () => {
  const options = channelOptions(rows, undefined);
  expect(['4', '#12', ' Ban ', 'nobody', '', '#', '0'].map((typed) => channelOf(typed, options))).toEqual([
    4,
    12,
    4,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
