// Idempotent: a price that was proposed or refused is not proposed again with the same numbers.
import type { Job } from '#server/platform/jobs/job.ts';
import type { JobParts } from './parts.ts';

export function priceLists(parts: JobParts): Job {
  return {
    name: 'price-lists',
    title: { zh: '读取外部价格表', en: 'Outside price lists' },
    description: {
      zh: '读取选项 PriceListUrls 中的价格表，与本站不同的价格进入审核队列；不会改动任何价格。',
      en: 'Reads the price lists of the option PriceListUrls and queues prices that differ from ours for review; it changes no price.',
    },
    everySeconds: 86_400,
    lease: 'cluster',
    run: (signal) => parts.readPriceLists(signal),
  };
}
