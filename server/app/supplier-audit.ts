// Joins the checks of suppliers with the relay's channels.
import { createHonesty, type Honesty, type HonestyParts } from '#server/suppliers/index.ts';
import type { Channel } from '#server/relay/channels/catalog.ts';

interface Parts extends Omit<HonestyParts, 'addsToPrompt'> {
  channel: (id: number) => Pick<Channel, 'setting' | 'paramOverride'> | undefined;
}

export function joinHonesty({ channel, ...parts }: Parts): Promise<Honesty> {
  return createHonesty({
    ...parts,
    addsToPrompt(channelId) {
      const found = channel(channelId);
      return found === undefined || found.setting.systemPrompt !== '' || found.paramOverride !== undefined;
    },
  });
}
