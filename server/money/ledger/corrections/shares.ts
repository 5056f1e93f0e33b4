// Who pays for a call when its price is corrected: the balance, a subscription, or suspense (the operator's loss). Amounts
// are whole quota units, and the shares of a call always add up to its price.

export interface Shares {
  /** Negative: the balance got back more than it had paid, because the period of the subscription was over. */
  wallet: number;
  plan: number;
  suspense: number;
}

export interface CorrectedShares {
  /** The subscription that paid a part, while the period of the call runs; else 0. */
  pocketId: number;
  before: Shares;
  wanted: Shares;
}

/** What may be taken now. */
export interface Pockets {
  wallet: number;
  plans: Map<number, number>;
}

/** Where a debit goes that the subscription cannot pay. */
export type PlanShortage = 'wallet' | 'suspense';

export const priceOf = ({ wallet, plan, suspense }: Shares): number => wallet + plan + suspense;

/** What the caller has paid; the quota of the log row. */
export const paidOf = ({ wallet, plan }: Shares): number => wallet + plan;

/**
 * The shares of a new price. A lower price takes away the operator's loss first, then gives back to the balance and then to
 * the subscription; a higher one is paid by the subscription that paid before, else by the balance.
 */
export function sharesAt(before: Shares, price: number): Shares {
  const more = price - priceOf(before);
  if (more >= 0)
    return before.plan > 0
      ? { ...before, plan: before.plan + more }
      : { ...before, wallet: before.wallet + more };
  const suspense = Math.min(-more, before.suspense);
  const wallet = Math.min(-more - suspense, Math.max(0, before.wallet));
  const plan = -more - suspense - wallet;
  return {
    wallet: before.wallet - wallet,
    plan: before.plan - plan,
    suspense: before.suspense - suspense,
  };
}

/**
 * Moves the wanted shares to what the pockets can pay; changes the pockets. Everything that is given back comes first, so
 * that it pays for the calls of the same note that cost more.
 */
export function payable(
  calls: readonly CorrectedShares[],
  pockets: Pockets,
  planShortage: PlanShortage,
): Shares[] {
  const paid = calls.map(({ before, wanted, pocketId }) => {
    const after = { ...before, suspense: wanted.suspense };
    const fromPlan = Math.max(0, before.plan - wanted.plan);
    const free = pockets.plans.get(pocketId);
    if (free === undefined) giveToWallet(after, pockets, fromPlan);
    else {
      after.plan -= fromPlan;
      pockets.plans.set(pocketId, free + fromPlan);
    }
    giveToWallet(after, pockets, Math.max(0, before.wallet - wanted.wallet));
    return after;
  });
  for (const [index, { before, wanted, pocketId }] of calls.entries()) {
    const after = paid[index] as Shares;
    const asked = Math.max(0, wanted.plan - before.plan);
    const free = pockets.plans.get(pocketId) ?? 0;
    const plan = Math.min(asked, free);
    pockets.plans.set(pocketId, free - plan);
    after.plan += plan;
    const missing = asked - plan;
    if (planShortage === 'suspense') after.suspense += missing;
    const wallet = Math.max(0, wanted.wallet - before.wallet) + (planShortage === 'wallet' ? missing : 0);
    const taken = Math.min(wallet, pockets.wallet);
    pockets.wallet -= taken;
    after.wallet += taken;
    after.suspense += wallet - taken;
  }
  return paid;
}

function giveToWallet(shares: Shares, pockets: Pockets, amount: number): void {
  shares.wallet -= amount;
  pockets.wallet += amount;
}
