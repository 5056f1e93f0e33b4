// Sessions are rows under the digest of an opaque id; the browser holds the id. A session is valid while the user's
// auth_version equals its own, so a ban or a change of role or password ends all of them at once.
import { createHash, randomBytes } from 'node:crypto';
import { ROLE, isAdmin } from '#contract/access.ts';
import { USER_STATUS } from '#contract/admin/users.ts';
import type { Transaction } from 'kysely';
import { unixSeconds } from '#contract/time.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { Caller, Log } from './context.ts';
import { isProtected } from './protection.ts';

export const SESSION_SECONDS = {
  absolute: 30 * 86_400,
  idle: 7 * 86_400,
  adminIdle: 12 * 3600,
  /** `seen_at` is written again when it is older than this. */
  touch: 60,
  /** A visitor's session during a sign-in of several steps. */
  visitor: 3600,
} as const;
/** A change on another node counts here after this time even if its announcement was lost. */
const CACHE_SECONDS = 3;
const CACHE_ENTRIES = 10_000;

export interface Session {
  readonly digest: string;
  readonly user: Caller;
  /** When its user last authenticated, in unix seconds. */
  readonly verifiedAt: number;
  /** Its user has two-factor or a passkey. */
  readonly isProtected: boolean;
  /** Its user's password is still the one generated at the first start. */
  readonly passwordIsInitial: boolean;
}

export interface Origin {
  address: string;
  userAgent: string;
}

export interface Sessions {
  /** The live session behind an id, or null. */
  find(id: string): Promise<Session | null>;
  /** Makes a session for the user; its id. `organizationId`: the one whose provider signed in. */
  start(
    transaction: Transaction<Schema>,
    userId: number,
    from: Origin,
    organizationId?: number,
  ): Promise<string>;
  /** A session without a user, for the steps of a flow. */
  startVisitor(from: Origin): Promise<string>;
  /** Its user has authenticated again. Announce the digest under `sessions` after the commit. */
  confirm(transaction: Transaction<Schema>, digest: string): Promise<void>;
  /** Announce its digest under `sessions` after the commit. */
  end(transaction: Transaction<Schema>, id: string): Promise<void>;
  close(): void;
}

interface Entry {
  session: Session;
  userId: number;
  seenAt: number;
  checkedAt: number;
}

export const digestOf = (id: string) => createHash('sha256').update(id).digest('hex');

export function openSessions(store: Store, log: Log, now: () => number = unixSeconds): Sessions {
  const { db, changes } = store;
  const cache = new Map<string, Entry>();
  // Rises with every change: a lookup that began before a change must not put its row into the cache.
  let generation = 0;

  const unsubscribe = [
    changes.subscribe('sessions', (digest) => {
      generation += 1;
      if (digest === undefined) cache.clear();
      else cache.delete(digest);
    }),
    changes.subscribe('users', (userId) => {
      generation += 1;
      for (const [digest, entry] of cache)
        if (userId === undefined || String(entry.userId) === userId) cache.delete(digest);
    }),
  ];

  return {
    async find(id) {
      const digest = digestOf(id);
      const time = now();
      let entry: Entry | null | undefined = cache.get(digest);
      if (!entry || time - entry.checkedAt >= CACHE_SECONDS) {
        const startedIn = generation;
        entry = await load(db, digest, time);
        cache.delete(digest);
        if (entry && generation === startedIn) remember(cache, digest, entry);
      }
      if (!entry || isIdle(entry, time)) return null;
      touch({ db, log }, entry, time);
      return entry.session;
    },
    async start(transaction, userId, from, organizationId = 0) {
      const id = newId();
      const time = now();
      await transaction
        .insertInto('sessions')
        .values((build) => ({
          id_digest: digestOf(id),
          user_id: userId,
          auth_version: build
            .selectFrom('users')
            .select('auth_version')
            .where('id', '=', userId)
            .$asScalar()
            .$notNull(),
          verified_at: time,
          organization_id: organizationId,
          ...originColumns(from, time, SESSION_SECONDS.absolute),
        }))
        .execute();
      return id;
    },
    async startVisitor(from) {
      const id = newId();
      const time = now();
      await db
        .insertInto('sessions')
        .values({ id_digest: digestOf(id), ...originColumns(from, time, SESSION_SECONDS.visitor) })
        .execute();
      return id;
    },
    async confirm(transaction, digest) {
      await transaction
        .updateTable('sessions')
        .set({ verified_at: now() })
        .where('id_digest', '=', digest)
        .execute();
    },
    async end(transaction, id) {
      await transaction.deleteFrom('sessions').where('id_digest', '=', digestOf(id)).execute();
    },
    close: () => unsubscribe.forEach((end) => end()),
  };
}

