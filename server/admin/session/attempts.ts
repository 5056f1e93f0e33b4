// Slows guessing of passwords and redemption codes down. Tries are counted in the database, for all nodes. Waits double with every failure and are
// bounded, so that no user is locked out for good; an address the owner has signed in from does not wait for the failures
// of other addresses.
import { sql } from 'kysely';
import type { Store } from '#server/platform/store/store.ts';

export interface Attempts {
  /** Counts a try. Seconds to wait; 0: go on. A try that must wait is not counted. */
  begin(account: string, address: string): Promise<number>;
  /** The password or code was right. */
  succeed(account: string, address: string): Promise<void>;
}

/** Per address and account; per account from all addresses; per address on all accounts. */
const RULES = {
  pair: { free: 5, longestSeconds: 900 },
  account: { free: 30, longestSeconds: 30 },
  address: { free: 50, longestSeconds: 900 },
} as const;
type Kind = keyof typeof RULES;
const KINDS = ['account', 'address', 'pair'] as const satisfies readonly Kind[];

const FORGET_MS = 3_600_000;
const REMEMBER_KNOWN_MS = 90 * 86_400_000;

class MustWait extends Error {}

export function createAttempts(
  { db, vault }: Pick<Store, 'db' | 'vault'>,
  now: () => number = Date.now,
  /** Different purposes count separately, also for the same account and address. */
  purpose: 'login_attempts' | 'redeem_attempts' = 'login_attempts',
): Attempts {
  const digestsOf = (account: string, address: string): Record<Kind, string> => {
    const name = account.toLowerCase();
    return {
      pair: vault.digest(purpose, `pair\n${address}\n${name}`),
      account: vault.digest(purpose, `account\n${name}`),
      address: vault.digest(purpose, `address\n${address}`),
    };
  };

  return {
    async begin(account, address) {
      const digests = digestsOf(account, address);
      // Read first: a blocked guesser causes no write.
      const { waitMs, isKnown } = await stateOf(db, digests, now());
      if (waitMs > 0) return Math.ceil(waitMs / 1000);
      try {
        await count(db, digests, now(), isKnown);
        return 0;
      } catch (error) {
        if (!(error instanceof MustWait)) throw error;
        return Math.max(1, Math.ceil((await stateOf(db, digests, now())).waitMs / 1000));
      }
    },
    async succeed(account, address) {
      const digests = digestsOf(account, address);
      const at = now();
      await db
        .insertInto('login_attempts')
        .values(
          KINDS.map((kind) => ({
            kind,
            digest: digests[kind],
            last_at_ms: at,
            known: kind === 'pair' ? (1 as const) : (0 as const),
          })),
        )
        .onConflict((conflict) =>
          conflict.columns(['kind', 'digest']).doUpdateSet({
            failures: sql<number>`case
              when login_attempts.kind = 'pair' or login_attempts.failures = 0 then 0
              else login_attempts.failures - 1 end`,
            blocked_until_ms: sql<number>`case
              when login_attempts.kind = 'pair' then 0 else login_attempts.blocked_until_ms end`,
            known: sql<0 | 1>`case when login_attempts.kind = 'pair' then 1 else 0 end`,
          }),
        )
        .execute();
    },
  };
}

/** Milliseconds until a try is allowed, and whether the owner has signed in from this address. */
async function stateOf(
  db: Store['db'],
  digests: Record<Kind, string>,
  at: number,
): Promise<{ waitMs: number; isKnown: boolean }> {
  const rows = await db
    .selectFrom('login_attempts')
    .select(['kind', 'blocked_until_ms', 'known'])
    .where((where) =>
      where.or(
        KINDS.map((kind) => where.and([where('kind', '=', kind), where('digest', '=', digests[kind])])),
      ),
    )
    .execute();
  const isKnown = rows.some(({ kind, known }) => kind === 'pair' && known === 1);
  const counted = rows.filter(({ kind }) => kind !== 'account' || !isKnown);
  const waits = counted.map(({ blocked_until_ms }) => blocked_until_ms - at);
  return { waitMs: Math.max(0, ...waits), isKnown };
}

/** Raises all three counts or none, in one statement: parallel guesses must not see the same count. */
async function count(
  db: Store['db'],
  digests: Record<Kind, string>,
  at: number,
  isKnown: boolean,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const counted = await transaction
      .insertInto('login_attempts')
      // Always in this order, so that two transactions cannot deadlock.
      .values(KINDS.map((kind) => ({ kind, digest: digests[kind], failures: 1, last_at_ms: at })))
      .onConflict((conflict) =>
        conflict
          .columns(['kind', 'digest'])
          .doUpdateSet({
            failures: failuresAt(at),
            // 0 without a wait, not the current time: the clock of another node may be behind.
            blocked_until_ms: sql<number>`case when (${waitSecondsAt(at)}) = 0 then 0
              else ${sql.lit(at)} + 1000 * (${waitSecondsAt(at)}) end`,
            last_at_ms: at,
          })
          .where((where) =>
            where.or([
              where('login_attempts.blocked_until_ms', '<=', at),
              ...(isKnown ? [where('login_attempts.kind', '=', 'account')] : []),
            ]),
          ),
      )
      .returning('kind')
      .execute();
    if (counted.length < KINDS.length) throw new MustWait();
  });
}

export async function removeOldAttempts({ db }: Pick<Store, 'db'>, now = Date.now()): Promise<void> {
  await db
    .deleteFrom('login_attempts')
    .where('last_at_ms', '<', now - FORGET_MS)
    .where((where) => where.or([where('known', '=', 0), where('last_at_ms', '<', now - REMEMBER_KNOWN_MS)]))
    .execute();
}

/** The count with the try of this moment; an hour of quiet forgets. */
const failuresAt = (at: number) => sql<number>`case
  when login_attempts.last_at_ms < ${sql.lit(at - FORGET_MS)} then 1 else login_attempts.failures + 1 end`;

/** A shift doubles the wait: the two databases have no common power function. */
function waitSecondsAt(at: number) {
  const failures = failuresAt(at);
  const byKind = KINDS.map((kind) => {
    const { free, longestSeconds } = RULES[kind];
    const doublings = Math.ceil(Math.log2(longestSeconds));
    return sql`when login_attempts.kind = ${sql.lit(kind)} then case
      when (${failures}) < ${sql.lit(free)} then 0
      when (${failures}) >= ${sql.lit(free + doublings)} then ${sql.lit(longestSeconds)}
      else 1 << cast((${failures}) - ${sql.lit(free)} as integer) end`;
  });
  return sql<number>`case ${sql.join(byKind, sql` `)} else 0 end`;
}
