// The machinery of every outbox (mails, deliveries of notices): a row waits in the database until a receiver has accepted it.
// A row is claimed by moving its next try into the future, so that one node sends it, and the claim of a killed process runs
// out. What is sent can arrive twice (when a process dies after the receiver accepted it and before its row says so); it is
// never lost.
import type { Kysely } from 'kysely';
import { wordsIn } from '#contract/facts.ts';
import type { Log } from '#contract/context.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';

/** The tables that have the columns of an outbox. */
type OutboxTable = 'mails' | 'notice_deliveries';

interface OutboxColumns {
  id: number;
  status: string;
  tries: number;
  next_try_at: number;
  error: string;
  sent_at: number;
}

export interface OutboxOptions<Table extends OutboxTable> {
  store: Store;
  table: Table;
  /** The words of the log: `a mail`. */
  what: string;
  log: Log;
  now: () => number;
  /** Longer than one try can take. */
  claimSeconds: number;
  /** Tries that run at the same time. */
  atOnce: number;
  /** False: nothing is tried. */
  isReady?: () => boolean;
  /**
   * Tries to send one row; `cut` is aborted when the node stops. Returns the columns that the row gets, or undefined when
   * the row was deleted. Throws when the receiver did not accept it.
   */
  send: (row: Row<Table>, cut: AbortSignal) => Promise<Partial<Row<Table>> | undefined>;
  /** The level of the log line when a row is given up. Default `error`: the operator's own service failed. */
  givenUpLevel?: 'error' | 'warn';
  /** How the row goes on after an error. Default: it is tried again. */
  verdictOf?: (error: unknown) => Verdict;
}

export interface Verdict {
  isPermanent?: boolean;
  retryAfterSeconds?: number | undefined;
}

export interface Outbox {
  /** Sends what is due until the signal is aborted; how many were sent. A job runs it. */
  deliverDue(signal?: AbortSignal): Promise<number>;
}

/** Waits after the first try, the second, …; after the last the row is dead. */
export const RETRY_SECONDS = [30, 120, 600, 1800, 3600, 3 * 3600, 6 * 3600] as const;
/** What is being sent when the node stops may take so long. */
const STOP_PATIENCE_MS = 3000;
const PER_PASS = 50;
const LONGEST_ERROR = 500;

export function openOutbox<Table extends OutboxTable>(options: OutboxOptions<Table>): Outbox {
  const { store, what, log, now, claimSeconds, atOnce } = options;
  const { isReady = () => true, givenUpLevel = 'error', send, verdictOf = (): Verdict => ({}) } = options;
  const { claim, note, dueIds, releaseClaims } = outboxRows(store, options.table, now, claimSeconds);
  // At once: later a claim can belong to this process.
  let released = releaseClaims();
  released.catch(() => {});

  async function attempt(row: OutboxColumns, cut: AbortSignal): Promise<boolean> {
    let change: Partial<OutboxColumns> | undefined;
    try {
      change = await send(row as unknown as Row<Table>, cut);
    } catch (error) {
      await fail(row, error);
      return false;
    }
    if (change !== undefined) await note(row, change);
    return change?.status === 'sent';
  }

  async function fail(row: OutboxColumns, error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    const { isPermanent = false, retryAfterSeconds = 0 } = verdictOf(error);
    const wait = RETRY_SECONDS[row.tries - 1];
    const isOver = wait === undefined || isPermanent;
    await note(row, {
      status: isOver ? 'dead' : 'pending',
      next_try_at: now() + Math.max(wait ?? 0, retryAfterSeconds),
      error: message.slice(0, LONGEST_ERROR),
    });
    const fields = { table: options.table, id: row.id, tries: row.tries, reason: wordsIn('en', message) };
    if (isOver) log[givenUpLevel](`${what} was given up`, fields);
    else log.warn(`${what} could not be sent, it will be tried again`, fields);
  }

  async function sendPage(signal: AbortSignal, cut: AbortSignal): Promise<{ sent: number; isLast: boolean }> {
    const waiting = await dueIds();
    const isLast = waiting.length < PER_PASS;
    let sent = 0;
    const worker = async () => {
      for (let id = waiting.shift(); id !== undefined && !signal.aborted; id = waiting.shift()) {
        const row = await claim(id);
        if (row && (await attempt(row, cut))) sent += 1;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    return { sent, isLast };
  }

  return {
    async deliverDue(signal = new AbortController().signal) {
      await released.catch(() => (released = releaseClaims()));
      if (!isReady()) return 0;
      const cut = new AbortController();
      let late: Timer | undefined;
      const cutLater = () => {
        late = setTimeout(() => cut.abort(), STOP_PATIENCE_MS);
      };
      signal.addEventListener('abort', cutLater, { once: true });
      let total = 0;
      try {
        while (!signal.aborted) {
          const { sent, isLast } = await sendPage(signal, cut.signal);
          total += sent;
          if (isLast) break;
        }
      } finally {
        signal.removeEventListener('abort', cutLater);
        clearTimeout(late);
      }
      return total;
    },
  };
}

/** Nodes agree by conditional updates: a row belongs to the node that claimed it, until `claimSeconds` are over. */
function outboxRows(store: Store, name: OutboxTable, now: () => number, claimSeconds: number) {
  // The tables differ in other columns only.
  const db = store.db as unknown as Kysely<{ outbox: OutboxColumns }>;
  const table = name as unknown as 'outbox';

  async function claim(id: number): Promise<OutboxColumns | undefined> {
    return await db
      .updateTable(table)
      .set((column) => ({
        status: 'sending',
        tries: column('tries', '+', 1),
        next_try_at: now() + claimSeconds,
      }))
      .where('id', '=', id)
      .where('status', 'in', ['pending', 'sending'])
      .where('next_try_at', '<=', now())
      .returningAll()
      .executeTakeFirst();
  }

  /** Changes nothing when another node has claimed the row since. */
  async function note(row: OutboxColumns, change: Partial<OutboxColumns>): Promise<void> {
    await db
      .updateTable(table)
      .set(change)
      .where('id', '=', row.id)
      .where('status', '=', 'sending')
      .where('tries', '=', row.tries)
      .execute();
  }

  async function dueIds(): Promise<number[]> {
    const due = await db
      .selectFrom(table)
      .select('id')
      .where('status', 'in', ['pending', 'sending'])
      .where('next_try_at', '<=', now())
      .orderBy('next_try_at')
      .orderBy('id')
      .limit(PER_PASS)
      .execute();
    return due.map(({ id }) => id);
  }

  /** SQLite serves one process: rows that are marked as being sent at its start belong to a process that ended. */
  async function releaseClaims(): Promise<void> {
    if (store.dialect !== 'sqlite') return;
    await db
      .updateTable(table)
      .set({ status: 'pending', next_try_at: 0 })
      .where('status', '=', 'sending')
      .execute();
  }

  return { claim, note, dueIds, releaseClaims };
}
