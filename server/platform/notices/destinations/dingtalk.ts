// A robot of a DingTalk group. It answers refusals with status 200 and `errcode`.
import { createHmac } from 'node:crypto';
import { DELIVERY_CODES } from '#server/platform/notices/delivery-words.ts';
import {
  member,
  refused,
  robotField,
  signingSecret,
  titled,
  DestinationError,
  type Destination,
} from './destination.ts';

/** The robot's messages of this minute are used up, or the service is busy. */
const PASSING = [-1, 130_101, 410_100];

export const dingtalk: Destination = {
  kind: 'dingtalk',
  title: { zh: '钉钉机器人', en: 'DingTalk robot' },
  fields: [robotField('https://oapi.dingtalk.com/robot/send?access_token=…'), signingSecret],
  longestBytes: 15_000,
  async send(config, message, post) {
    const url = signedAddress(config['address'] ?? '', config['secret'] ?? '');
    const body = { msgtype: 'text', text: { content: titled(message) } };
    const reply = await post({ url, body: JSON.stringify(body) });
    const code = member(reply.json, 'errcode');
    if (code === 0) return;
    throw refused(reply, member(reply.json, 'errmsg'), typeof code === 'number' && !PASSING.includes(code));
  },
};

export function dingtalkSignature(secret: string, timestamp: string): string {
  return createHmac('sha256', secret).update(`${timestamp}\n${secret}`).digest('base64');
}

function signedAddress(address: string, secret: string): string {
  const url = URL.parse(address);
  if (url === null) throw new DestinationError(DELIVERY_CODES.noAddress, { isPermanent: true });
  if (secret !== '') {
    const timestamp = String(Date.now());
    url.searchParams.set('timestamp', timestamp);
    url.searchParams.set('sign', dingtalkSignature(secret, timestamp));
  }
  return url.href;
}
