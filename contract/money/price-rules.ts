// What changes the price of a model beside its ratios: the length of the prompt, the hour, the class of the request, fees and
// a minimum. The option PriceRules holds them by model; `*` is for models that are not named.
import { z } from 'zod';
import type { CustomProblem } from '#contract/problem-words.ts';
import { isTimeZone } from '#contract/time-zone.ts';

const ratio = z.number().min(0).max(1e9);
const clock = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/);

/** Multiplies the prices of a call whose prompt has more tokens than `above`; what is left out is not multiplied. */
const tier = z.strictObject({
  above: z.int().min(1).max(1e9),
  /** Everything of the prompt without another factor here. */
  input: ratio.optional(),
  output: ratio.optional(),
  /** As `input` when left out. */
  cacheRead: ratio.optional(),
  cacheWrite: ratio.optional(),
});
export type PriceTier = z.output<typeof tier>;

/** From `from` to before `to` on these days (1 is Monday) of the time zone; over midnight when `to` is the earlier one. */
const hours = z.strictObject({
  from: clock,
  to: clock,
  days: z.array(z.int().min(1).max(7)).min(1).max(7).optional(),
  timeZone: z.string().refine(isTimeZone, 'time_zone' satisfies CustomProblem),
  ratio,
});
export type PriceHours = z.output<typeof hours>;

export const REQUEST_CLASSES = ['batch', 'flex', 'priority'] as const;
export type RequestClass = (typeof REQUEST_CLASSES)[number];

const rule = z.strictObject({
  /** The longest one that the prompt passes applies to the whole call. */
  tiers: z
    .array(tier)
    .max(10)
    .refine(
      (list) => list.every(({ above }, index) => index === 0 || above > (list[index - 1]?.above ?? 0)),
      'ascending' satisfies CustomProblem,
    )
    .optional(),
  /** The first one that matches when the call begins. */
  hours: z.array(hours).max(20).optional(),
  classes: z.strictObject({ batch: ratio, flex: ratio, priority: ratio }).partial().optional(),
  /** Dollars that a call which is not free costs at least. */
  minimum: ratio.optional(),
  /** Dollars for each call, on top. */
  fee: ratio.optional(),
  /** Dollars for each search that the upstream reports. */
  search: ratio.optional(),
});
export type PriceRule = z.output<typeof rule>;

export const priceRules = z.record(z.string().min(1).max(255), rule);
export type PriceRules = Readonly<Record<string, PriceRule>>;

export const EVERY_MODEL = '*';

/** The rules of a model; undefined without any. */
export function ruleOf(rules: PriceRules, model: string): PriceRule | undefined {
  if (Object.hasOwn(rules, model)) return rules[model];
  return Object.hasOwn(rules, EVERY_MODEL) ? rules[EVERY_MODEL] : undefined;
}

const DAY_MINUTES = 1440;
const formats = new Map<string, Intl.DateTimeFormat>();
const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

function localTime(timeZone: string, milliseconds: number): { day: number; minute: number } {
  let format = formats.get(timeZone);
  if (format === undefined) {
    const fields = { weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
    formats.set(timeZone, (format = new Intl.DateTimeFormat('en-US', { ...fields, timeZone })));
  }
  const parts = new Map(format.formatToParts(milliseconds).map(({ type, value }) => [type, value]));
  const minute = Number(parts.get('hour')) * 60 + Number(parts.get('minute'));
  return { day: DAYS.indexOf(parts.get('weekday') ?? '') + 1, minute };
}

const minuteOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));

export type Hours = Pick<PriceHours, 'from' | 'to' | 'days' | 'timeZone'>;

export function coversHour({ from, to, days, timeZone }: Hours, milliseconds: number): boolean {
  const { day, minute } = localTime(timeZone, milliseconds);
  const start = minuteOf(from);
  // Equal ends are the whole day.
  const length = (minuteOf(to) - start + DAY_MINUTES) % DAY_MINUTES || DAY_MINUTES;
  const since = (minute - start + DAY_MINUTES) % DAY_MINUTES;
  if (since >= length) return false;
  // After midnight the hours belong to the day on which they began.
  const began = minute >= start ? day : ((day + 5) % 7) + 1;
  return days === undefined || days.includes(began);
}

/** What the hour multiplies everything of the call by; undefined for rules without hours. */
export function hourRatio({ hours: list }: PriceRule, milliseconds: number): number | undefined {
  if (list === undefined || list.length === 0) return undefined;
  return list.find((each) => coversHour(each, milliseconds))?.ratio ?? 1;
}
