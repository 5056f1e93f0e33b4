// What Epay answers to a question about an order.
import { expect, test } from 'bun:test';
import { createEpay } from './epay.ts';

const current = {
  CustomCallbackAddress: '',
  EpayId: '1001',
  EpayKey: 'key',
  EpayMethods: ['zfb'],
  PayAddress: 'http://127.0.0.1:9',
  Price: 7.3,
  ServerAddress: 'http://127.0.0.1:9',
} as Parameters<typeof createEpay>[0]['settings']['current'];

const answer = {
  code: 1,
  out_trade_no: 'USR1NOours',
  pid: 1001,
  money: '73.00',
  status: 1,
  trade_no: '2026',
  buyer: 'payer',
};

const asked = (change: object) =>
  createEpay({
    settings: { current },
    egress: { fetch: async () => Response.json({ ...answer, ...change }) },
  }).query({ tradeNo: 'USR1NOours', reference: '', amountMinor: 7300, currency: 'CNY' });

test('an answer about another order, of another merchant or without an amount is no payment (M21)', async () => {
  expect(await asked({})).toMatchObject({ state: 'paid', amountMinor: 7300, reference: '2026' });
  expect(await asked({ status: 0 })).toMatchObject({ state: 'open' });
  for (const other of [{ out_trade_no: 'USR1NOtheirs' }, { pid: 1002 }, { money: '' }, { code: -1 }])
    expect([other, await asked(other)]).toEqual([other, undefined]);
});
