// How an amount is divided between a subscription and the balance.

export interface Split {
  plan: number;
  wallet: number;
  /** What neither has. */
  missing: number;
}

export interface Pockets {
  plan: number;
  wallet: number;
  isPlanFirst: boolean;
}

/** The first pocket pays as much as it has, the second one the rest. plan + wallet + missing = amount. */
export function split(amount: number, { plan, wallet, isPlanFirst }: Pockets): Split {
  const first = Math.min(amount, isPlanFirst ? plan : wallet);
  const second = Math.min(amount - first, isPlanFirst ? wallet : plan);
  const missing = amount - first - second;
  return isPlanFirst ? { plan: first, wallet: second, missing } : { plan: second, wallet: first, missing };
}
