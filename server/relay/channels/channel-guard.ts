// Disables a channel when its upstream reports a fault of the operator's account, and enables it again when it works.
// Keywords alone never decide: a caller could make the upstream repeat them.
import type { Log } from '#contract/context.ts';
import type { Settings } from '#contract/settings.ts';
import { raiseNotice } from '#server/notices/raise.ts';
import type { Store } from '#server/store/store.ts';
import type { Channel } from './catalog.ts';
import type { UpstreamFailure } from '#server/relay/errors/upstream-failure.ts';
import { createWordFilter } from '#server/relay/request/word-filter.ts';

export interface ChannelGuard {
  /** `requestText`: the caller's request; keywords that occur in it are ignored. */
  failed(channel: Channel, failure: UpstreamFailure, requestText: () => string): void;
}

const codes = new Set(['invalid_api_key', 'account_deactivated', 'billing_not_active']);
const types = new Set([
  'insufficient_quota',
  'insufficient_user_quota',
  'authentication_error',
  'permission_error',
  'forbidden',
]);
const status = { enabled: 1, autoDisabled: 3 } as const;

export function createChannelGuard(store: Store, settings: () => Settings, log: Log): ChannelGuard {
  const running = new Set<number>();
  return {
    failed(channel, failure, requestText) {
      const current = settings();
      if (!current.AutomaticDisableChannelEnabled || !channel.autoBan || running.has(channel.id)) return;
      const reason = reasonToDisable(failure, current, requestText);
      if (reason === undefined) return;
      running.add(channel.id);
      disable(store, channel, reason)
        .catch((error: unknown) =>
          log.error('a channel could not be disabled', { channel_id: channel.id, error }),
        )
        .finally(() => running.delete(channel.id));
    },
  };
}

export function reasonToDisable(
  failure: UpstreamFailure,
  settings: Pick<Settings, 'AutomaticDisableKeywords'>,
  requestText: () => string,
): string | undefined {
  if (failure.kind !== 'http') return undefined;
  if (failure.rawStatus === 401) return 'status 401';
  if (failure.isAccountFault === true) return 'the supplier refused the account';
  const { code, type, message } = failure.error;
  if (typeof code === 'string' && codes.has(code)) return `code ${code}`;
  if (typeof type === 'string' && types.has(type)) return `type ${type}`;
  // A keyword counts only in a refusal, and only if the caller's request does not contain it.
  if (typeof message !== 'string' || failure.rawStatus === 400 || failure.rawStatus === 200) return undefined;
  const filter = createWordFilter(settings.AutomaticDisableKeywords);
  const found = filter?.find(message, 10) ?? [];
  if (found.length === 0) return undefined;
  const sent = new Set(filter?.find(requestText(), 1000) ?? []);
  const word = found.find((each) => !sent.has(each));
  return word === undefined ? undefined : `keyword ${word}`;
}

/** Updates only an enabled channel, so that it does not overwrite an administrator's change. */
async function disable(store: Store, channel: Channel, reason: string): Promise<void> {
  const info = JSON.stringify({ status_reason: reason, status_time: Math.floor(Date.now() / 1000) });
  const changed = await store.db.transaction().execute(async (transaction) => {
    const result = await transaction
      .updateTable('channels')
      .set({ status: status.autoDisabled, other_info: info })
      .where('id', '=', channel.id)
      .where('status', '=', status.enabled)
      .executeTakeFirst();
    if (result.numUpdatedRows === 0n) return false;
    await transaction
      .updateTable('abilities')
      .set({ enabled: 0 })
      .where('channel_id', '=', channel.id)
      .execute();
    await raiseNotice(transaction, {
      event: 'channel_disabled',
      values: { channel_id: channel.id, channel_name: channel.name, reason },
    });
    return true;
  });
  if (changed) await store.changes.announce('channels', String(channel.id));
}
