// The prices Tollgate knows by itself: what an operator who set no number of their own sells a model for.
// The table is prices.csv (README.md says how to change it). A fault in it stops the start: a wrong price
// must not be sold.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import table from './prices.csv' with { type: 'text' };

// Digits only: Number(' ') would be a price of zero.
const amount = z
  .string()
  .regex(/^\d+(\.\d+)?$/)
  .transform(Number);
const tokens = z
  .string()
  .regex(/^[1-9]\d*$/)
  .transform(Number)
  .optional();

const facts = {
  vendor: z.string(),
  model: z.string(),
  kind: z.enum([
    'chat',
    'completion',
    'responses',
    'realtime',
    'embedding',
    'rerank',
    'moderation',
    'image',
    'speech',
    'transcription',
    'task',
    'video',
  ]),
  /** Tokens a prompt may have. */
  context: tokens,
  /** Tokens an answer may have. */
  maxOutput: tokens,
  note: z.string().optional(),
  /** The day on which a person compared the line with the vendor's page; absent: not yet. */
  verified: z.iso.date().optional(),
};

/**
 * US dollars per million tokens by class. What a class without a number costs is decided in server/money/prices/price.ts.
 * What upstreams sell by the character or the minute is written in the tokens the relay counts for it:
 * speech one token a character, transcription 1,000 tokens a minute.
 */
const tokenPrices = z.strictObject({
  ...facts,
  input: amount,
  output: amount.optional(),
  cacheRead: amount.optional(),
  cacheWrite5m: amount.optional(),
  cacheWrite1h: amount.optional(),
  image: amount.optional(),
  audioIn: amount.optional(),
  audioOut: amount.optional(),
  reasoning: amount.optional(),
  perCall: z.undefined().optional(),
  perSecond: z.undefined().optional(),
  resolutions: z.undefined().optional(),
});

/** `1080p=0.5;2160p=0.6` */
const resolutions = z
  .string()
  .regex(/^\d+p=\d+(\.\d+)?(;\d+p=\d+(\.\d+)?)*$/)
  .transform((text) =>
    Object.fromEntries(
      text.split(';').map((each) => {
        const [resolution = '', price = ''] = each.split('=');
        return [resolution, Number(price)];
      }),
    ),
  )
  .optional();

/** Dollars for each call. */
const callPrice = z.strictObject({
  ...facts,
  perCall: amount,
  perSecond: z.undefined().optional(),
  resolutions,
  input: z.undefined().optional(),
});

/** Dollars for each second of a video. */
const secondPrice = z.strictObject({
  ...facts,
  perSecond: amount,
  perCall: z.undefined().optional(),
  resolutions,
  input: z.undefined().optional(),
});

const priceSchema = z.union([tokenPrices, callPrice, secondPrice]);

export type BuiltInPrice = z.infer<typeof priceSchema>;
export type ModelKind = BuiltInPrice['kind'];

/** Reads a table with one model a line. No cell holds a comma; an empty cell is an absent number. */
export function readPrices(csv: string): BuiltInPrice[] {
  const [header = [], ...lines] = csv
    .trim()
    .split('\n')
    .map((line) => line.trimEnd().split(','));
  return lines.map((cells, index) => {
    const named = header.flatMap((column, at) => (cells[at] ? [[column, cells[at]] as const] : []));
    const row = priceSchema.safeParse(Object.fromEntries(named));
    if (row.success && cells.length === header.length) return row.data;
    throw new Error(`price list, line ${index + 2}: ${row.error?.message ?? 'wrong number of cells'}`);
  });
}

const models: readonly BuiltInPrice[] = readPrices(table);
const byName = new Map(models.map((price) => [price.model, price]));
const positions = new Map(models.map((price, index) => [price, index]));

// -2024-08-06, -20241022, -250615 (ByteDance) and -latest; a month or day out of range is no date.
const SNAPSHOT_SUFFIX = /-(?:latest|(?:20\d\d-?|2\d)(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12]\d|3[01]))$/;

/** The built-in price of a model by its name as callers write it, or undefined when there is none. */
export function builtInPrice(model: string): BuiltInPrice | undefined {
  return byName.get(model) ?? byName.get(model.replace(SNAPSHOT_SUFFIX, ''));
}

/** The line of the list that prices a model, counted from 0: each vendor's newest models are first. -1: no line. */
export function listPosition(model: string): number {
  const price = builtInPrice(model);
  return price === undefined ? -1 : (positions.get(price) ?? -1);
}

/** Two releases with the same table have the same digest. */
export const priceListDigest = (): string => createHash('sha256').update(table).digest('hex');

/** Every built-in price, by vendor in the order of the list. */
export function builtInModels(): readonly BuiltInPrice[] {
  return models;
}
