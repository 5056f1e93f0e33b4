// Mail waits in the database until a mail server has taken it. A mail is claimed by moving its next try into the future,
// so of many nodes one sends it, and what a killed process had claimed is tried again. A mail can arrive twice (a process
// that dies between the server's yes and its own note), never be lost.
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
  /** Empty: a letter to nobody. It costs the caller what any letter does, and is thrown away instead of sent. */
  recipient: string;
  /** Holds a code or a link that opens something: sealed while it waits, wiped when it is gone. */
  secret?: boolean;
  /** Of no use after this, in unix seconds. */
  expiresAt?: number;
}

export interface MailQueue {
  readonly configured: boolean;
  /** Takes the caller's transaction: the mail exists exactly when what it tells of does. Then `wake`. */
  put(db: Kysely<Schema>, letter: QueuedLetter): Promise<void>;
  /** Looks at the queue soon and not at the next turn. */
  wake(): void;
  /** One pass over what is due; how many were sent. Runs by itself. */
  deliverDue(): Promise<number>;
  close(): Promise<void>;
}

export interface QueueOptions extends TransportOptions {
  store: Store;
  settings: { readonly current: MailSettings };
  log: Log;
  now?: () => number;
}

type MailRow = Row<'mails'>;

/** After the first try, the second …; a mail that failed them all is dead until an operator asks again. */
export const RETRY_SECONDS = [30, 120, 600, 1800, 3600, 3 * 3600, 6 * 3600] as const;
const LOOK_EVERY_MS = 5000;
/** The answer of the call that put the letter goes first: how long it takes must not tell what is sent. */
const WAKE_AFTER_MS = 30;
const CLAIM_SECONDS = LONGEST_DELIVERY_SECONDS * 2;
const AT_ONCE = 3;
/** A mail in hand may finish; a server that hangs does not hold up a restart. */
const CLOSE_PATIENCE_MS = 3000;
const PER_PASS = 50;
const KEEP_SECONDS = 30 * 86_400;
const PURGE_EVERY_SECONDS = 3600;

export function openMailQueue({
  store,
  settings,
  log,
  now = unixSeconds,
  ...transport
}: QueueOptions): MailQueue {
  const { db, vault } = store;
  let running: Promise<number> | null = null;
  const life = new AbortController();
  /** Aborted when a mail server keeps a closing process waiting. */
  const patience = new AbortController();
  let again = false;
  let waking: Timer | null = null;
  let purgedAt = 0;

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

  /** Only while the claim is still ours. */
  async function note(mail: MailRow, change: Partial<MailRow>): Promise<void> {
    await db
      .updateTable('mails')
      .set(change)
      .where('id', '=', mail.id)
      .where('status', '=', 'sending')
      .where('tries', '=', mail.tries)
      .execute();
  }

  async function send(mail: MailRow): Promise<boolean> {
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
      await deliver(settings.current, delivery, { ...transport, signal: patience.signal });
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

  async function pass(): Promise<number> {
    await purge();
    if (!isConfigured(settings.current)) return 0;
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
      for (let id = waiting.shift(); id !== undefined && !life.signal.aborted; id = waiting.shift()) {
        const mail = await claim(id);
        if (mail && (await send(mail))) sent += 1;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    if (due.length === PER_PASS) again = true;
    return sent;
  }

  async function purge(): Promise<void> {
    if (now() - purgedAt < PURGE_EVERY_SECONDS) return;
    purgedAt = now();
    await db
      .deleteFrom('mails')
      .where('status', 'in', ['sent', 'expired', 'dead'])
      .where('created_at', '<', now() - KEEP_SECONDS)
      .execute();
  }

  /** SQLite serves one process: what was being sent when the last one died is nobody's. */
  async function releaseClaims(): Promise<void> {
    if (store.dialect !== 'sqlite') return;
    await db
      .updateTable('mails')
      .set({ status: 'pending', next_try_at: 0 })
      .where('status', '=', 'sending')
      .execute();
  }

  async function deliverDue(): Promise<number> {
    if (running) {
      again = true;
      return await running;
    }
    running = (async () => {
      let sent = 0;
      do {
        again = false;
        sent += await pass();
      } while (again && !life.signal.aborted);
      return sent;
    })().finally(() => {
      running = null;
    });
    return await running;
  }

  function look(): void {
    if (life.signal.aborted) return;
    deliverDue().catch((error: unknown) => {
      if (!life.signal.aborted) log.error('the mail queue could not be read', { error });
    });
  }

  function wake(): void {
    waking ??= setTimeout(() => {
      waking = null;
      look();
    }, WAKE_AFTER_MS);
  }

  const released = releaseClaims().then(look, (error: unknown) =>
    log.error('the mail queue could not be read', { error }),
  );
  const timer = setInterval(look, LOOK_EVERY_MS);

  return {
    get configured() {
      return isConfigured(settings.current);
    },
    put: (connection, letter) => putLetter(connection, vault, letter, now()),
    wake,
    deliverDue,
    async close() {
      life.abort();
      clearInterval(timer);
      if (waking) clearTimeout(waking);
      await released;
      const late = setTimeout(() => patience.abort(), CLOSE_PATIENCE_MS);
      await running?.catch(() => 0);
      clearTimeout(late);
    },
  };

  function messageIdOf({ id, created_at }: MailRow): string {
    const { hostname } = new URL(settings.current.ServerAddress || 'http://localhost');
    return `<tollgate-${created_at}-${id}@${hostname}>`;
  }
}

/** Puts a letter down for whichever node looks next. */
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

function unixSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
