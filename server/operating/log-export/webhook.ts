// A web hook: batches in the shape of Kafka's REST proxy, `{"records":[{"key","value"}]}`, signed when there is a secret.
import { createHmac } from 'node:crypto';
import { post, type ExportTarget, type TargetParts } from './target.ts';

const ROWS_PER_BATCH = 500;
const EVERY_SECONDS = 10;

export function webhook(parts: TargetParts): ExportTarget {
  return {
    rowsPerBatch: ROWS_PER_BATCH,
    everySeconds: EVERY_SECONDS,
    async send({ rows, name }) {
      const { LogExportUrl, LogExportSecret } = parts.settings();
      const body = JSON.stringify({ records: rows.map((row) => ({ key: String(row.id), value: row })) });
      const signature = createHmac('sha256', LogExportSecret).update(body).digest('hex');
      await post(parts, LogExportUrl, body, {
        'Content-Type': 'application/vnd.kafka.json.v2+json',
        'Idempotency-Key': name,
        ...(LogExportSecret === '' ? {} : { 'X-Tollgate-Signature': `sha256=${signature}` }),
      });
    },
  };
}
