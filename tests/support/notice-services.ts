// The services that notices are sent to, played by one local server as their documentation describes them: paths, status
// codes, error bodies with status 200, and signatures that this side computes by itself.
import { createHmac } from 'node:crypto';

export const KEYS = {
  webhookSecret: 'hook-secret-canary-0123456789',
  barkDevice: 'bark-device-canary',
  gotifyToken: 'gotify-token-canary',
  telegramToken: '123456:telegram-token-canary',
  telegramChat: '987654',
  feishuHook: 'feishu-hook-canary',
  feishuSecret: 'feishu-secret-canary',
  wecomKey: 'wecom-key-canary',
  dingtalkToken: 'dingtalk-token-canary',
  dingtalkSecret: 'SECdingtalk-secret-canary',
} as const;

export interface Received {
  service: string;
  body: Record<string, unknown>;
  headers: Headers;
  /** As it arrived, for signatures. */
  text: string;
}

type Answer = (request: Request) => Response | Promise<Response>;

export interface NoticeServices {
  url: string;
  /** Accepted messages, oldest first. */
  received: Received[];
  /** Requests of any kind. */
  readonly requests: number;
  /** Answers instead of the service, until it is set to null. */
  answerWith(answer: Answer | null): void;
  /** The fields of each way, to be saved. */
  configs: Record<string, Record<string, string>>;
  close(): Promise<void>;
}

const json = (body: unknown, status = 200) => Response.json(body, { status });
const hmac = (key: string, text: string) => createHmac('sha256', key).update(text);

/** Feishu and DingTalk refuse times that are an hour away. */
const isNear = (milliseconds: number) => Math.abs(Date.now() - milliseconds) < 3_600_000;

type Service = (request: Request, url: URL, text: string) => Response;

const services: Record<string, Service> = {
  webhook({ headers }, _url, text) {
    const timestamp = headers.get('x-tollgate-timestamp') ?? '';
    const expected = `sha256=${hmac(KEYS.webhookSecret, `${timestamp}.${text}`).digest('hex')}`;
    const isGenuine = headers.get('x-tollgate-signature') === expected && isNear(Number(timestamp) * 1000);
    return isGenuine ? new Response(null, { status: 204 }) : new Response('bad signature', { status: 401 });
  },
  bark(_request, url, text) {
    if (url.pathname !== '/bark/push') return json({ code: 404, message: 'not found', timestamp: 1 }, 404);
    const { device_key } = JSON.parse(text) as { device_key?: string };
    if (device_key === KEYS.barkDevice) return json({ code: 200, message: 'success', timestamp: 1 });
    const message = `failed to get device token: failed to get [${device_key}] device token from database`;
    return json({ code: 400, message, timestamp: 1 }, 400);
  },
  gotify({ headers }, url) {
    const refusal = { error: 'Unauthorized', errorCode: 401 };
    const errorDescription =
      'you need to provide a valid access token or user credentials to access this api';
    if (url.pathname !== '/gotify/message' || headers.get('x-gotify-key') !== KEYS.gotifyToken)
      return json({ ...refusal, errorDescription }, 401);
    return json({ id: 25, appid: 5, priority: 5, date: new Date().toISOString() });
  },
  telegram(_request, url, text) {
    if (url.pathname !== `/telegram/bot${KEYS.telegramToken}/sendMessage`)
      return json({ ok: false, error_code: 404, description: 'Not Found' }, 404);
    const { chat_id } = JSON.parse(text) as { chat_id?: string };
    if (chat_id !== KEYS.telegramChat)
      return json({ ok: false, error_code: 400, description: 'Bad Request: chat not found' }, 400);
    return json({ ok: true, result: { message_id: 7, chat: { id: Number(chat_id) } } });
  },
  feishu(_request, url, text) {
    if (url.pathname !== `/feishu/open-apis/bot/v2/hook/${KEYS.feishuHook}`)
      return json({ code: 19_001, msg: 'param invalid: incoming webhook access token invalid', data: {} });
    const { timestamp = '', sign } = JSON.parse(text) as { timestamp?: string; sign?: string };
    const expected = hmac(`${timestamp}\n${KEYS.feishuSecret}`, '').digest('base64');
    if (sign !== expected || !isNear(Number(timestamp) * 1000)) {
      const msg = 'sign match fail or timestamp is not within one hour from current time';
      return json({ code: 19_021, msg, data: {} });
    }
    return json({ StatusCode: 0, StatusMessage: 'success', code: 0, data: {}, msg: 'success' });
  },
  wecom(_request, url) {
    if (url.searchParams.get('key') !== KEYS.wecomKey)
      return json({ errcode: 93_000, errmsg: 'invalid webhook url, hint: [1700000000], from ip: 1.2.3.4' });
    return json({ errcode: 0, errmsg: 'ok' });
  },
  dingtalk(_request, url) {
    if (url.searchParams.get('access_token') !== KEYS.dingtalkToken)
      return json({ errcode: 300_005, errmsg: 'token is not exist' });
    const timestamp = url.searchParams.get('timestamp') ?? '';
    const expected = hmac(KEYS.dingtalkSecret, `${timestamp}\n${KEYS.dingtalkSecret}`).digest('base64');
    if (url.searchParams.get('sign') !== expected || !isNear(Number(timestamp)))
      return json({
        errcode: 310_000,
        errmsg:
          'description:机器人发送签名不匹配;solution:请确认签名和生成签名的时间戳必须都放在调用的网址中',
      });
    return json({ errcode: 0, errmsg: 'ok' });
  },
};

