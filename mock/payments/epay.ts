// An Epay merchant server: takes the signed form, shows a page with a button, notifies, answers `api.php`. It signs with code
// of its own, so that a mistake of the product in the signature is seen.
import { createHash } from 'node:crypto';

export interface EpayOrder {
  fields: Record<string, string>;
  tradeNo: string;
  isPaid: boolean;
  refunded: number;
}

export interface EpayServer {
  url: string;
  pid: string;
  key: string;
  /** By the merchant's own number. */
  orders: Map<string, EpayOrder>;
  /** Answers that the merchant gave to notices. */
  answers: string[];
  /** How many payments and how much money the provider took, in cents. */
  taken: { count: number; cents: number };
  sign(fields: Record<string, string>): string;
  /** The signed fields of the notice of a paid order. */
  notice(outTradeNo: string, change?: Record<string, string>): URLSearchParams;
  /** The payer pays; no notice is sent. */
  pay(outTradeNo: string): void;
  notify(outTradeNo: string, method?: 'GET' | 'POST'): Promise<string>;
  /** What `api.php?act=refund` answers; default: it pays back. */
  refundAnswer: 'pays' | 'refuses' | 'breaks';
  close(): void;
}

const HIDDEN = new Set(['sign', 'sign_type']);

function signature(fields: Record<string, string>, key: string): string {
  const names = Object.keys(fields).filter((name) => !HIDDEN.has(name) && fields[name]);
  names.sort();
  const text = names.map((name) => `${name}=${fields[name]}`).join('&');
  return createHash('md5').update(`${text}${key}`).digest('hex');
}

export function startEpayServer(options: { pid?: string; key?: string; port?: number } = {}): EpayServer {
  const { pid = '1001', key = 'epay-merchant-key' } = options;
  const orders = new Map<string, EpayOrder>();
  const answers: string[] = [];
  const taken = { count: 0, cents: 0 };

  const isSigned = (fields: Record<string, string>) =>
    fields['sign'] === signature(fields, key) && fields['pid'] === pid;

  function pay(outTradeNo: string): EpayOrder {
    const order = orders.get(outTradeNo);
    if (order === undefined) throw new Error('no such order');
    if (!order.isPaid) {
      order.isPaid = true;
      taken.count += 1;
      taken.cents += Math.round(Number(order.fields['money']) * 100);
    }
    return order;
  }

  function notice(outTradeNo: string, change: Record<string, string> = {}): URLSearchParams {
    const { fields, tradeNo } = pay(outTradeNo);
    const signed: Record<string, string> = {
      pid,
      trade_no: tradeNo,
      out_trade_no: outTradeNo,
      type: fields['type'] ?? '',
      name: fields['name'] ?? '',
      money: fields['money'] ?? '',
      trade_status: 'TRADE_SUCCESS',
      param: '',
      ...change,
    };
    return new URLSearchParams({ ...signed, sign: signature(signed, key), sign_type: 'MD5' });
  }

  async function notify(outTradeNo: string, method: 'GET' | 'POST' = 'GET'): Promise<string> {
    const address = orders.get(outTradeNo)?.fields['notify_url'] ?? '';
    const parameters = notice(outTradeNo);
    const response =
      method === 'GET'
        ? await fetch(`${address}?${parameters.toString()}`)
        : await fetch(address, { method: 'POST', body: parameters });
    const answer = await response.text();
    answers.push(answer);
    return answer;
  }

  async function submit(request: Request): Promise<Response> {
    const fields = Object.fromEntries(new URLSearchParams(await request.text()));
    if (!isSigned(fields)) return new Response('签名校验失败', { status: 400 });
    const outTradeNo = fields['out_trade_no'] ?? '';
    if (!orders.has(outTradeNo))
      orders.set(outTradeNo, {
        fields,
        tradeNo: `2026${String(orders.size + 1).padStart(12, '0')}`,
        isPaid: false,
        refunded: 0,
      });
    const page = `<!doctype html><title>Epay</title><h1>${fields['type']} ¥${fields['money']}</h1>
      <form method="post" action="/pay?out_trade_no=${encodeURIComponent(outTradeNo)}"><button>支付 / Pay</button></form>`;
    return new Response(page, { headers: { 'Content-Type': 'text/html; charset=utf-8' } });
  }

  async function api(request: Request, query: Record<string, string>): Promise<Response> {
    const form =
      request.method === 'POST' ? Object.fromEntries(new URLSearchParams(await request.text())) : {};
    const fields: Record<string, string> = { ...query, ...form };
    if (fields['pid'] !== pid || fields['key'] !== key)
      return Response.json({ code: -3, msg: '商户密钥错误' });
    const order = [...orders.values()].find(
      (item) => item.tradeNo === fields['trade_no'] || item.fields['out_trade_no'] === fields['out_trade_no'],
    );
    if (order === undefined) return Response.json({ code: -1, msg: '订单号不存在' });
    if (fields['act'] === 'order')
      return Response.json({
        code: 1,
        msg: 'succ',
        trade_no: order.tradeNo,
        out_trade_no: order.fields['out_trade_no'],
        type: order.fields['type'],
        pid: Number(pid),
        name: order.fields['name'],
        money: order.fields['money'],
        status: order.isPaid ? 1 : 0,
      });
    if (fields['act'] !== 'refund') return Response.json({ code: -4, msg: 'No Act' });
    if (server_.refundAnswer === 'breaks') return new Response('<html>', { status: 502 });
    const cents = Math.round(Number(fields['money']) * 100);
    const left = Math.round(Number(order.fields['money']) * 100) - order.refunded;
    if (server_.refundAnswer === 'refuses' || cents > left || !order.isPaid)
      return Response.json({ code: -1, msg: '余额不足，无法退款' });
    order.refunded += cents;
    return Response.json({ code: 1, msg: '退款成功' });
  }

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: options.port ?? 0,
    async fetch(request) {
      const url = new URL(request.url);
      const query = Object.fromEntries(url.searchParams);
      if (url.pathname === '/submit.php' && request.method === 'POST') return await submit(request);
      if (url.pathname === '/api.php') return await api(request, query);
      if (url.pathname === '/pay' && request.method === 'POST') {
        const outTradeNo = query['out_trade_no'] ?? '';
        await notify(outTradeNo);
        const back = orders.get(outTradeNo)?.fields['return_url'] ?? '/';
        const target = new URL(back);
        for (const [name, value] of notice(outTradeNo)) target.searchParams.append(name, value);
        return Response.redirect(target.href, 302);
      }
      return new Response('not found', { status: 404 });
    },
  });
  const server_: EpayServer = {
    url: server.url.origin,
    pid,
    key,
    orders,
    answers,
    taken,
    sign: (fields) => signature(fields, key),
    notice,
    pay: (outTradeNo) => void pay(outTradeNo),
    notify,
    refundAnswer: 'pays',
    close: () => void server.stop(true),
  };
  return server_;
}
