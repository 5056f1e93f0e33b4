// Where log rows go. A receiver is a file of this folder.
import type { Settings } from '#contract/settings.ts';
import type { Egress } from '#server/platform/egress/index.ts';
import type { Batch } from './records.ts';

export interface ExportTarget {
  readonly rowsPerBatch: number;
  /** Between two runs: a storage of files gets few large ones. */
  readonly everySeconds: number;
  /** Once for each run, before the first batch. */
  prepare?(): Promise<void>;
  /** Resolves when the receiver has the rows; throws when it may not have them. */
  send(batch: Batch): Promise<void>;
}

export interface TargetParts {
  settings: () => Settings;
  egress: Pick<Egress, 'fetch' | 'target' | 'open'>;
}

const ANSWER_LIMIT_BYTES = 64 * 1024;
const DEADLINE_SECONDS = 60;

/** Throws with the receiver's words unless it answered with success. */
export async function post(
  { egress }: Pick<TargetParts, 'egress'>,
  url: string,
  body: string,
  headers: Record<string, string>,
): Promise<void> {
  const response = await egress.fetch('system', url, {
    method: 'POST',
    body,
    headers,
    timeoutSeconds: DEADLINE_SECONDS,
    limitBytes: ANSWER_LIMIT_BYTES,
  });
  if (response.ok) return;
  const words = (await response.text()).slice(0, 300);
  throw new Error(`the receiver of log rows answered ${response.status}: ${words}`);
}
