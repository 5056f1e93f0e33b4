// Amounts of money: integers of the currency's smallest unit, and their decimal text.

const WITHOUT_DECIMALS = new Set(['JPY']);

export function currencyDigits(currency: string): number {
  return WITHOUT_DECIMALS.has(currency) ? 0 : 2;
}

/** 7300 of a currency with two digits → `73.00`. */
export function moneyText(amountMinor: number, currency: string): string {
  const digits = currencyDigits(currency);
  const text = String(amountMinor).padStart(digits + 1, '0');
  if (digits === 0) return text;
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/** The reverse; undefined for anything but a plain decimal of at most that many digits. */
export function minorOf(text: string, currency: string): number | undefined {
  const digits = currencyDigits(currency);
  const match = /^(\d{1,12})(?:\.(\d+))?$/.exec(text);
  if (match === null) return undefined;
  const [, whole = '', fraction = ''] = match;
  // Some providers write more zeros than the currency has digits.
  if (/[1-9]/.test(fraction.slice(digits))) return undefined;
  return Number(whole + fraction.slice(0, digits).padEnd(digits, '0'));
}
