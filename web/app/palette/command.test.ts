import { expect, test } from 'bun:test';
import { commandIn } from './command.ts';

test.each([
  ['disable channel 4', 'disable', '4'],
  ['Disable #4', 'disable', '4'],
  ['disable anthropic-reserve', 'disable', 'anthropic-reserve'],
  ['禁用渠道 4', 'disable', '4'],
  ['停用 备用', 'disable', '备用'],
  ['refund order 20261118T1', 'refund', '20261118T1'],
  ['refund 17', 'refund', '17'],
  ['退款订单17', 'refund', '17'],
] as const)('%s', (text, verb, rest) => {
  expect(commandIn(text)).toEqual({ verb, rest });
});

test.each(['refund', 'refund order', 'disable channel', '退款', 'disabled', 'refunds policy?', 'gpt-5'])(
  '%s is no command',
  (text) => {
    expect(commandIn(text)).toBeUndefined();
  },
);
