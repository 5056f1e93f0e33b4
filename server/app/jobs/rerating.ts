// Exactly once: each part of a run is claimed by its row, in the transaction that books it. A run that was cut continues.
import type { Job } from '#server/platform/jobs/job.ts';
import type { JobParts } from './parts.ts';

export const RERATING_JOB = 'rerating';

export function rerating(parts: JobParts): Job {
  return {
    name: RERATING_JOB,
    title: { zh: '重新计价', en: 'Re-rating' },
    description: {
      zh: '试算和入账：按另一个价格版本更正过去的调用。',
      en: 'Rates and books corrections of past calls by another price version.',
    },
    // A request to rate or book waits for the next turn; without an open run a turn is one short query.
    everySeconds: 5,
    lease: 'cluster',
    run: (signal) => parts.continueReratings(signal),
  };
}
