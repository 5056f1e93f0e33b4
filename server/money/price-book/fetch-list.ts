// Reads price lists from their addresses, by hand or by the job.
import { AppError } from '#contract/errors.ts';
import { readPriceList, type PriceList } from '#contract/money/price-lists.ts';
import type { Egress } from '#server/platform/egress/index.ts';
import type { PriceBookParts } from './drafts.ts';
import { proposePrices } from './proposals.ts';

const LONGEST_LIST_BYTES = 20 * 1024 * 1024;
const LIST_SECONDS = 30;

export async function fetchPriceList(egress: Pick<Egress, 'fetch'>, url: string): Promise<PriceList> {
  let text: string;
  try {
    const response = await egress.fetch('channel', url, {
      timeoutSeconds: LIST_SECONDS,
      limitBytes: LONGEST_LIST_BYTES,
      headers: { accept: 'application/json' },
    });
    if (response.status !== 200) throw new Error(`HTTP ${response.status}`);
    text = await response.text();
  } catch (error) {
    const detail = error instanceof Error ? error.message.slice(0, 200) : '';
    throw new AppError('price_list_unreachable', { detail }, { field: 'url' });
  }
  const list = readPriceList(text);
  if (list === undefined) throw new AppError('price_list_unreadable', { detail: url }, { field: 'url' });
  return list;
}

/** A list that fails does not stop the others; the first failure is thrown after all were tried. */
export async function proposeFromAddresses(
  { store, egress }: Pick<PriceBookParts, 'store'> & { egress: Pick<Egress, 'fetch'> },
  urls: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const failures: unknown[] = [];
  for (const url of urls) {
    if (signal.aborted) return;
    try {
      const list = await fetchPriceList(egress, url);
      await store.db.transaction().execute((transaction) => proposePrices(store, transaction, list, url));
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
