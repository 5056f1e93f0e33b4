// One run of a job: keeps the lease while it lasts, measures it, and turns what was thrown into a sentence.
import { AppError, errorMessage } from '#contract/errors.ts';
import { factText } from '#contract/facts.ts';
import type { Job } from './job.ts';

const LONGEST_ERROR = 500;
const RENEWALS_PER_LEASE = 3;

export interface RunOptions {
  /** Aborted by the scheduler when the node stops, and here when the lease is lost. */
  readonly controller: AbortController;
  readonly leaseMs: number;
  /** False: another node has taken the lease. Undefined: the job has none. */
  readonly renew: (() => Promise<boolean>) | undefined;
}

export async function runJob(
  job: Job,
  { controller, leaseMs, renew }: RunOptions,
): Promise<{ durationMs: number; error: string }> {
  const started = performance.now();
  const stopRenewing = renew && keepLease(renew, leaseMs, () => controller.abort());
  let error = '';
  try {
    await job.run(controller.signal);
  } catch (cause) {
    error = sentenceOf(cause);
  }
  stopRenewing?.();
  return { durationMs: Math.round(performance.now() - started), error };
}

function keepLease(renew: () => Promise<boolean>, leaseMs: number, onLost: () => void): () => void {
  let renewedAt = performance.now();
  const timer = setInterval(() => {
    const askedAt = performance.now();
    renew().then(
      (isOurs) => {
        if (isOurs) renewedAt = askedAt;
        else onLost();
      },
      // While the database is away no other node can take the lease; after it ended one may have.
      () => performance.now() - renewedAt >= leaseMs && onLost(),
    );
  }, leaseMs / RENEWALS_PER_LEASE);
  timer.unref();
  return () => clearInterval(timer);
}

/** A fact where there is one, else the text of the exception. */
function sentenceOf(cause: unknown): string {
  if (cause instanceof AppError) {
    const { code, parameters } = cause;
    return factText('appError', {
      zh: errorMessage(code, 'zh', parameters).slice(0, LONGEST_ERROR / 2),
      en: errorMessage(code, 'en', parameters).slice(0, LONGEST_ERROR / 2),
    });
  }
  const text = cause instanceof Error ? cause.message || cause.name : String(cause);
  return text.slice(0, LONGEST_ERROR);
}
