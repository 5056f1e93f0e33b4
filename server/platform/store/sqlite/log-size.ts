// Reports a write-ahead log that grows far beyond its usual size. SQLite cannot reuse it while another program keeps a read
// transaction open (a shell, a copy tool), and then the disk fills up.
import { statSync } from 'node:fs';
import type { FaultListener } from '#server/platform/store/changes.ts';

const LOOK_EVERY_MS = 5000;
/** Twice the size that `journal_size_limit` cuts the log to. */
const MOST_BYTES = 128 * 1024 * 1024;

/** Returns the function that ends the watch. */
export function watchLogSize(file: string, onFault: FaultListener): () => void {
  const timer = setInterval(logSizeCheck(file, onFault), LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** A check that reports once, and again after the log was small in between. */
export function logSizeCheck(file: string, onFault: FaultListener): () => void {
  let isReported = false;
  return () => {
    const bytes = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    if (bytes > MOST_BYTES && !isReported) {
      const megabytes = Math.round(bytes / 1024 / 1024);
      const advice = 'end the program that keeps a transaction on it open';
      onFault(
        new Error(`the write-ahead log of ${file} has ${megabytes} MB: ${advice}`),
        'the write-ahead log grows',
      );
    }
    isReported = bytes > MOST_BYTES;
  };
}
