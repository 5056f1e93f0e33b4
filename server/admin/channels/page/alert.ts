// What of a channel needs a person: it switched itself off, or it cannot be used at all.
import type { ChannelPage } from '#contract/admin/channel-page.ts';
import { CHANNEL_STATUS, channelOtherInfo, type ChannelView } from '#contract/relay/channel-fields.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import { readRefusals, type RefusedCalls } from '#server/admin/refused-because.ts';
import type { ChannelPageDependencies } from './dependencies.ts';
import type { Neighbours } from './neighbours.ts';

type Alert = NonNullable<ChannelPage['alert']>;

/** A new key or account cures it. */
const KEY_FAULT = /^(?:status (?:401|402|403|407)\b|account\b|type authentication|code invalid_api_key)/;

/** Calls that were refused because no channel was left, since this one went off. */
export async function readRefusedSinceOff(
  dependencies: ChannelPageDependencies,
  { status, other_info }: Pick<ChannelView, 'status' | 'other_info'>,
  { only }: Neighbours,
): Promise<(models: readonly string[]) => RefusedCalls> {
  if (status !== CHANNEL_STATUS.autoDisabled) return () => ({ calls: 0, users: 0 });
  const since = channelOtherInfo(other_info).status_time ?? 0;
  return await readRefusals(
    dependencies.store,
    'no_channel',
    new Map(only.map((model) => [model, since])),
    nowSeconds(dependencies),
  );
}

export function alertOf(
  channel: ChannelView,
  { only, all }: Neighbours,
  refused: (models: readonly string[]) => RefusedCalls,
): Alert | null {
  const movedTo = all.map(({ id, name }) => ({ id, name }));
  if (channel.status === CHANNEL_STATUS.autoDisabled) {
    const { status_reason = '', status_words = '', status_time = 0 } = channelOtherInfo(channel.other_info);
    const { calls, users } = refused(only);
    return {
      kind: 'off',
      since: status_time,
      reason: status_reason,
      words: status_words,
      only_models: [...only],
      refused: calls,
      users,
      is_key_fault: KEY_FAULT.test(status_reason),
      moved_to: movedTo,
    };
  }
  if (channel.status !== CHANNEL_STATUS.enabled || channel.problem === '') return null;
  return {
    kind: 'unusable',
    since: 0,
    reason: channel.problem,
    words: '',
    only_models: [...only],
    refused: 0,
    users: 0,
    is_key_fault: false,
    moved_to: movedTo,
  };
}
