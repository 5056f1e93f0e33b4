// Rates the rows it is sent. The first message has the prices.
import { readPrices, type Prices } from '#contract/money/price-keys.ts';
import { serveThread } from '#server/platform/store/sqlite/thread.ts';
import { rateRows, type ImpactRow } from './rate-rows.ts';

export type ImpactMessage = { running: string; draft: string } | { rows: ImpactRow[] };

let prices: { running: Prices; draft: Prices } | undefined;

serveThread((text) => {
  const message = JSON.parse(text) as ImpactMessage;
  if ('rows' in message && prices !== undefined)
    return JSON.stringify(rateRows(prices.running, prices.draft, message.rows));
  if ('running' in message)
    prices = { running: readPrices(message.running), draft: readPrices(message.draft) };
  return '{"sums":[],"notRated":0}';
});
