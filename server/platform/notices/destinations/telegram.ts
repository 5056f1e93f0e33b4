// A message of a Telegram bot to one chat.
import {
  addressField,
  below,
  member,
  refused,
  secretField,
  titled,
  type Destination,
} from './destination.ts';

const PERMANENT = [400, 401, 403, 404];

export const telegram: Destination = {
  kind: 'telegram',
  title: { zh: 'Telegram 机器人', en: 'Telegram bot' },
  fields: [
    secretField('token', { zh: 'Bot Token', en: 'Bot token' }),
    {
      name: 'chat_id',
      kind: 'text',
      label: { zh: 'Chat ID', en: 'Chat id' },
      is_secret: false,
      is_required: true,
      example: '123456789',
    },
    addressField('https://api.telegram.org'),
  ],
  // 4096 characters, of which each has at most 4 bytes; a text without emoji fits in any case.
  longestBytes: 4000,
  async send(config, message, post) {
    // The token is part of the path; Telegram's own characters stay as they are.
    const token = (config['token'] ?? '').replaceAll(/[^\w:-]/g, encodeURIComponent);
    const url = below(config['address'] ?? '', `/bot${token}/sendMessage`);
    const body = {
      chat_id: config['chat_id'],
      text: titled(message),
      link_preview_options: { is_disabled: true },
    };
    const reply = await post({ url, body: JSON.stringify(body) });
    if (member(reply.json, 'ok') === true) return;
    const wait = member(member(reply.json, 'parameters'), 'retry_after');
    const retryAfterSeconds = typeof wait === 'number' ? wait : reply.retryAfterSeconds;
    const words = member(reply.json, 'description');
    throw refused({ ...reply, retryAfterSeconds }, words, PERMANENT.includes(reply.status));
  },
};
