// Notices: the destinations a receiver chose (each user; the operators together), and what was sent.
import { z } from 'zod';
import { basedOn } from '#contract/based-on.ts';
import { endpoint } from '#contract/endpoint.ts';
import { LANGUAGES } from '#contract/language.ts';
import { idParams, itemList, pageFromOne } from '#contract/lists.ts';
import { OPERATOR_NOTICE_EVENTS, USER_NOTICE_EVENTS } from './notice-events.ts';

export const NOTICE_DESTINATION_KINDS = [
  'mail',
  'webhook',
  'bark',
  'gotify',
  'telegram',
  'feishu',
  'wecom',
  'dingtalk',
] as const;
export type NoticeDestinationKind = (typeof NOTICE_DESTINATION_KINDS)[number];

/** Of each user, and of the operators together. */
export const MOST_NOTICE_DESTINATIONS = 10;
/** A signing secret that can be guessed signs nothing. */
export const SHORTEST_WEBHOOK_SECRET = 16;

export const NOTICE_STATES = ['pending', 'sending', 'sent', 'dead', 'expired'] as const;
export type NoticeState = (typeof NOTICE_STATES)[number];

const text = z.object({ zh: z.string(), en: z.string() });

const destinationField = z.object({
  name: z.string(),
  kind: z.enum(['address', 'text']),
  label: text,
  /** Write-only: a blank value keeps what is stored. */
  is_secret: z.boolean(),
  is_required: z.boolean(),
  /** Used while the field is blank. */
  fallback: z.string().optional(),
  example: z.string().optional(),
});
export type DestinationField = z.output<typeof destinationField>;

const destinationKind = z.object({
  kind: z.enum(NOTICE_DESTINATION_KINDS),
  title: text,
  fields: z.array(destinationField),
});
export type NoticeDestinationKindView = z.output<typeof destinationKind>;

const destinationView = z.object({
  /** 0: the mail that is sent while nothing was chosen. */
  id: z.number(),
  kind: z.enum(NOTICE_DESTINATION_KINDS),
  name: z.string(),
  language: z.enum(LANGUAGES),
  events: z.array(z.string()),
  is_enabled: z.boolean(),
  /** Without secrets; of a secret address only its origin. */
  config: z.record(z.string(), z.string()),
  /** The names of the secret fields that have a value. */
  secrets_set: z.array(z.string()),
  /** Another one after every change of `config`, also of its secrets: the base of `config`. */
  config_version: z.string(),
});
export type NoticeDestinationView = z.output<typeof destinationView>;

const destinationsView = z.object({
  /** The events this receiver can be notified of. */
  events: z.array(z.string()),
  kinds: z.array(destinationKind),
  ways: z.array(destinationView),
  /** Whether mail can be sent at all. */
  mail_configured: z.boolean(),
  /** Where mail goes; empty: nowhere. */
  mail_to: z.string(),
});
export type NoticeDestinationsView = z.output<typeof destinationsView>;

const config = z.record(z.string().max(32), z.string().trim().max(2000));

const destinationFields = (events: readonly [string, ...string[]]) =>
  z.object({
    kind: z.enum(NOTICE_DESTINATION_KINDS),
    name: z.string().trim().max(50).default(''),
    language: z.enum(LANGUAGES).default('zh'),
    events: z.array(z.enum(events)).max(events.length),
    is_enabled: z.boolean().default(true),
  });
const destinationBody = (events: readonly [string, ...string[]]) =>
  destinationFields(events).extend({ config: config.default({}) });
/** Without `config` the stored one is kept. */
const destinationChange = (events: readonly [string, ...string[]]) =>
  destinationFields(events).extend({ config: config.optional(), based_on: basedOn });
export const userDestinationChange = destinationChange(USER_NOTICE_EVENTS);
export const operatorDestinationChange = destinationChange(OPERATOR_NOTICE_EVENTS);

const deliveryView = z.object({
  id: z.number(),
  kind: z.enum(NOTICE_DESTINATION_KINDS),
  way_name: z.string(),
  status: z.enum(NOTICE_STATES),
  tries: z.number(),
  next_try_at: z.number(),
  sent_at: z.number(),
  error: z.string(),
});
export type NoticeDeliveryView = z.output<typeof deliveryView>;

