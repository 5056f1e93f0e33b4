// Which channel answered a conversation last: its upstream has most of the next prompt in its cache. On this node, in memory, bounded.
// Only a call that carries an earlier answer asks for it, so that new conversations are shared by weight.
import type { Fields } from '#server/relay/request/endpoints.ts';
import { carriesAnswer, conversationKey } from '#server/relay/request/traits.ts';
import type { Tiers } from './catalog.ts';

export interface WarmChannels {
  /** False where there is nothing to look up: the setting is off, or no model had several channels yet. */
  isUsed(tiers: Tiers): boolean;
  /** The conversation of a call. */
  name(userId: number, model: string, headers: Pick<Headers, 'get'>, fields: Fields): string;
  /** Undefined: no channel is known, or the call begins a conversation. */
  find(name: string, fields: Fields): number | undefined;
  /** The channel answered a call of the conversation. */
  note(name: string, channelId: number): void;
}

/** The longest that vendors keep prompts in their caches without being asked to. */
const KEPT_MILLISECONDS = 60 * 60 * 1000;
const MOST_CONVERSATIONS = 20_000;

export function createWarmChannels(isOn: () => boolean, now: () => number = Date.now): WarmChannels {
  /** In the order of their last use. */
  const known = new Map<string, { channelId: number; until: number }>();
  return {
    isUsed: (tiers) => isOn() && (known.size > 0 || tiers.some(({ length }) => length > 1)),
    name(userId, model, headers, fields) {
      return `${userId}:${Bun.hash(`${model}\n${conversationKey(headers, fields)}`).toString(36)}`;
    },
    find(name, fields) {
      const found = known.get(name);
      if (found === undefined || found.until <= now() || !carriesAnswer(fields)) return undefined;
      return found.channelId;
    },
    note(name, channelId) {
      known.delete(name);
      known.set(name, { channelId, until: now() + KEPT_MILLISECONDS });
      if (known.size <= MOST_CONVERSATIONS) return;
      const [oldest] = known.keys();
      if (oldest !== undefined) known.delete(oldest);
    },
  };
}
