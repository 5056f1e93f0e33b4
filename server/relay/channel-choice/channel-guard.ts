// Recognises faults of the operator's account in an upstream's answer, and disables the channel. A keyword in the caller's
// own request never decides: a caller could make the upstream repeat it.
import type { Log } from '#contract/context.ts';
import type { Settings } from '#contract/settings.ts';
import { unixSeconds } from '#contract/time.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { Channel } from './catalog.ts';
import type { UpstreamFailure } from '#server/relay/errors/upstream-failure.ts';
import { disableChannel } from './write.ts';
import { createWordFilter, type WordFilter } from '#server/relay/request/word-filter.ts';

export interface ChannelGuard {
  /** `reason` as `accountFault` returns it; `words`: the upstream's, for operators. */
  failed(channel: Channel, reason: string, words: string): void;
}

const CODES = new Set(['invalid_api_key', 'account_deactivated', 'billing_not_active']);
const TYPES = new Set([
  'insufficient_quota',
  'insufficient_user_quota',
  'authentication_error',
  'permission_error',
  'forbidden',
]);

export function createChannelGuard(store: Store, settings: () => Settings, log: Log): ChannelGuard {
  const running = new Set<number>();
  return {
    failed(channel, reason, words) {
      const { AutomaticDisableChannelEnabled } = settings();
      if (!AutomaticDisableChannelEnabled || !channel.autoBan || running.has(channel.id)) return;
      running.add(channel.id);
      disableChannel(store, channel.id, { reason, words, at: unixSeconds() })
        .catch((error: unknown) =>
          log.error('a channel could not be disabled', { channel_id: channel.id, error }),
        )
        .finally(() => running.delete(channel.id));
    },
  };
}

/** Why the failure is a fault of the operator's key or account; undefined when it is not. `requestText`: the caller's request. */
export function accountFault(
  failure: UpstreamFailure,
  settings: Pick<Settings, 'AutomaticDisableKeywords'>,
  requestText: () => string,
): string | undefined {
  if (failure.kind !== 'http') return undefined;
  if (failure.rawStatus === 401) return 'status 401';
  if (failure.isAccountFault === true) return 'account refused';
  const { code, type, message } = failure.error;
  if (typeof code === 'string' && CODES.has(code)) return `code ${code}`;
  if (typeof type === 'string' && TYPES.has(type)) return `type ${type}`;
  // A 429 with a time to wait is a rate limit, not an empty account; Gemini's message for it says "exceeded your quota".
  if (failure.rawStatus === 429 && failure.retryAfterSeconds > 0) return undefined;
  if (typeof message !== 'string') return undefined;
  const filter = keywordFilter(settings.AutomaticDisableKeywords);
  const found = filter?.find(message, 10) ?? [];
  if (found.length === 0) return undefined;
  const sent = new Set(filter?.find(requestText(), 1000) ?? []);
  const word = found.find((each) => !sent.has(each));
  return word === undefined ? undefined : `keyword ${word}`;
}

let compiled: { words: Settings['AutomaticDisableKeywords']; filter: WordFilter | undefined } | undefined;

/** Compiled once for each setting: failures can come by the thousand. */
function keywordFilter(words: Settings['AutomaticDisableKeywords']): WordFilter | undefined {
  if (compiled?.words !== words) compiled = { words, filter: createWordFilter(words) };
  return compiled.filter;
}
