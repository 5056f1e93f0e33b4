// Reads numbers of files whose shape is not known to be right.

export type Loose = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const amount = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 && value <= 1e9 ? value : undefined;
/** Rounds off the error of binary fractions: prices have few digits. */
export const exact = (value: number): number => Number(value.toPrecision(12));
export const scaled = (value: unknown, factor: number): number | undefined => {
  const number = amount(value);
  return number === undefined ? undefined : exact(number * factor);
};

/** Members without a value are left out. */
export function present<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Value;
}
