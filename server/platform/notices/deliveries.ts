// Sends the deliveries that are due, with the retries of every outbox.
import { unixSeconds } from '#contract/time.ts';
import { ConnectionError, EgressError, type Egress } from '#server/platform/egress/index.ts';
import type { Log } from '#contract/context.ts';
import type { Settings } from '#contract/settings.ts';
import type { Row } from '#server/platform/store/schema.ts';
import type { Store } from '#server/platform/store/store.ts';
import { DELIVERY_CODES } from './delivery-words.ts';
import { livingUser } from './mail-receivers.ts';
import { openOutbox, type Outbox } from './outbox.ts';
import { openConfig, storedDestination, type StoredDestination } from './stored-destinations.ts';
import { noticeText } from './texts.ts';
import { destinationOf } from './destinations/index.ts';
import {
  DestinationError,
  type Message,
  type Post,
  type Request,
  type DestinationConfig,
} from './destinations/destination.ts';

export interface DeliveryParts {
  store: Store;
  settings: { readonly current: Settings };
  egress: Pick<Egress, 'fetch'>;
  log: Log;
  /** Unix seconds; tests set it. */
  now?: () => number;
}

/** Of one request; a claim on a delivery lasts longer. */
const TIMEOUT_SECONDS = 10;
const CLAIM_SECONDS = 60;
const AT_ONCE = 8;
/** Answers of these services are short. */
const LIMIT_BYTES = 64 * 1024;
const LONGEST_WAIT_SECONDS = 3600;

type Delivery = Row<'notice_deliveries'>;

export function openDeliveries(parts: DeliveryParts): Outbox {
  const { store, log, now = unixSeconds } = parts;
  return openOutbox({
    store,
    table: 'notice_deliveries',
    what: 'a notice',
    log,
    now,
    claimSeconds: CLAIM_SECONDS,
    atOnce: AT_ONCE,
    // A receiver that a user chose is not the operator's service.
    givenUpLevel: 'warn',
    async send(delivery, cut) {
      await sendDelivery(parts, delivery, cut);
      return { status: 'sent', sent_at: now(), error: '' };
    },
    verdictOf: (error) => (error instanceof DestinationError ? error : {}),
  });
}

/** One try. Throws a DestinationError whose message holds no secret. */
export async function sendDelivery(
  parts: DeliveryParts,
  { notice_id, way_id, user_id }: Pick<Delivery, 'notice_id' | 'way_id' | 'user_id'>,
  cut?: AbortSignal,
): Promise<void> {
  const { db } = parts.store;
  const [row, notice, user] = await Promise.all([
    db
      .selectFrom('notice_ways')
      .selectAll()
      .where('id', '=', way_id)
      .where('user_id', '=', user_id)
      .executeTakeFirst(),
    db.selectFrom('notices').selectAll().where('id', '=', notice_id).executeTakeFirst(),
    livingUser(db, user_id),
  ]);
  const isGone = user_id > 0 && user === undefined;
  if (row === undefined || notice === undefined || row.is_enabled === 0 || isGone)
    throw new DestinationError(DELIVERY_CODES.gone, { isPermanent: true });
  const destination = storedDestination(row);
  await sendNotice(parts, notice, { destination, username: user?.username ?? '', cut });
}

interface Receiver {
  destination: StoredDestination;
  username: string;
  cut: AbortSignal | undefined;
}

