// Mail waits in the database until a mail server has accepted it. A mail is claimed by moving its next try into the future, so
// that one node sends it, and a claim of a killed process runs out. A mail can arrive twice (when a process dies after the
// mail server accepted it and before its row says so); it is never lost.
import { unixSeconds } from '#server/features/clock.ts';
import type { Kysely } from 'kysely';
import type { Log } from '#contract/context.ts';
import type { Row, Schema } from '#server/store/schema.ts';
import type { Store } from '#server/store/store.ts';
import type { Letter } from './letter.ts';
import {
  deliver,
  isConfigured,
  LONGEST_DELIVERY_SECONDS,
  MailError,
  type MailSettings,
  type TransportOptions,
} from './transport.ts';

export interface QueuedLetter extends Letter {
  /** Empty: queued at the same cost as any letter, so that timing reveals nothing, and then discarded. */
  recipient: string;
  /** Contains a code or a link: sealed in the queue, emptied when sent. */
  secret?: boolean;
  /** Not sent after this, in unix seconds. */
  expiresAt?: number;
}

export interface MailQueue {
  readonly configured: boolean;
  /** Takes the caller's transaction: the mail is queued exactly when the change it reports is committed. Then `wake`. */
  put(db: Kysely<Schema>, letter: QueuedLetter): Promise<void>;
  /** Sends soon instead of at the next turn of the job. */
  wake(): void;
  /** Sends what is due until the signal is aborted; how many were sent. A job runs it. */
  deliverDue(signal?: AbortSignal): Promise<number>;
}

export interface QueueOptions extends TransportOptions {
  store: Store;
  settings: { readonly current: MailSettings };
  log: Log;
  /** Runs the job that calls `deliverDue` after so many milliseconds. */
  onWake?: (afterMs: number) => void;
  now?: () => number;
}

type MailRow = Row<'mails'>;

/** Waits after the first try, the second, …; after the last the mail is dead until an operator retries it. */
export const RETRY_SECONDS = [30, 120, 600, 1800, 3600, 3 * 3600, 6 * 3600] as const;
/** The response of the call that queued the mail leaves first: its time must not show what is sent. */
const WAKE_AFTER_MS = 30;
const CLAIM_SECONDS = LONGEST_DELIVERY_SECONDS * 2;
const AT_ONCE = 3;
/** The mail that is being sent when the node stops may take so long. */
const STOP_PATIENCE_MS = 3000;
const PER_PASS = 50;
const KEEP_SECONDS = 30 * 86_400;

