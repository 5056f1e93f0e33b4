// By which columns of `margin_days` the sums of past days and weeks are kept, each also by group.
import type { MarginDimension, MarginQuery } from '#contract/money/margins.ts';

/** `channel_model`: a model of a channel; asked by the checks of what is sold below cost. */
export type SumQuery = Omit<MarginQuery, 'by'> & { by: MarginDimension | 'channel_model' };

export type SummedColumn = 'channel_id' | 'model_name' | 'user_id';

/** The one with the fewest rows first: the first that has the columns of a question answers it. */
export const KINDS = {
  channel: ['channel_id'],
  model: ['model_name'],
  channel_model: ['channel_id', 'model_name'],
  user: ['user_id'],
} as const satisfies Record<string, readonly SummedColumn[]>;

/** Undefined: only `margin_days` can answer. */
export function kindOf({ by, channel, supplier, model, user }: SumQuery): string | undefined {
  const needed: SummedColumn[] = [];
  if (
    ['channel', 'supplier', 'channel_model'].includes(by) ||
    channel !== undefined ||
    supplier !== undefined
  )
    needed.push('channel_id');
  if (by === 'model' || by === 'channel_model' || model !== undefined) needed.push('model_name');
  if (by === 'user' || user !== undefined) needed.push('user_id');
  return Object.entries(KINDS).find(([, columns]) =>
    needed.every((column) => (columns as readonly SummedColumn[]).includes(column)),
  )?.[0];
}
