// Epay, the protocol of most Alipay and WeChat resellers: a signed form the payer's browser posts, a signed notice (GET or
// POST) after payment, and `api.php` for questions and refunds. The signature is MD5 over the sorted parameters and the key.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { PaymentMethodName } from '#contract/money/orders.ts';
import type { Settings } from '#contract/settings.ts';
import type { Egress } from '#server/platform/egress/index.ts';
import { minorOf, moneyText } from './currency.ts';
import {
  CallbackRefused,
  originsOf,
  ProviderError,
  type Callback,
  type CallbackReading,
  type KnownPayment,
  type PaymentProvider,
  type PaymentReport,
} from './provider.ts';

type EpaySettings = Pick<
  Settings,
  'CustomCallbackAddress' | 'EpayId' | 'EpayKey' | 'EpayMethods' | 'PayAddress' | 'Price' | 'ServerAddress'
>;

export interface EpayParts {
  settings: { readonly current: EpaySettings };
  egress: Pick<Egress, 'fetch'>;
}

const CURRENCY = 'CNY';
/** The names of our methods at the provider. */
const TYPES: Partial<Record<PaymentMethodName, string>> = { zfb: 'alipay', wx: 'wxpay' };
const TIMEOUT_SECONDS = 15;
const LIMIT_BYTES = 64 * 1024;

export const EPAY_CALLBACK_PATH = '/api/user/epay/notify';

/** Lower-case MD5 of `a=1&b=2…` + key, without empty values, `sign` and `sign_type`. */
export function epaySignature(fields: Readonly<Record<string, string>>, key: string): string {
  const text = Object.keys(fields)
    .filter((name) => name !== 'sign' && name !== 'sign_type' && fields[name] !== '')
    .sort((left, right) => (left < right ? -1 : 1))
    .map((name) => `${name}=${fields[name]}`)
    .join('&');
  return createHash('md5')
    .update(text + key)
    .digest('hex');
}

export function createEpay({ settings, egress }: EpayParts): PaymentProvider {
  const isConfigured = ({ PayAddress, EpayId, EpayKey }: EpaySettings) =>
    PayAddress !== '' && EpayId !== '' && EpayKey !== '';

  /** The body as JSON, or a ProviderError. */
  async function ask(query: Record<string, string>, form?: Record<string, string>): Promise<Answer> {
    const { PayAddress, EpayId, EpayKey } = settings.current;
    const credentials = { pid: EpayId, key: EpayKey };
    const inQuery = form === undefined ? { ...query, ...credentials } : query;
    const url = `${PayAddress}/api.php?${new URLSearchParams(inQuery).toString()}`;
    const post =
      form === undefined
        ? {}
        : {
            method: 'POST',
            headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
            body: new URLSearchParams({ ...form, ...credentials }).toString(),
          };
    try {
      const response = await egress.fetch('system', url, {
        ...post,
        timeoutSeconds: TIMEOUT_SECONDS,
        limitBytes: LIMIT_BYTES,
      });
      if (response.status !== 200) throw new Error(`status ${response.status}`);
      return readAnswer(await response.json());
    } catch (error) {
      // The address has the key in its query: the error names neither.
      throw new ProviderError(`Epay did not answer: ${error instanceof Error ? error.name : 'unknown'}`);
    }
  }

  return {
    name: 'epay',
    isRefundRepeatable: false,
    methods() {
      const { current } = settings;
      if (!isConfigured(current)) return [];
      const names = ['zfb', 'wx'] as const;
      return names
        .filter((name) => current.EpayMethods.includes(name))
        .map((name) => ({ name, currency: CURRENCY, price: current.Price }));
    },
    origins: () => originsOf(settings.current.PayAddress),
    async begin({ tradeNo, method, amountMinor, title }) {
      const { PayAddress, EpayId, EpayKey, CustomCallbackAddress, ServerAddress } = settings.current;
      const fields: Record<string, string> = {
        pid: EpayId,
        type: TYPES[method] ?? '',
        out_trade_no: tradeNo,
        notify_url: `${CustomCallbackAddress || ServerAddress}${EPAY_CALLBACK_PATH}`,
        return_url: `${ServerAddress}/topup?order=${tradeNo}`,
        name: title,
        money: moneyText(amountMinor, CURRENCY),
        device: 'pc',
        sign_type: 'MD5',
      };
      fields['sign'] = epaySignature(fields, EpayKey);
      return { url: `${PayAddress}/submit.php`, fields, reference: '' };
    },
    readCallback: async (callback) => readCallback(settings.current, callback),
    accepted: () => new Response('success'),
    refused: () => new Response('fail'),
    async query({ tradeNo }: KnownPayment) {
      const answer = await ask({ act: 'order', out_trade_no: tradeNo });
      return reportOf(answer, tradeNo, settings.current.EpayId);
    },
    async refund({ tradeNo, reference }, { amountMinor }) {
      try {
        const order: Record<string, string> =
          reference === '' ? { out_trade_no: tradeNo } : { trade_no: reference };
        const answer = await ask({ act: 'refund' }, { ...order, money: moneyText(amountMinor, CURRENCY) });
        if (answer.text('code') === '1') return { kind: 'done', reference: answer.text('refund_no') };
        return { kind: 'refused', detail: answer.text('msg').slice(0, 200) };
      } catch (error) {
        return { kind: 'unknown', detail: error instanceof Error ? error.message : '' };
      }
    },
  };
}

