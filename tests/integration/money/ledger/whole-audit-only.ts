// The corruptions that the regular audit does not report, and why. It must report all others.
import type { Corruption } from './books.ts';

const OLD = 'orders, codes and records older than two days are left to the whole audit';
const FROM_THE_TABLE =
  'read from a table that is as long as the ledger; the regular audit reads new ledger rows';

/** By the invariant: all of its states, or those of these names. */
const ONLY_WHOLE: Readonly<Record<string, { reason: string; states?: readonly string[] }>> = {
  'the kept sums are the sums of the ledger': {
    reason: 'the regular audit works with them: it proves a balance that differs anew, and mends the sums',
  },
  'the hourly figures are the sum of the charges': { reason: FROM_THE_TABLE },
  'a log row shows what was charged': {
    reason: FROM_THE_TABLE,
    states: ['an unpaid consumption', 'log rows without a charge, of this gateway and of another one'],
  },
  'what is spent of a budget is the sum of its calls': { reason: FROM_THE_TABLE },
  'the figures of members, service accounts and projects are the sums of the log': { reason: FROM_THE_TABLE },
  'the usage reports of members, service accounts and projects are the sums of the log': {
    reason: FROM_THE_TABLE,
  },
  'a balance is the sum of its transfers': {
    reason: 'the regular audit goes through the users that there are',
    states: ['a missing user, of whom transfers alone are left'],
  },
  'every key is booked once': {
    reason: 'an index of the database refuses the second one; the whole audit does not trust it',
  },
  'the quota of each subscription is the sum of its account': {
    reason: 'the kept sums have one figure for all subscriptions of a user',
    states: ['quota moved between two subscriptions'],
  },
  'subscriptions and what was paid for them match one to one': {
    reason: FROM_THE_TABLE,
    states: ['a sold subscription without payment', 'a subscription of an order that was not paid'],
  },
  'paid orders and top-ups match one to one': {
    reason: OLD,
    states: [
      'a paid order of a plan without subscription',
      'a paid order without credit',
      'a paid order with another credit',
    ],
  },
  'used codes and redemptions match one to one': {
    reason: OLD,
    states: ['a used code without credit', 'a used code with another credit'],
  },
  'dividend records and their entries match one to one': {
    reason: OLD,
    states: ['a record without its entry', 'a record with another amount'],
  },
};

/** Why only the whole audit reports this state; undefined: the regular one does too. */
export function onlyWholeReason([invariant, how]: Corruption): string | undefined {
  const { reason, states } = ONLY_WHOLE[invariant] ?? {};
  return states === undefined || states.includes(how) ? reason : undefined;
}