export function openMailQueue({
  store,
  settings,
  log,
  onWake = () => {},
  now = unixSeconds,
  ...transport
}: QueueOptions): MailQueue {
  const { db, vault } = store;
  // At once: later a claim can belong to this process.
  let released = releaseClaims();
  released.catch(() => {});

  async function claim(id: number): Promise<MailRow | undefined> {
    return await db
      .updateTable('mails')
      .set((column) => ({
        status: 'sending',
        tries: column('tries', '+', 1),
        next_try_at: now() + CLAIM_SECONDS,
      }))
      .where('id', '=', id)
      .where('status', 'in', ['pending', 'sending'])
      .where('next_try_at', '<=', now())
      .returningAll()
      .executeTakeFirst();
  }

  /** Changes nothing when another node has claimed the mail since. */
  async function note(mail: MailRow, change: Partial<MailRow>): Promise<void> {
    await db
      .updateTable('mails')
      .set(change)
      .where('id', '=', mail.id)
      .where('status', '=', 'sending')
      .where('tries', '=', mail.tries)
      .execute();
  }

  async function send(mail: MailRow, cut: AbortSignal): Promise<boolean> {
    if (mail.recipient === '') {
      await db.deleteFrom('mails').where('id', '=', mail.id).execute();
      return false;
    }
    if (mail.expires_at > 0 && mail.expires_at <= now()) {
      await note(mail, { status: 'expired', body: '' });
      return false;
    }
    try {
      const text = mail.sealed === 1 ? vault.open(mail.body, placeOf(mail)) : mail.body;
      const { recipient, subject } = mail;
      const delivery = { recipient, subject, text, messageId: messageIdOf(mail) };
      await deliver(settings.current, delivery, { ...transport, signal: cut });
    } catch (error) {
      await fail(mail, error);
      return false;
    }
    await note(mail, { status: 'sent', sent_at: now(), body: '', error: '' });
    return true;
  }

  async function fail(mail: MailRow, error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    const wait = RETRY_SECONDS[mail.tries - 1];
    const isOver = wait === undefined || (error instanceof MailError && error.permanent);
    await note(mail, {
      status: isOver ? 'dead' : 'pending',
      next_try_at: now() + (wait ?? 0),
      error: message.slice(0, 500),
    });
    const fields = { mail_id: mail.id, tries: mail.tries, reason: message };
    if (isOver) log.error('a mail was given up', fields);
    else log.warn('a mail could not be sent, it will be tried again', fields);
  }

  async function sendPage(signal: AbortSignal, cut: AbortSignal): Promise<{ sent: number; isLast: boolean }> {
    const due = await db
      .selectFrom('mails')
      .select('id')
      .where('status', 'in', ['pending', 'sending'])
      .where('next_try_at', '<=', now())
      .orderBy('next_try_at')
      .orderBy('id')
      .limit(PER_PASS)
      .execute();
    const waiting = due.map(({ id }) => id);
    let sent = 0;
    const worker = async () => {
      for (let id = waiting.shift(); id !== undefined && !signal.aborted; id = waiting.shift()) {
        const mail = await claim(id);
        if (mail && (await send(mail, cut))) sent += 1;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    return { sent, isLast: due.length < PER_PASS };
  }

  /** SQLite serves one process: mails that are marked as being sent at its start belong to a process that ended. */
  async function releaseClaims(): Promise<void> {
    if (store.dialect !== 'sqlite') return;
    await db
      .updateTable('mails')
      .set({ status: 'pending', next_try_at: 0 })
      .where('status', '=', 'sending')
      .execute();
  }

  async function deliverDue(signal: AbortSignal = new AbortController().signal): Promise<number> {
    await released.catch(() => (released = releaseClaims()));
    if (!isConfigured(settings.current)) return 0;
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
  }

  return {
    get configured() {
      return isConfigured(settings.current);
    },
    put: (connection, letter) => putLetter(connection, vault, letter, now()),
    wake: () => onWake(WAKE_AFTER_MS),
    deliverDue,
  };

  function messageIdOf({ id, created_at }: MailRow): string {
    const { hostname } = new URL(settings.current.ServerAddress || 'http://localhost');
    return `<tollgate-${created_at}-${id}@${hostname}>`;
  }
}

/** Mails that need no further try. */
export async function removeOldMails({ db }: Store): Promise<void> {
  await db
    .deleteFrom('mails')
    .where('status', 'in', ['sent', 'expired', 'dead'])
    .where('created_at', '<', unixSeconds() - KEEP_SECONDS)
    .execute();
}

/** Queues a letter; the node whose job runs next sends it. */
export async function putLetter(
  db: Kysely<Schema>,
  vault: Pick<Store['vault'], 'seal'>,
  { recipient, subject, text, secret = false, expiresAt = 0 }: QueuedLetter,
  created_at = unixSeconds(),
): Promise<void> {
  const body = secret ? vault.seal(text, placeOf({ recipient, created_at })) : text;
  await db
    .insertInto('mails')
    .values({
      created_at,
      recipient,
      subject,
      body,
      dedupe_key: null,
      sealed: secret ? 1 : 0,
      expires_at: expiresAt,
    })
    .execute();
}

function placeOf({ recipient, created_at }: Pick<MailRow, 'recipient' | 'created_at'>): string {
  return `mails:${created_at}:${recipient}`;
}
