// Bark: push messages to iPhones, by the public server or by one that the receiver runs.
import { addressField, below, member, refused, secretField, type Destination } from './destination.ts';

export const bark: Destination = {
  kind: 'bark',
  title: { zh: 'Bark', en: 'Bark' },
  fields: [
    addressField('https://api.day.app'),
    secretField('device_key', { zh: '设备 Key', en: 'Device key' }),
  ],
  // Apple takes 4 KB with everything around the text.
  longestBytes: 2000,
  async send(config, { id, title, text }, post) {
    const body = { device_key: config['device_key'], title, body: text, group: 'Tollgate', id };
    const url = below(config['address'] ?? '', '/push');
    const reply = await post({ url, body: JSON.stringify(body) });
    if (reply.status === 200 && member(reply.json, 'code') === 200) return;
    // 400: the server does not know the device.
    throw refused(reply, member(reply.json, 'message'), reply.status === 400);
  },
};
