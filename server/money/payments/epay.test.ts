// What Epay answers to a question about an order, and where its notices have their values.
import { expect, test } from 'bun:test';
import { createEpay, epaySignature } from './epay.ts';

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

test('a notice has its values in the address or in its body, whichever method it comes by (M21)', async () => {
  const epay = createEpay({ settings: { current }, egress: { fetch: () => Promise.reject(new Error()) } });
  const fields = { pid: '1001', trade_status: 'TRADE_SUCCESS', out_trade_no: 'USR1NOours', money: '73.00' };
  const text = new URLSearchParams({ ...fields, sign: epaySignature(fields, 'key') }).toString();
  const read = (method: string, query: string, body: string) =>
    epay.readCallback({ method, query, body, headers: new Headers() });
  const report = { state: 'paid', tradeNo: 'USR1NOours', amountMinor: 7300 };
  for (const [method, query, body] of [
    ['GET', text, ''],
    ['POST', '', text],
    ['POST', text, ''],
    // What the address says does not count beside a body.
    ['POST', text.replace('73.00', '1.00'), text],
  ] as const)
    expect([method, await read(method, query, body)]).toMatchObject([method, { kind: 'payment', report }]);
  expect(read('POST', text, text.replace('73.00', '1.00'))).rejects.toThrow('wrong signature');
});
