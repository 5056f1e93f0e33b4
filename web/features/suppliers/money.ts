/** Dollars of bills. */
import { groupDigits } from '#web/ui/format/number.ts';

export function dollars(amount: number): string {
  const [whole = '0', cents = '00'] = Math.abs(amount).toFixed(2).split('.');
  return `${amount < -0.004 ? '−' : ''}$${groupDigits(Number(whole))}.${cents}`;
}

/** With its sign: positive when the bill is higher. */
export function signedDollars(amount: number): string {
  return amount > 0.004 ? `+${dollars(amount)}` : dollars(amount);
}
