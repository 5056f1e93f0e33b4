// A robot of a Feishu (Lark) group. It answers refusals with status 200 and a code.
import { createHmac } from 'node:crypto';
import { unixSeconds } from '#contract/time.ts';
import { member, refused, robotField, signingSecret, titled, type Destination } from './destination.ts';

const TOO_MANY = [9499, 11_232];

export const feishu: Destination = {
  kind: 'feishu',
  title: { zh: '飞书机器人', en: 'Feishu (Lark) robot' },
  fields: [robotField('https://open.feishu.cn/open-apis/bot/v2/hook/…'), signingSecret],
  longestBytes: 15_000,
  async send(config, message, post) {
    // A text could hold a tag that mentions the whole group.
    const text = titled(message).replaceAll('<', '＜');
    const body = { ...signed(config['secret'] ?? ''), msg_type: 'text', content: { text } };
    const reply = await post({ url: config['address'] ?? '', body: JSON.stringify(body) });
    // The older form of the answer has `StatusCode`.
    const code = member(reply.json, 'code') ?? member(reply.json, 'StatusCode');
    if (code === 0) return;
    const isPermanent = typeof code === 'number' && !TOO_MANY.includes(code);
    throw refused(reply, member(reply.json, 'msg'), isPermanent);
  },
};

/** Feishu signs an empty text; time and secret together are the key. */
export function feishuSignature(secret: string, timestamp: string): string {
  return createHmac('sha256', `${timestamp}\n${secret}`).digest('base64');
}

function signed(secret: string): { timestamp?: string; sign?: string } {
  if (secret === '') return {};
  const timestamp = String(unixSeconds());
  return { timestamp, sign: feishuSignature(secret, timestamp) };
}
