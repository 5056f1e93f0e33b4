// Joins re-rating with its thread and with the sums of the log.
import { sumHoursAgain } from '#server/admin/logs/index.ts';
import { continueRuns, rateInThread } from '#server/money/rerating/index.ts';
import type { Store } from '#server/platform/store/store.ts';
import type { Environment } from '#server/platform/env.ts';

export async function continueReratings(
  { environment, store }: { environment: Environment; store: Store },
  signal: AbortSignal,
): Promise<void> {
  const { dataDir, databaseUrl } = environment;
  await continueRuns(
    {
      store,
      openRating: () => rateInThread({ dataDir, databaseUrl }),
      sumHours: (hours, stop) => sumHoursAgain(store, hours, stop),
    },
    signal,
  );
}