async function sendNotice(
  parts: DeliveryParts,
  notice: Row<'notices'>,
  { destination, username, cut }: Receiver,
): Promise<void> {
  const definition = destinationOf(destination.kind);
  if (definition === undefined)
    throw new DestinationError(`unknown way ${destination.kind}`, { isPermanent: true });
  const entered = openConfig(parts.store, destination);
  const config = Object.fromEntries(
    definition.fields.map(({ name, fallback = '' }) => [name, entered[name] || fallback]),
  );
  const { settings } = parts;
  const { title, text } = noticeText(notice, { settings: settings.current, username });
  const colon = destination.language === 'zh' ? '：' : ': ';
  const message: Message = {
    id: `notice-${notice.created_at}-${notice.id}-${destination.id}`,
    event: notice.event,
    title: plain(`${settings.current.SystemName}${colon}${title[destination.language]}`, 200),
    text: plain(text[destination.language], definition.longestBytes),
    createdAt: notice.created_at,
    values: JSON.parse(notice.details),
  };
  try {
    await definition.send(config, message, poster(parts, destination.userId, cut));
  } catch (error) {
    throw withoutSecrets(error, config);
  }
}

/**
 * Addresses of users are called as such: public addresses only. Those of the operators, and of users where the operators
 * allow it, may also be in the networks of ALLOWED_PRIVATE_ADDRESSES. Those of the setting are for the operators alone.
 */
export function egressClassFor(settings: Settings, userId: number): 'user' | 'user-private' | 'channel' {
  if (userId === 0) return 'channel';
  return settings.UserNoticePrivateAddressEnabled ? 'user-private' : 'user';
}

function poster({ egress, settings }: DeliveryParts, userId: number, cut: AbortSignal | undefined): Post {
  return async ({ url, body, headers = {} }: Request) => {
    const answer = await egress.fetch(egressClassFor(settings.current, userId), url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body,
      timeoutSeconds: TIMEOUT_SECONDS,
      limitBytes: LIMIT_BYTES,
      ...(cut === undefined ? {} : { signal: cut }),
    });
    const wait = Number(answer.headers.get('retry-after'));
    return {
      status: answer.status,
      json: parsed(await answer.text()),
      retryAfterSeconds: wait > 0 ? Math.min(wait, LONGEST_WAIT_SECONDS) : undefined,
    };
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * What is shown to the receiver. A refused address and one that does not exist have one sentence: the difference would show
 * which names the operator's network has.
 */
function withoutSecrets(error: unknown, config: DestinationConfig): DestinationError {
  if (error instanceof DestinationError) {
    const { isPermanent, retryAfterSeconds } = error;
    return new DestinationError(masked(error.message, config), {
      isPermanent,
      retryAfterSeconds: Math.min(retryAfterSeconds ?? 0, LONGEST_WAIT_SECONDS),
    });
  }
  if (error instanceof EgressError) return new DestinationError(DELIVERY_CODES.refusedAddress);
  if (error instanceof ConnectionError) return new DestinationError(`no answer (${error.reason})`);
  return new DestinationError(DELIVERY_CODES.failed);
}

const SHORTEST_SECRET = 6;
/** Shorter parts of an address are words such as `webhook`. */
const SHORTEST_SECRET_PART = 16;

/** Services may repeat parts of a request in their refusals. */
function masked(message: string, config: DestinationConfig): string {
  const secrets = Object.values(config).flatMap((value) => {
    const url = URL.parse(value);
    if (url === null) return [value];
    const parts = [...url.pathname.split('/'), ...url.searchParams.values()];
    return [value, url.href, ...parts.filter((part) => part.length >= SHORTEST_SECRET_PART)];
  });
  return secrets
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .sort((left, right) => right.length - left.length)
    .reduce(
      (text, secret) => text.replaceAll(secret, '***').replaceAll(encodeURIComponent(secret), '***'),
      message,
    );
}

/** Without control characters but line breaks, and at most so many bytes of UTF-8. */
function plain(text: string, longestBytes: number): string {
  const line = Array.from(text, (character) =>
    character < ' ' && character !== '\n' ? ' ' : character,
  ).join('');
  const bytes = new TextEncoder().encode(line);
  if (bytes.length <= longestBytes) return line;
  // A character that was cut in two is left out.
  return new TextDecoder().decode(bytes.subarray(0, longestBytes - 3)).replace(/\uFFFD+$/, '') + '…';
}
