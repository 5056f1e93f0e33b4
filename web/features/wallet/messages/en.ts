import type { Messages } from '#web/i18n/namespaces.ts';
import type zh from './zh.ts';

export default {
  title: 'Wallet',
  balance: {
    title: 'Balance',
    quota: '{{quota}} quota',
    held: '{{amount}} of it is held by running calls',
    lasts_one: "lasts about {{count}} day at this week's pace",
    lasts_other: "lasts about {{count}} days at this week's pace",
    lastsLess: "lasts less than a day at this week's pace",
    lastsLong: "lasts more than a year at this week's pace",
    idle: 'nothing spent in the last 7 days',
    empty: 'The balance is used up; top up to go on calling models',
    burn: '{{total}} spent in 30 days, {{today}} today',
    log: 'See what was charged',
  },
  redeem: {
    title: 'Redeem a code',
    label: 'Redemption code',
    placeholder: 'Paste a code; spaces do not matter',
    submit: 'Redeem',
    required: 'Please enter the redemption code!',
    failed: 'Request failed',
    done: 'Redeemed!',
    added: '{{amount}} added to your balance',
    get: 'Get a code',
    noLink: 'The super admin has not set a top-up link!',
    setUp: 'Set it up',
  },
  online: {
    title: 'Online top-up',
    off: 'The administrator has not enabled online top-up!',
    setUp: 'Set it up',
  },
  history: {
    title: 'Top-ups and redemptions',
    none: 'No top-ups or redemptions yet',
    more: 'Show more',
    kind: {
      redeem: 'Redemption code',
      topup: 'Online top-up',
      signup: 'Sign-up gift',
      invitee: 'Gift for an invited user',
      aff_transfer: 'Invite earnings',
      admin: 'Correction by an administrator',
      refund: 'Refund',
      other: 'Other',
    },
  },
  invite: { title: 'Invites' },
} satisfies Messages<typeof zh>;
