// The ways of a receiver, without secrets, and what each kind of way asks for.
import { callerOf, type RequestContext } from '#server/admin/context.ts';
import { OPERATOR_NOTICE_EVENTS, USER_NOTICE_EVENTS } from '#contract/admin/notice-events.ts';
import type { NoticeWayKindView, NoticeWaysView, NoticeWayView, WayField } from '#contract/admin/notices.ts';
import {
  mailReceivers,
  openConfig,
  storedWays,
  WAYS,
  type StoredWay,
  type WayConfig,
} from '#server/platform/notices/index.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { NoticeDependencies, Receiver } from './dependencies.ts';

export const OPERATORS = 0;

const addressesField: WayField = {
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

export function kindsOf(userId: number): NoticeWayKindView[] {
  const mailFields = userId === OPERATORS ? [addressesField] : [];
  const mail = { kind: 'mail', title: { zh: '邮件', en: 'Mail' }, fields: mailFields } as const;
  return [mail, ...Object.values(WAYS)].map(({ kind, title, fields }) => ({
    kind,
    title,
    fields: [...fields],
  }));
}

export function listWays({ store, mailer }: NoticeDependencies, receiver: Receiver) {
  return async (_: unknown, context: RequestContext): Promise<NoticeWaysView> => {
    const userId = receiverId(receiver, context);
    const [mail, ...others] = await storedWays(store.db, userId);
    const ways = mail === undefined ? others : [mail, ...others];
    const receivers = mail && (await mailReceivers(store, store.db, userId, mail));
    return {
      events: [...eventsOf(userId)],
      kinds: kindsOf(userId),
      ways: ways.map((way) => viewOf(store, userId, way)),
      mail_configured: mailer.configured,
      mail_to: receivers?.recipients.join(', ') ?? '',
    };
  };
}

export function viewOf(store: Store, userId: number, way: StoredWay): NoticeWayView {
  const { id, kind, name, language, events, isEnabled } = way;
  const config = openConfig(store, way);
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
export function configVersion({ vault }: Pick<Store, 'vault'>, config: WayConfig): string {
  const filled = Object.entries(config)
    .filter(([, value]) => value !== '')
    .toSorted();
  return vault.digest('notice-config', JSON.stringify(filled)).slice(0, VERSION_LENGTH);
}

/** Of a secret address only its origin: the rest of it is a key. */
export function shownValue({ kind, is_secret }: WayField, value: string): string {
  if (!is_secret) return value;
  return kind === 'address' ? (URL.parse(value)?.origin ?? '') : '';
}
