// Ends the streams of people and keys that may no longer call: a ban, a deletion or a disabled key is announced, and what
// runs for them stops with what was delivered so far.
import type { Log } from '#contract/context.ts';
import { TOKEN_STATUS } from '#contract/admin/tokens.ts';
import type { Store } from '#server/platform/store/store.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { suspendedMidway } from '#server/relay/errors/suspended-midway.ts';
import type { LiveStream, LiveStreams } from './live-streams.ts';

const ACTIVE_USER = 1;
/** Announcements come in bursts; one look at the tables serves them all. */
const GATHER_MILLISECONDS = 200;

/** Answers how to stop. */
export function endRevoked(store: Store, streams: LiveStreams, log: Log): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = (): void => {
    timer = undefined;
    revoke(store, streams.all()).catch((error: unknown) =>
      log.error('streams of revoked callers could not be found', { error }),
    );
  };
  const scheduleLook = (): void => {
    if (streams.size > 0) timer ??= setTimeout(look, GATHER_MILLISECONDS);
  };
  const stops = [
    store.changes.subscribe('users', scheduleLook),
    store.changes.subscribe('tokens', scheduleLook),
    () => clearTimeout(timer),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

async function revoke(store: Store, live: readonly LiveStream[]): Promise<void> {
  // The member of an organization's key, too: their account is another one than the payer's.
  const accounts = await activeUsers(
    store,
    live.flatMap(({ caller }) => [caller.userId, caller.organization?.memberId ?? 0]),
  );
  const tokens = await goodTokens(
    store,
    live.map(({ caller }) => caller.tokenId),
  );
  for (const stream of live) {
    const refusal = refusalOf(stream.caller, accounts, tokens);
    if (refusal !== undefined) stream.revoke(refusal);
  }
}

interface Accounts {
  active: ReadonlySet<number>;
  /** Why the others that still exist are suspended; may be blank. */
  suspended: ReadonlyMap<number, string>;
}

function refusalOf(
  { userId, tokenId, organization }: LiveStream['caller'],
  { active, suspended }: Accounts,
  tokens: ReadonlySet<number>,
): RelayError | undefined {
  if (!active.has(userId)) {
    const reason = organization === undefined ? undefined : suspended.get(userId);
    return reason === undefined ? new RelayError('user_disabled') : suspendedMidway(reason);
  }
  const memberId = organization?.memberId ?? 0;
  if (memberId !== 0 && !active.has(memberId)) return new RelayError('user_disabled');
  return tokenId !== 0 && !tokens.has(tokenId) ? new RelayError('token_disabled') : undefined;
}

/** Databases bound the number of values in one question. */
const MOST_IDS = 500;

function* slices(ids: readonly number[]): Generator<number[]> {
  const distinct = [...new Set(ids)];
  for (let at = 0; at < distinct.length; at += MOST_IDS) yield distinct.slice(at, at + MOST_IDS);
}

async function activeUsers(store: Store, ids: readonly number[]): Promise<Accounts> {
  const active = new Set<number>();
  const suspended = new Map<number, string>();
  for (const slice of slices(ids)) {
    const rows = await store.db
      .selectFrom('users')
      .select(['id', 'status', 'suspended_reason'])
      .where('id', 'in', slice)
      .where('deleted_at', 'is', null)
      .execute();
    for (const { id, status, suspended_reason } of rows) {
      if (status === ACTIVE_USER) active.add(id);
      else suspended.set(id, suspended_reason);
    }
  }
  return { active, suspended };
}

/** A key whose quota or time has run out ends no call that was admitted before. */
async function goodTokens(store: Store, ids: readonly number[]): Promise<Set<number>> {
  const found = new Set<number>();
  for (const slice of slices(ids)) {
    const rows = await store.db
      .selectFrom('tokens')
      .select('id')
      .where('id', 'in', slice)
      .where('status', '<>', TOKEN_STATUS.disabled)
      .where('deleted_at', 'is', null)
      .execute();
    for (const { id } of rows) found.add(id);
  }
  return found;
}
