// What needs a person, one line per kind: how urgent it is, who may see it, the check that finds it, what to do about it and
// where. The server finds the facts (server/admin/attention); their words are in attention-words.ts.
import { ACCOUNT_KINDS } from './attention-account-kinds.ts';
import { ORGANIZATION_KINDS, type OrganizationReaders } from './attention-organization-kinds.ts';
import type { NoticeEvent } from './notice-events.ts';

/**
 * `stop`: what worked has stopped for people. `act`: money or calls wait, or will stop. `wait`: a person must decide.
 * In the order in which they are shown.
 */
export const ATTENTION_SEVERITIES = ['stop', 'act', 'wait'] as const;
export type AttentionSeverity = (typeof ATTENTION_SEVERITIES)[number];

export const ATTENTION_ACTIONS = [
  'replace_key',
  'open_channel',
  'open_system',
  'open_job',
  'check_orders',
  'set_price',
  'set_buy_price',
  'open_supplier',
  'decide',
  'top_up',
  'raise_limit',
  'extend',
  'open_budgets',
  'open_members',
  'open_sign_on',
  'ask_site',
  'look',
] as const;
export type AttentionAction = (typeof ATTENTION_ACTIONS)[number];

/** Each finds the items of one or more kinds in one go. `account` is the reader's own, `organization` that of the call's organization. */
export const ATTENTION_CHECKS = [
  'channels',
  'orders',
  'prices',
  'balances',
  'margins',
  'decisions',
  'ledger',
  'jobs',
  'backup',
  'disk',
  'certificate',
  'version',
  'nodes',
  'account',
  'organization',
] as const;
export type AttentionCheck = (typeof ATTENTION_CHECKS)[number];

/** Entries of the menu that show a count. */
export const ATTENTION_MENUS = [
  '/channel',
  '/model',
  '/order',
  '/suppliers',
  '/margins',
  '/agent',
  '/prices',
  '/nodes',
  '/token',
  '/topup',
  '/budgets',
  '/members',
  '/organization',
  '/organization-settings',
  '/organization-sign-on',
] as const;
export type AttentionMenu = (typeof ATTENTION_MENUS)[number];

interface Kind {
  /** Who may see it: the person it concerns, members of the organization by their roles, administrators, or the super admin. */
  access: 'user' | 'organization' | 'admin' | 'root';
  /** The most urgent it can be comes last. */
  severities: readonly [AttentionSeverity, ...AttentionSeverity[]];
  check: AttentionCheck;
  action: AttentionAction;
  menu: AttentionMenu;
  /**
   * The notice that reports the same fact. One of the item's own name is raised from this list (server/admin/attention/notices.ts).
   * Missing: nothing but the list says it.
   */
  notice?: NoticeEvent;
  /** Of what an organization can have. */
  readers?: OrganizationReaders;
}

const kinds = <Name extends string>(all: Record<Name, Kind>): Readonly<Record<Name, Kind>> => all;

