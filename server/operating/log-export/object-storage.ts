// Files of an S3-compatible storage: one compressed NDJSON file for each day of a batch, `date=2026-11-16/1-20000.ndjson.gz`.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { createS3 } from '#server/platform/egress/index.ts';
import { linesOf, type LogRow } from './records.ts';
import type { ExportTarget, TargetParts } from './target.ts';

const ROWS_PER_BATCH = 20_000;
const EVERY_SECONDS = 300;

/** In a thread of the platform: a large batch would hold up calls. */
const compress = promisify(gzip);

const dayOf = ({ created_at }: LogRow): string => new Date(created_at * 1000).toISOString().slice(0, 10);

export function objectStorage({ settings, egress }: TargetParts): ExportTarget {
  const s3 = createS3(
    () => {
      const { LogExportUrl, LogExportName, LogExportRegion, LogExportUser, LogExportSecret } = settings();
      return {
        endpoint: LogExportUrl,
        bucket: LogExportName,
        region: LogExportRegion,
        accessKeyId: LogExportUser,
        secretAccessKey: LogExportSecret,
      };
    },
    'tollgate-logs',
    egress,
  );
  return {
    rowsPerBatch: ROWS_PER_BATCH,
    everySeconds: EVERY_SECONDS,
    async send({ rows }) {
      for (const [day, ofDay] of Map.groupBy(rows, dayOf)) {
        const name = `${ofDay[0]?.id ?? 0}-${ofDay.at(-1)?.id ?? 0}`;
        const file = await compress(linesOf(ofDay));
        await s3.put(`date=${day}/${name}.ndjson.gz`, file, 'application/gzip');
      }
    },
  };
}
