// Mail waits in the database until a mail server has accepted it (server/platform/notices/outbox.ts says how).
import type { Kysely } from 'kysely';
import type { Log } from '#contract/context.ts';
import { unixSeconds } from '#contract/time.ts';
import { openOutbox } from '#server/platform/notices/outbox.ts';
import type { Row, Schema } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
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
  /**
   * Takes the caller's transaction: the mail is queued exactly when the change it reports is committed. Then `wake`.
   * Returns the id of its row.
   */
  put(db: Kysely<Schema>, letter: QueuedLetter): Promise<number>;
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

/** The response of the call that queued the mail leaves first: its time must not show what is sent. */
const WAKE_AFTER_MS = 30;
const CLAIM_SECONDS = LONGEST_DELIVERY_SECONDS * 2;
const AT_ONCE = 3;
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

  async function send(mail: MailRow, cut: AbortSignal): Promise<Partial<MailRow> | undefined> {
    if (mail.recipient === '') {
      await db.deleteFrom('mails').where('id', '=', mail.id).execute();
      return undefined;
    }
    if (mail.expires_at > 0 && mail.expires_at <= now()) return { status: 'expired', body: '' };
    const text = mail.sealed === 1 ? vault.open(mail.body, placeOf(mail)) : mail.body;
    const { recipient, subject } = mail;
    const delivery = { recipient, subject, text, messageId: messageIdOf(mail) };
    await deliver(settings.current, delivery, { ...transport, signal: cut });
    return { status: 'sent', sent_at: now(), body: '', error: '' };
  }

  const outbox = openOutbox({
    store,
    table: 'mails',
    what: 'a mail',
    log,
    now,
    claimSeconds: CLAIM_SECONDS,
    atOnce: AT_ONCE,
    isReady: () => isConfigured(settings.current),
    send,
    verdictOf: (error) => ({ isPermanent: error instanceof MailError && error.permanent }),
  });

  return {
    get configured() {
      return isConfigured(settings.current);
    },
    put: (connection, letter) => putLetter(connection, vault, letter, now()),
    wake: () => onWake(WAKE_AFTER_MS),
    deliverDue: (signal) => outbox.deliverDue(signal),
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

/** Queues a letter; the node whose job runs next sends it. Returns the id of its row. */
export async function putLetter(
  db: Kysely<Schema>,
  vault: Pick<Store['vault'], 'seal'>,
  { recipient, subject, text, secret = false, expiresAt = 0 }: QueuedLetter,
  created_at = unixSeconds(),
): Promise<number> {
  const body = secret ? vault.seal(text, placeOf({ recipient, created_at })) : text;
  const { id } = await db
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
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

function placeOf({ recipient, created_at }: Pick<MailRow, 'recipient' | 'created_at'>): string {
  return `mails:${created_at}:${recipient}`;
}
