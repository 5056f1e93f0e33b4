// The destinations of a receiver, without secrets, and what each kind of destination asks for.
import { callerOf, type RequestContext } from '#server/admin/context.ts';
import { OPERATOR_NOTICE_EVENTS, USER_NOTICE_EVENTS } from '#contract/admin/notice-events.ts';
import type {
  NoticeDestinationKindView,
  NoticeDestinationsView,
  NoticeDestinationView,
  DestinationField,
} from '#contract/admin/notices.ts';
import {
  mailReceivers,
  openConfig,
  readStoredDestinations,
  DESTINATIONS,
  type StoredDestination,
  type DestinationConfig,
} from '#server/platform/notices/index.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { NoticeDependencies, Receiver } from './dependencies.ts';

export const OPERATORS = 0;

const ADDRESSES_FIELD: DestinationField = {
  name: 'addresses',
  kind: 'text',
  label: { zh: '收件地址（留空则发给超级管理员）', en: 'Addresses (blank: the super admins)' },
  is_secret: false,
  is_required: false,
  example: 'ops@example.com',
};

export function receiverId(receiver: Receiver, context: RequestContext): number {
  return receiver === 'operators' ? OPERATORS : callerOf(context).id;
}

export const eventsOf = (userId: number): readonly string[] =>
  userId === OPERATORS ? OPERATOR_NOTICE_EVENTS : USER_NOTICE_EVENTS;

export function kindsOf(userId: number): NoticeDestinationKindView[] {
  const mailFields = userId === OPERATORS ? [ADDRESSES_FIELD] : [];
  const mail = { kind: 'mail', title: { zh: '邮件', en: 'Mail' }, fields: mailFields } as const;
  return [mail, ...Object.values(DESTINATIONS)].map(({ kind, title, fields }) => ({
    kind,
    title,
    fields: [...fields],
  }));
}

export function listDestinations({ store, mailer }: NoticeDependencies, receiver: Receiver) {
  return async (_: unknown, context: RequestContext): Promise<NoticeDestinationsView> => {
    const userId = receiverId(receiver, context);
    const [mail, ...others] = await readStoredDestinations(store.db, userId);
    const destinations = mail === undefined ? others : [mail, ...others];
    const receivers = mail && (await mailReceivers(store, store.db, userId, mail));
    return {
      events: [...eventsOf(userId)],
      kinds: kindsOf(userId),
      ways: destinations.map((destination) => viewOf(store, userId, destination)),
      mail_configured: mailer.configured,
      mail_to: receivers?.recipients.join(', ') ?? '',
    };
  };
}

export function viewOf(store: Store, userId: number, destination: StoredDestination): NoticeDestinationView {
  const { id, kind, name, language, events, isEnabled } = destination;
  const config = openConfig(store, destination);
  const fields = kindsOf(userId).find((each) => each.kind === kind)?.fields ?? [];
  const shown = fields.map((field) => [field.name, shownValue(field, config[field.name] ?? '')]);
  const secrets = fields.filter((field) => field.is_secret && (config[field.name] ?? '') !== '');
  return {
    id,
    kind,
    name,
    language,
    events: [...(events ?? eventsOf(userId))],
    is_enabled: isEnabled,
    config: Object.fromEntries(shown) as Record<string, string>,
    secrets_set: secrets.map((field) => field.name),
    config_version: configVersion(store, config),
  };
}

const VERSION_LENGTH = 16;

/** A keyed digest: it tells two configs apart and reveals nothing of their secrets. */
export function configVersion({ vault }: Pick<Store, 'vault'>, config: DestinationConfig): string {
  const filled = Object.entries(config)
    .filter(([, value]) => value !== '')
    .toSorted();
  return vault.digest('notice-config', JSON.stringify(filled)).slice(0, VERSION_LENGTH);
}

/** Of a secret address only its origin: the rest of it is a key. */
export function shownValue({ kind, is_secret }: DestinationField, value: string): string {
  if (!is_secret) return value;
  return kind === 'address' ? (URL.parse(value)?.origin ?? '') : '';
}