const noticeView = z.object({
  id: z.number(),
  created_at: z.number(),
  event: z.string(),
  /** 0: the operators. */
  user_id: z.number(),
  username: z.string(),
  title: z.string(),
  text: z.string(),
  /** False: the destinations were not yet looked up. */
  is_dispatched: z.boolean(),
  deliveries: z.array(deliveryView),
});
export type NoticeView = z.output<typeof noticeView>;

const testResult = z.object({ status: z.enum(NOTICE_STATES), error: z.string() });

export const notices = {
  ways: endpoint({
    method: 'GET',
    path: '/api/user/notices/ways',
    access: 'user',
    summary: { zh: '我的通知方式', en: 'Your notification destinations' },
    returns: destinationsView,
  }),
  createWay: endpoint({
    method: 'POST',
    path: '/api/user/notices/ways',
    access: 'user',
    summary: { zh: '添加通知方式', en: 'Add a notification destination' },
    body: destinationBody(USER_NOTICE_EVENTS),
    returns: destinationView,
  }),
  /** Id 0 with the kind `mail` stores the choice that replaces the default. */
  changeWay: endpoint({
    method: 'PUT',
    path: '/api/user/notices/ways/{id}',
    access: 'user',
    summary: { zh: '修改通知方式', en: 'Change a notification destination' },
    params: z.object({ id: z.coerce.number().int().min(0) }),
    body: userDestinationChange,
    returns: destinationView,
  }),
  removeWay: endpoint({
    method: 'DELETE',
    path: '/api/user/notices/ways/{id}',
    access: 'user',
    summary: { zh: '删除通知方式', en: 'Delete a notification destination' },
    params: idParams,
    returns: z.null(),
  }),
  /** Sends at once; a test is not repeated. */
  testWay: endpoint({
    method: 'POST',
    path: '/api/user/notices/ways/{id}/test',
    access: 'user',
    summary: { zh: '发送测试通知', en: 'Send a test notification' },
    params: z.object({ id: z.coerce.number().int().min(0) }),
    returns: testResult,
    limit: 'critical',
  }),
  history: endpoint({
    method: 'GET',
    path: '/api/user/notices',
    access: 'user',
    summary: { zh: '我的通知记录', en: 'Your notifications' },
    query: pageFromOne,
    returns: itemList(noticeView),
  }),
};

/** The operators' destinations. */
export const operatorNotices = {
  ways: endpoint({
    method: 'GET',
    path: '/api/notices/ways',
    access: 'root',
    summary: { zh: '运营者通知方式', en: "The operators' notification destinations" },
    returns: destinationsView,
  }),
  createWay: endpoint({
    method: 'POST',
    path: '/api/notices/ways',
    access: 'root',
    summary: { zh: '添加运营者通知方式', en: 'Add a notification destination for the operators' },
    body: destinationBody(OPERATOR_NOTICE_EVENTS),
    returns: destinationView,
    stepUp: true,
  }),
  changeWay: endpoint({
    method: 'PUT',
    path: '/api/notices/ways/{id}',
    access: 'root',
    summary: { zh: '修改运营者通知方式', en: 'Change a notification destination of the operators' },
    params: z.object({ id: z.coerce.number().int().min(0) }),
    body: operatorDestinationChange,
    returns: destinationView,
    stepUp: true,
  }),
  removeWay: endpoint({
    method: 'DELETE',
    path: '/api/notices/ways/{id}',
    access: 'root',
    summary: { zh: '删除运营者通知方式', en: 'Delete a notification destination of the operators' },
    params: idParams,
    returns: z.null(),
    stepUp: true,
  }),
  testWay: endpoint({
    method: 'POST',
    path: '/api/notices/ways/{id}/test',
    access: 'root',
    summary: { zh: '发送运营者测试通知', en: 'Send a test notification to the operators' },
    params: z.object({ id: z.coerce.number().int().min(0) }),
    returns: testResult,
    limit: 'critical',
  }),
  history: endpoint({
    method: 'GET',
    path: '/api/notices',
    access: 'root',
    summary: { zh: '全部通知记录', en: 'All notifications' },
    query: pageFromOne.extend({
      /** `operators`: only theirs. */
      receiver: z.enum(['all', 'operators', 'users']).default('all'),
      /** `failed`: with a delivery that was given up. */
      state: z.enum(['all', 'failed']).default('all'),
    }),
    returns: itemList(noticeView),
  }),
};
