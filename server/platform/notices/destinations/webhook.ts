// A signed web hook to the receiver's server (docs/guides/notifications.md): the receiver checks the signature over the time and
// the exact body, and recognises a repetition by the id.
import { createHmac } from 'node:crypto';
import { unixSeconds } from '#contract/time.ts';
import { isSuccess, refused, robotField, secretField, type Destination } from './destination.ts';

export const webhook: Destination = {
  kind: 'webhook',
  title: { zh: 'Webhook（签名）', en: 'Webhook (signed)' },
  fields: [
    robotField('https://example.com/hooks/tollgate'),
    secretField('secret', { zh: '签名密钥', en: 'Signing secret' }),
  ],
  longestBytes: 64_000,
  async send(config, message, post) {
    const { id, event, title, text, createdAt, values } = message;
    const body = JSON.stringify({ id, event, created_at: createdAt, title, text, values });
    const timestamp = String(unixSeconds());
    const reply = await post({
      url: config['address'] ?? '',
      headers: {
        'X-Tollgate-Delivery': id,
        'X-Tollgate-Timestamp': timestamp,
        'X-Tollgate-Signature': `sha256=${signatureOf(config['secret'] ?? '', timestamp, body)}`,
      },
      body,
    });
    // 410: the receiver wants no more of these.
    if (!isSuccess(reply)) throw refused(reply, undefined, reply.status === 410);
  },
};

export function signatureOf(secret: string, timestamp: string, body: string): string {
  return createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
}
