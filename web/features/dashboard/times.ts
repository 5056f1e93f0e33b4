/** How a bucket is named under a chart. */
import { absoluteTime } from '#web/ui/format/time.ts';
import type { Bucket } from './figures.ts';
import type { Granularity } from './search.ts';

export function bucketName({ from }: Bucket, granularity: Granularity): string {
  const text = absoluteTime(from);
  return granularity === 'hour' ? text.slice(11, 16) : text.slice(5, 10);
}