export const ATTENTION_KINDS = kinds({
  /** Auto-disabled, and some model has no other channel. */
  channel_only: {
    access: 'admin',
    severities: ['stop'],
    check: 'channels',
    action: 'replace_key',
    menu: '/channel',
    notice: 'channel_disabled',
  },
  /** Auto-disabled; other channels serve all of its models. */
  channel_off: {
    access: 'admin',
    severities: ['act'],
    check: 'channels',
    action: 'open_channel',
    menu: '/channel',
    notice: 'channel_disabled',
  },
  ledger_broken: {
    access: 'root',
    severities: ['stop'],
    check: 'ledger',
    action: 'open_system',
    menu: '/nodes',
    notice: 'invariant_broken',
  },
  /** This node cannot write to its database. */
  writes_fail: {
    access: 'root',
    severities: ['stop'],
    check: 'ledger',
    action: 'open_system',
    menu: '/nodes',
    notice: 'writes_fail',
  },
  /** The provider says that an order was paid, but it could not be credited. */
  order_uncredited: {
    access: 'admin',
    severities: ['act', 'stop'],
    check: 'orders',
    action: 'check_orders',
    menu: '/order',
    notice: 'payment_alert',
  },
  /** The provider does not say whether an order was paid. */
  order_unanswered: {
    access: 'admin',
    severities: ['act'],
    check: 'orders',
    action: 'check_orders',
    menu: '/order',
    notice: 'order_unanswered',
  },
  model_unpriced: {
    access: 'admin',
    severities: ['act'],
    check: 'prices',
    action: 'set_price',
    menu: '/model',
    notice: 'model_unpriced',
  },
  supplier_balance: {
    access: 'admin',
    severities: ['act'],
    check: 'balances',
    action: 'open_supplier',
    menu: '/suppliers',
    notice: 'upstream_balance_low',
  },
  disk_full: {
    access: 'root',
    severities: ['act'],
    check: 'disk',
    action: 'open_system',
    menu: '/nodes',
    notice: 'disk_full',
  },
  backup_old: {
    access: 'root',
    severities: ['act'],
    check: 'backup',
    action: 'open_system',
    menu: '/nodes',
    notice: 'backup_old',
  },
  certificate_ending: {
    access: 'root',
    severities: ['act'],
    check: 'certificate',
    action: 'open_system',
    menu: '/nodes',
    notice: 'certificate_ending',
  },
  /** A node runs an older version than another one. */
  version_outdated: {
    access: 'root',
    severities: ['act'],
    check: 'version',
    action: 'open_system',
    menu: '/nodes',
    notice: 'version_outdated',
  },
  job_failed: {
    access: 'root',
    severities: ['act'],
    check: 'jobs',
    action: 'open_job',
    menu: '/nodes',
    notice: 'job_failed',
  },
  node_gone: {
    access: 'root',
    severities: ['act'],
    check: 'nodes',
    action: 'open_system',
    menu: '/nodes',
    notice: 'node_gone',
  },
  /** A check of this list has not run for ten minutes. */
  check_late: {
    access: 'admin',
    severities: ['act'],
    check: 'jobs',
    action: 'open_system',
    menu: '/nodes',
    notice: 'check_late',
  },
  withdrawal_waits: {
    access: 'admin',
    severities: ['wait'],
    check: 'decisions',
    action: 'decide',
    menu: '/agent',
    notice: 'withdrawal_requested',
  },
  refund_waits: {
    access: 'admin',
    severities: ['wait'],
    check: 'decisions',
    action: 'decide',
    menu: '/order',
    notice: 'refund_waits',
  },
  rerating_waits: {
    access: 'root',
    severities: ['wait'],
    check: 'decisions',
    action: 'decide',
    menu: '/prices',
    notice: 'rerating_waits',
  },
  draft_waits: {
    access: 'root',
    severities: ['wait'],
    check: 'decisions',
    action: 'decide',
    menu: '/prices',
    notice: 'draft_waits',
  },
  proposal_waits: {
    access: 'root',
    severities: ['wait'],
    check: 'decisions',
    action: 'decide',
    menu: '/prices',
    notice: 'proposal_waits',
  },
  sold_below_cost: {
    access: 'admin',
    severities: ['wait'],
    check: 'margins',
    action: 'set_price',
    menu: '/margins',
    notice: 'negative_margin',
  },
  cost_unknown: {
    access: 'admin',
    severities: ['wait'],
    check: 'margins',
    action: 'set_buy_price',
    menu: '/margins',
    notice: 'cost_unknown',
  },
  ...ACCOUNT_KINDS,
  ...ORGANIZATION_KINDS,
});
export type AttentionKind = keyof typeof ATTENTION_KINDS;
export const ATTENTION_KIND_NAMES = Object.keys(ATTENTION_KINDS) as [AttentionKind, ...AttentionKind[]];
