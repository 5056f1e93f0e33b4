// What a destination is: a service that can carry a notice to its receiver. One file per destination, one line in index.ts. A destination is data (its
// fields) and a function that makes one request and reads the answer.
import type { NoticeDestinationKind, DestinationField } from '#contract/admin/notices.ts';
import type { Text } from '#contract/language.ts';

/** A notice in the language of its destination. */
export interface Message {
  /** The same for every try, so that the receiver can recognise a message that arrives twice. */
  id: string;
  event: string;
  title: string;
  text: string;
  createdAt: number;
  /** The values the text was made from. */
  values: unknown;
}

export interface Reply {
  status: number;
  /** The parsed JSON of the answer; undefined when it is not JSON. */
  json: unknown;
  retryAfterSeconds: number | undefined;
}

export interface Request {
  url: string;
  body: string;
  headers?: Record<string, string>;
}

/** Posts JSON through the outbound door. Throws when no answer came. */
export type Post = (request: Request) => Promise<Reply>;

export type DestinationConfig = Readonly<Record<string, string>>;

export interface Destination {
  readonly kind: Exclude<NoticeDestinationKind, 'mail'>;
  readonly title: Text;
  readonly fields: readonly DestinationField[];
  /** The service refuses longer texts; the text is cut to this many bytes of UTF-8. */
  readonly longestBytes: number;
  /** Resolves when the service accepted the message; throws a DestinationError when it did not. */
  send(config: DestinationConfig, message: Message, post: Post): Promise<void>;
}

export class DestinationError extends Error {
  override name = 'DestinationError';
  /** Another try cannot succeed before the settings of the destination change. */
  readonly isPermanent: boolean;
  readonly retryAfterSeconds: number | undefined;
  constructor(message: string, { isPermanent = false, retryAfterSeconds }: Partial<DestinationVerdict> = {}) {
    super(message);
    this.isPermanent = isPermanent;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

interface DestinationVerdict {
  isPermanent: boolean;
  retryAfterSeconds: number | undefined;
}

const LONGEST_DETAIL = 200;

/** A refusal with the words of the service, which are the only part of its answer that is shown. */
export function refused(reply: Reply, words: unknown, isPermanent = false): DestinationError {
  const detail = typeof words === 'string' ? `: ${words.slice(0, LONGEST_DETAIL)}` : '';
  return new DestinationError(`status ${reply.status}${detail}`, {
    isPermanent,
    retryAfterSeconds: reply.retryAfterSeconds,
  });
}

/** A member of a JSON object; undefined for anything else. */
export function member(json: unknown, name: string): unknown {
  return typeof json === 'object' && json !== null && Object.hasOwn(json, name)
    ? (json as Record<string, unknown>)[name]
    : undefined;
}

export const isSuccess = ({ status }: Reply) => status >= 200 && status < 300;

/** Title and text in one, for services that have no title. */
export const titled = ({ title, text }: Message) => `${title}\n${text}`;

/** `path` below the address that the receiver entered. */
export const below = (address: string, path: string) => `${address.replace(/\/+$/, '')}${path}`;

export function addressField(fallback: string): DestinationField {
  return {
    name: 'address',
    kind: 'address',
    label: { zh: '服务器地址', en: 'Server address' },
    is_secret: false,
    is_required: false,
    fallback,
  };
}

/** The whole address is a secret: it contains the key of the robot. */
export function robotField(example: string): DestinationField {
  return {
    name: 'address',
    kind: 'address',
    label: { zh: 'Webhook 地址', en: 'Webhook address' },
    is_secret: true,
    is_required: true,
    example,
  };
}

export function secretField(name: string, label: Text, isRequired = true): DestinationField {
  return { name, kind: 'text', label, is_secret: true, is_required: isRequired };
}

export const signingSecret = secretField('secret', { zh: '加签密钥', en: 'Signing secret' }, false);