export function startNoticeServices(): NoticeServices {
  const received: Received[] = [];
  let requests = 0;
  let override: Answer | null = null;
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      requests += 1;
      const text = await request.text();
      const url = new URL(request.url);
      const service = url.pathname.split('/')[1] ?? '';
      if (override !== null) return await override(request);
      const play = services[service];
      if (play === undefined) return new Response('not found', { status: 404 });
      if (request.method !== 'POST' || !request.headers.get('content-type')?.includes('application/json'))
        return new Response('bad request', { status: 400 });
      const answer = play(request, url, text);
      if (await isAccepted(answer)) {
        const body = JSON.parse(text) as Record<string, unknown>;
        received.push({ service, body, headers: request.headers, text });
      }
      return answer;
    },
  });
  const url = `http://127.0.0.1:${server.port}`;
  return {
    url,
    received,
    get requests() {
      return requests;
    },
    answerWith(answer) {
      override = answer;
    },
    configs: {
      webhook: { address: `${url}/webhook/mine`, secret: KEYS.webhookSecret },
      bark: { address: `${url}/bark`, device_key: KEYS.barkDevice },
      gotify: { address: `${url}/gotify/`, token: KEYS.gotifyToken },
      telegram: { address: `${url}/telegram`, token: KEYS.telegramToken, chat_id: KEYS.telegramChat },
      feishu: {
        address: `${url}/feishu/open-apis/bot/v2/hook/${KEYS.feishuHook}`,
        secret: KEYS.feishuSecret,
      },
      wecom: { address: `${url}/wecom/cgi-bin/webhook/send?key=${KEYS.wecomKey}` },
      dingtalk: {
        address: `${url}/dingtalk/robot/send?access_token=${KEYS.dingtalkToken}`,
        secret: KEYS.dingtalkSecret,
      },
    },
    async close() {
      await server.stop(true);
    },
  };
}

/** By what each service says of itself: status 200 alone is no acceptance. */
async function isAccepted(answer: Response): Promise<boolean> {
  if (answer.status === 204) return true;
  if (!answer.headers.get('content-type')?.includes('json')) return false;
  const body = (await answer.clone().json()) as Record<string, unknown>;
  return [
    body['code'] === 200,
    body['code'] === 0,
    body['errcode'] === 0,
    body['ok'],
    'appid' in body,
  ].includes(true);
}
