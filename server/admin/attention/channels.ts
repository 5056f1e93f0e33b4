// Channels that switched themselves off. One that an operator disabled is that operator's decision.
import type { Language } from '#contract/language.ts';
import { channelReason } from '#contract/relay/channel-reasons.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { offChannels, type OffChannel } from '#server/admin/off-channels.ts';
import type { AttentionDependencies } from './dependencies.ts';
import { found, type Found } from './found.ts';
import { readRefusals, type RefusedCalls } from '#server/admin/refused-because.ts';

export async function checkChannels(dependencies: AttentionDependencies): Promise<Found[]> {
  const { store } = dependencies;
  const { channels } = await offChannels(store);
  if (channels.length === 0) return [];
  // A model of several channels is gone since the first of them went off.
  const since = new Map<string, number>();
  for (const { lost, info } of channels)
    for (const model of lost) since.set(model, Math.min(since.get(model) ?? Infinity, info.status_time ?? 0));
  const refused = await readRefusals(store, 'no_channel', since, nowSeconds(dependencies));
  return channels.map((channel) => itemOf(channel, refused(channel.lost)));
}

/** What the upstream said may be long; the page of the channel has all of it. */
const MOST_CHARACTERS = 80;

function reasonIn(language: Language, stored: string): string {
  const text = stored === '' ? '' : channelReason(language, stored);
  if (text.length <= MOST_CHARACTERS) return text;
  // Not within a word.
  return `${text.slice(0, MOST_CHARACTERS - 1).replace(/(?<=.{40})\s+\S*$/, '')}…`;
}

function itemOf({ id, name, info, lost }: OffChannel, { users, calls }: RefusedCalls): Found {
  const { status_reason = '', status_words = '', status_time = 0 } = info;
  return found(lost.length > 0 ? 'channel_only' : 'channel_off', {
    of: id,
    mark: String(status_time),
    since: status_time,
    subjects: [
      { kind: 'channel', id: String(id), name },
      ...lost.map((model) => ({ kind: 'model' as const, id: model, name: model })),
    ],
    count: 1,
    users,
    calls,
    values: {
      reason: status_reason,
      reason_zh: reasonIn('zh', status_reason),
      reason_en: reasonIn('en', status_reason),
      words: status_words,
      model: lost[0] ?? '',
      models: lost.length > 1 ? lost.length : 0,
      other_models: Math.max(0, lost.length - 1),
    },
    address: `/channel/${id}`,
  });
}
