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

const notice = { pid: '1001', trade_status: 'TRADE_SUCCESS', out_trade_no: 'USR1NOours', money: '73.00' };
const reading = (fields: Record<string, string>, more = '', settings = current) => {
  const sign = epaySignature(fields, 'key');
  const query = `${new URLSearchParams({ ...fields, sign }).toString()}${more}`;
  const epay = createEpay({
    settings: { current: settings },
    egress: { fetch: () => Promise.reject(new Error()) },
  });
  return epay.readCallback({ method: 'GET', query, body: '', headers: new Headers() });
};

test('a notice that is genuine and of no payment of ours is refused, or of no concern', async () => {
  expect(await reading(notice)).toMatchObject({ kind: 'payment', report: { payer: '' } });
  expect(await reading({ ...notice, buyer: 'ann' })).toMatchObject({ report: { payer: 'ann' } });
  expect(await reading({ ...notice, trade_status: 'TRADE_CLOSED' })).toEqual({ kind: 'other' });
  expect(await reading({ ...notice, empty: '' })).toMatchObject({ kind: 'payment' });
  expect(reading({ ...notice, pid: '1002' })).rejects.toThrow('another merchant');
  expect(reading({ ...notice, out_trade_no: '' })).rejects.toThrow('not a payment');
  expect(reading({ ...notice, money: '1.234' })).rejects.toThrow('not a payment');
  expect(reading(notice, '&sign_type=RSA')).rejects.toThrow('another kind of signature');
  expect(reading(notice, '&money=1.00')).rejects.toThrow('occurs twice');
  const open = { ...current, EpayKey: '' };
  const forged = new URLSearchParams({ ...notice, sign: epaySignature(notice, '') }).toString();
  const epay = createEpay({
    settings: { current: open },
    egress: { fetch: () => Promise.reject(new Error()) },
  });
  expect(
    epay.readCallback({ method: 'GET', query: forged, body: '', headers: new Headers() }),
  ).rejects.toThrow('no key is set');
});

test('the payer is asked for the amount in yuan, and the signature leaves out what is empty', async () => {
  const epay = createEpay({ settings: { current }, egress: { fetch: () => Promise.reject(new Error()) } });
  const page = await epay.begin({
    tradeNo: 'USR1NOours',
    method: 'zfb',
    amountMinor: 7305,
    currency: 'CNY',
    title: 'TUC10',
    expiresAt: 0,
  });
  expect(page).toMatchObject({
    url: 'http://127.0.0.1:9/submit.php',
    fields: { pid: '1001', type: 'alipay', out_trade_no: 'USR1NOours', money: '73.05' },
  });
  const { sign = '', sign_type: _, ...fields } = page.fields;
  expect(sign).toBe(epaySignature(fields, 'key'));
  expect(epaySignature({ ...fields, empty: '' }, 'key')).toBe(sign);
});

test('a refund is asked for by the number of the provider, and without an answer its end is not known', async () => {
  const asked: URLSearchParams[] = [];
  const refund = async (reference: string, answer: () => Response) => {
    const epay = createEpay({
      settings: { current },
      egress: {
        fetch: async (_: unknown, _url: string, { body = '' }: { body?: unknown }) => {
          asked.push(new URLSearchParams(String(body)));
          return answer();
        },
      } as never,
    });
    const payment = { tradeNo: 'USR1NOours', reference, amountMinor: 7300, currency: 'CNY' };
    return await epay.refund(payment, { id: 'r', amountMinor: 1005, reference: '', isRepeated: false });
  };
  const done = () => Response.json({ code: 1, refund_no: 'R9' });
  expect(await refund('2026', done)).toEqual({ kind: 'done', reference: 'R9' });
  expect(await refund('', done)).toEqual({ kind: 'done', reference: 'R9' });
  expect(asked.map((each) => [each.get('trade_no'), each.get('out_trade_no'), each.get('money')])).toEqual([
    ['2026', null, '10.05'],
    [null, 'USR1NOours', '10.05'],
  ]);
  expect(await refund('2026', () => Response.json({ code: -1, msg: 'no money' }))).toEqual({
    kind: 'refused',
    detail: 'no money',
  });
  const broken = await refund('2026', () => Response.json({ code: 1 }, { status: 502 }));
  expect(broken.kind).toBe('unknown');
});
