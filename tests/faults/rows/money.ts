import { plan, type Section } from '#tests/faults/plan.ts';

export const money: Section = {
  title: 'Money',
  faults: [
    plan(
      'M1',
      'more calls at once than the balance pays for (500 calls, balance for 10)',
      'at most 10 are admitted; the balance never falls below zero',
    ),
    plan('M2', 'the same over two nodes on one PostgreSQL', 'at most 10 are admitted over both nodes'),
    plan(
      'M3',
      '100 calls at once on a token whose limit is below the user’s balance',
      'the token never falls below zero; a refused call holds nothing of the user',
    ),
    plan(
      'M4',
      'one redemption code, 200 tries at once by 20 users, on two nodes',
      'one succeeds; one ledger entry',
    ),
    plan(
      'M5',
      'the same valid payment callback 100 times at once, on two nodes',
      'one credit; each callback is answered as accepted',
    ),
    plan('M6', 'a callback signed with an empty secret while no secret is set', 'refused; no credit'),
    plan(
      'M7',
      'an order of one payment provider confirmed by the callback of another',
      'refused and reported; no credit',
    ),
    plan(
      'M8',
      'amount, currency or merchant of a callback changed, signed anew or not',
      'refused; no credit',
    ),
    plan(
      'M9',
      'prices change between an order and its callback',
      'the credit is the amount that the order recorded',
    ),
    plan(
      'M10',
      'a callback for a deleted or banned user, or for an expired order',
      'credited, or paid back where the account is deleted; never lost',
    ),
    plan('M11', 'settle and release of one call in every order, repeated', 'one effect'),
    plan('M12', 'prices change while calls run', 'each call is charged by the prices of its start'),
    plan(
      'M13',
      'random prices and usages',
      'the charge equals exact integer arithmetic; paid use is never free',
    ),
    plan(
      'M14',
      'absurd numbers: max_tokens 1e308, -1 or text, negative n, ratio 1e300',
      'refused; nothing is held',
    ),
    plan(
      'M15',
      'invite rewards moved 100 times at once, negative amounts, less than one unit',
      'the sum is constant',
    ),
    plan(
      'M16',
      'an administrator changes the balance while calls settle',
      'the change is a difference; every unit is accounted for',
    ),
    plan(
      'M17',
      'a profile is saved and tokens are read while calls spend',
      'balance, rewards and token limits are intact',
    ),
    plan(
      'M18',
      'usage missing, twice, only cumulative, or in an incomplete or failed answer, in all formats',
      'charged by the policy; delivered content is never free',
    ),
    plan('M19', 'an error text inside a stream of status 200', 'not charged as output'),
    plan(
      'M20',
      'the caller leaves at the first byte, in between, at the last event (random cuts)',
      'the charge is the prompt and what was delivered; the upstream is closed',
    ),
    plan(
      'M21',
      'the first channels fail and the next one, or the next group, is dearer',
      'one charge; the dearer hold is taken before the attempt',
    ),
    plan('M22', 'two nodes see the end of one task', 'it is settled once'),
    plan(
      'M23',
      'a token or user is deleted or banned in the middle of a stream',
      'the stream ends or settles; every unit is accounted for',
    ),
    plan(
      'M24',
      'a random mix of calls, corrections and faults for a long time',
      'the books balance at every check',
    ),
  ],
};
