// A robot of a WeCom group. It answers refusals with status 200 and `errcode`.
import { member, refused, robotField, titled, type Destination } from './destination.ts';

/** The robot's messages of this minute are used up, or the service is busy. */
const PASSING = [-1, 45_009, 45_033];

export const wecom: Destination = {
  kind: 'wecom',
  title: { zh: '企业微信机器人', en: 'WeCom robot' },
  fields: [robotField('https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=…')],
  longestBytes: 2000,
  async send(config, message, post) {
    const body = { msgtype: 'text', text: { content: titled(message) } };
    const reply = await post({ url: config['address'] ?? '', body: JSON.stringify(body) });
    const code = member(reply.json, 'errcode');
    if (code === 0) return;
    throw refused(reply, member(reply.json, 'errmsg'), typeof code === 'number' && !PASSING.includes(code));
  },
};
