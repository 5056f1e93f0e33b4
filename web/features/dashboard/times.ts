/** How a bucket is named under a chart. */
import { siteDay } from '#contract/site-day.ts';
import { absoluteTime } from '#web/ui/format/time.ts';
import type { Bucket } from './figures.ts';
import type { Granularity } from './search.ts';

/** Hours as the reader's clock has them, days as the site's. */
export function bucketName({ from }: Bucket, granularity: Granularity, zone: string): string {
  return granularity === 'hour' ? absoluteTime(from).slice(11, 16) : siteDay(zone, from).slice(5);
}
