// Gotify: a push server that the receiver runs.
import { below, isSuccess, member, refused, secretField, type Destination } from './destination.ts';

const REFUSED_TOKEN = [401, 403];

export const gotify: Destination = {
  kind: 'gotify',
  title: { zh: 'Gotify', en: 'Gotify' },
  fields: [
    {
      name: 'address',
      kind: 'address',
      label: { zh: '服务器地址', en: 'Server address' },
      is_secret: false,
      is_required: true,
      example: 'https://gotify.example.com',
    },
    secretField('token', { zh: '应用 Token', en: 'Application token' }),
  ],
  longestBytes: 16_000,
  async send(config, { title, text }, post) {
    const reply = await post({
      url: below(config['address'] ?? '', '/message'),
      headers: { 'X-Gotify-Key': config['token'] ?? '' },
      body: JSON.stringify({ title, message: text, priority: 5 }),
    });
    // Any web page answers 200; only Gotify answers with the id of the message.
    if (isSuccess(reply) && typeof member(reply.json, 'id') === 'number') return;
    throw refused(reply, member(reply.json, 'errorDescription'), REFUSED_TOKEN.includes(reply.status));
  },
};