function readCallback({ EpayId, EpayKey }: EpaySettings, callback: Callback): CallbackReading {
  // An empty key would make every signature easy to forge.
  if (EpayKey === '') throw new CallbackRefused('no key is set');
  const fields = parameters(callback);
  const { sign = '', pid, trade_status, out_trade_no = '', money = '', trade_no = '' } = fields;
  if (!isSame(sign, epaySignature(fields, EpayKey))) throw new CallbackRefused('wrong signature');
  if ((fields['sign_type'] ?? 'MD5').toUpperCase() !== 'MD5')
    throw new CallbackRefused('another kind of signature');
  if (pid !== EpayId) throw new CallbackRefused('another merchant');
  const amountMinor = minorOf(money, CURRENCY);
  if (amountMinor === undefined || out_trade_no === '') throw new CallbackRefused('not a payment');
  if (trade_status !== 'TRADE_SUCCESS') return { kind: 'other' };
  const report: PaymentReport = {
    state: 'paid',
    tradeNo: out_trade_no,
    amountMinor,
    currency: CURRENCY,
    reference: trade_no,
    payer: fields['buyer'] ?? '',
  };
  return { kind: 'payment', report };
}

/** Undefined when the provider does not know the order. */
function reportOf(answer: Answer, tradeNo: string, merchant: string): PaymentReport | undefined {
  if (answer.text('code') !== '1') return undefined;
  if (answer.text('out_trade_no') !== tradeNo || answer.text('pid') !== merchant) return undefined;
  const amountMinor = minorOf(answer.text('money'), CURRENCY);
  if (amountMinor === undefined) return undefined;
  return {
    state: answer.text('status') === '1' ? 'paid' : 'open',
    tradeNo,
    amountMinor,
    currency: CURRENCY,
    reference: answer.text('trade_no'),
    payer: answer.text('buyer'),
  };
}

interface Answer {
  /** Numbers and strings as text; anything else is empty. */
  text(name: string): string;
}

function readAnswer(content: unknown): Answer {
  const fields = (typeof content === 'object' && content !== null ? content : {}) as Record<string, unknown>;
  return {
    text(name) {
      const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
      return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
    },
  };
}

/** Refuses a name that occurs twice: the signer and this code could read different values of it. */
function parameters({ method, query, body }: Callback): Record<string, string> {
  const fields: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of new URLSearchParams(method === 'POST' && body !== '' ? body : query)) {
    if (name in fields) throw new CallbackRefused(`${name.slice(0, 40)} occurs twice`);
    fields[name] = value;
  }
  return fields;
}

function isSame(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left.toLowerCase()), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
