// Joins re-rating with its thread and with the sums of past hours and days.
import { usageRollup } from '#server/admin/logs/index.ts';
import { costDays } from '#server/admin/usage-api/index.ts';
import { continueRuns, rateInThread } from '#server/money/rerating/index.ts';
import { sumAgain } from '#server/money/sums/engine.ts';
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
      async sumHours(hours, stop) {
        for (const sum of [usageRollup, costDays]) await sumAgain(store, sum, hours, stop);
      },
    },
    signal,
  );
}