async function load(db: Store['db'], digest: string, time: number): Promise<Entry | null> {
  const row = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['users.id', 'users.username', 'users.role', 'users.group', 'users.password_is_initial'])
    .select(['sessions.seen_at', 'sessions.verified_at', isProtected()])
    .where('sessions.id_digest', '=', digest)
    .whereRef('sessions.auth_version', '=', 'users.auth_version')
    .where('sessions.expires_at', '>', time)
    .where('users.kind', '=', 'person')
    .where('users.status', '=', USER_STATUS.activated)
    .where('users.deleted_at', 'is', null)
    .executeTakeFirst();
  if (!row || row.role < ROLE.user) return null;
  const user = Object.freeze({ id: row.id, username: row.username, role: row.role, group: row.group });
  const session = {
    digest,
    user,
    verifiedAt: row.verified_at,
    isProtected: row.is_protected === 1,
    passwordIsInitial: row.password_is_initial === 1,
  };
  return { session, userId: row.id, seenAt: row.seen_at, checkedAt: time };
}

function isIdle(entry: Entry, time: number): boolean {
  const idle = isAdmin(entry.session.user.role) ? SESSION_SECONDS.adminIdle : SESSION_SECONDS.idle;
  return time - entry.seenAt > idle;
}

function touch({ db, log }: { db: Store['db']; log: Log }, entry: Entry, time: number): void {
  if (time - entry.seenAt < SESSION_SECONDS.touch) return;
  entry.seenAt = time;
  db.updateTable('sessions')
    .set({ seen_at: time })
    .where('id_digest', '=', entry.session.digest)
    .execute()
    .catch((error: unknown) => log.warn('session could not be touched', { error }));
}

/** Ends the user's sessions, or these of them; the digests of those that had not ended. Announce them after the commit. */
export async function endSessions(
  transaction: Transaction<Schema>,
  userId: number,
  digests?: readonly string[],
): Promise<string[]> {
  if (digests?.length === 0) return [];
  const ended = await transaction
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .$if(digests !== undefined, (query) => query.where('id_digest', 'in', digests ?? []))
    .returning('id_digest')
    .execute();
  return ended.map(({ id_digest }) => id_digest);
}

/** Those of the user that came through this organization; how many. Announce the id under `users` after the commit. */
export async function endSessionsThrough(
  transaction: Transaction<Schema>,
  organizationId: number,
  userId: number,
): Promise<number> {
  const { numDeletedRows } = await transaction
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

const USERS_AT_ONCE = 500;

/** Those of the users that came in another way. Announce the ids under `users` after the commit. */
export async function endOtherSessions(
  transaction: Transaction<Schema>,
  organizationId: number,
  userIds: readonly number[],
): Promise<void> {
  for (let start = 0; start < userIds.length; start += USERS_AT_ONCE)
    await transaction
      .deleteFrom('sessions')
      .where('user_id', 'in', userIds.slice(start, start + USERS_AT_ONCE))
      .where('organization_id', '<>', organizationId)
      .execute();
}

/** Ended sessions are refused before they are removed. */
export async function removeEndedSessions({ db }: Store): Promise<void> {
  const time = unixSeconds();
  await db
    .deleteFrom('sessions')
    .where((where) =>
      where.or([where('expires_at', '<=', time), where('seen_at', '<', time - SESSION_SECONDS.idle)]),
    )
    .execute();
}

const newId = () => randomBytes(32).toString('base64url');

function originColumns({ address, userAgent }: Origin, time: number, seconds: number) {
  return {
    created_at: time,
    seen_at: time,
    expires_at: time + seconds,
    ip: address,
    user_agent: userAgent.slice(0, 300),
  };
}

function remember(cache: Map<string, Entry>, digest: string, entry: Entry): void {
  cache.set(digest, entry);
  if (cache.size <= CACHE_ENTRIES) return;
  const oldest = cache.keys().next();
  if (!oldest.done) cache.delete(oldest.value);
}
