/** The text of a buy price as the fields of its editor, and back; without React, for unit tests. */
import type { BuyPrice } from '#contract/money/channel-costs.ts';

export const BUY_PRICE_KINDS = ['list', 'table', 'plan'] as const;
export type BuyPriceKind = (typeof BUY_PRICE_KINDS)[number];

export interface BuyPriceFields {
  kind: BuyPriceKind;
  multiplier: number;
  monthly_fee: number;
  recharge_rate: number;
  batch_ratio: number;
  /** JSON text of the prices by model. */
  models: string;
}

const USUAL: BuyPriceFields = {
  kind: 'list',
  multiplier: 1,
  monthly_fee: 0,
  recharge_rate: 1,
  batch_ratio: 0.5,
  models: '{}',
};

/** Undefined: no buy price. Text that is no JSON object is shown as a table, where it can be corrected. */
export function fieldsOf(text: string): BuyPriceFields | undefined {
  if (text.trim() === '') return undefined;
  try {
    const { models, ...rest } = JSON.parse(text) as Partial<BuyPrice> & { models?: unknown };
    return {
      ...USUAL,
      ...(rest as Partial<BuyPriceFields>),
      models: typeof models === 'string' ? models : JSON.stringify(models ?? {}, null, 2),
    };
  } catch {
    return { ...USUAL, kind: 'table', models: text };
  }
}

export function startOf(kind: BuyPriceKind): BuyPriceFields {
  return { ...USUAL, kind, multiplier: kind === 'plan' ? 0 : 1 };
}

/** Prices that are no JSON stay as they were typed; the server refuses them by name. */
export function textOf({
  kind,
  multiplier,
  monthly_fee,
  recharge_rate,
  batch_ratio,
  models,
}: BuyPriceFields): string {
  const shared = { recharge_rate, batch_ratio };
  if (kind === 'list') return JSON.stringify({ kind, multiplier, ...shared });
  if (kind === 'plan') return JSON.stringify({ kind, monthly_fee, multiplier, ...shared });
  return JSON.stringify({ kind, models: parsed(models), ...shared });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
