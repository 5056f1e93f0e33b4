// Joins what this node knows of itself (its reports) with the checks of what needs a person.
import type { Log } from '#contract/context.ts';
import { createAttention } from '#server/admin/attention/index.ts';
import { createPlaceFacts, createReporter } from '#server/admin/cluster/index.ts';
import { organizationFacts } from '#server/admin/organizations/index.ts';
import { offerMargins, recentMargins } from '#server/admin/margins/index.ts';
import type { Ledger } from '#server/money/ledger/ledger.ts';
import type { Environment } from '#server/platform/env.ts';
import type { LiveSettings } from '#server/platform/settings/settings.ts';
import type { Store } from '#server/platform/store/store.ts';
import { VERSION } from '#server/platform/version.ts';
import type { Relay } from '#server/relay/index.ts';
import type { Scheduler } from '#server/app/jobs/index.ts';

const LAST_REPORT_MS = 2000;

type Readings = Parameters<typeof createReporter>[2];

interface NodeParts extends Pick<Readings, 'gate' | 'health'> {
  environment: Pick<Environment, 'dataDir' | 'certificateFiles'>;
  store: Store;
  settings: LiveSettings;
  ledger: Pick<Ledger, 'isWritable'>;
  nodeId: string;
  relay: Pick<Relay, 'priceOf' | 'calls'>;
  /** The scheduler is made after this, because it runs the checks. */
  jobs: () => ReturnType<Scheduler['list']>;
  log: Log;
}

export function joinNode(parts: NodeParts) {
  const { environment, store, settings, ledger, nodeId, relay, log } = parts;
  const { dataDir, certificateFiles } = environment;
  const reporter = createReporter(store, nodeId, {
    version: VERSION,
    calls: () => relay.calls,
    gate: parts.gate,
    health: parts.health,
    place: createPlaceFacts({ dataDir, certificate: certificateFiles?.certificate }),
  });
  const attention = createAttention({
    store,
    settings,
    nodeId,
    priceOf: relay.priceOf,
    isWritable: () => ledger.isWritable,
    margins: recentMargins({ store, settings }),
    offerMargins: (lastDays) => offerMargins({ store, settings }, lastDays),
    organizationFacts: (context) => organizationFacts({ store, settings }, context),
    jobs: parts.jobs,
    onError: (check, error) => log.warn('a check of what needs a person failed', { check, error }),
  });
  return {
    reporter,
    attention,
    async close(): Promise<void> {
      attention.close();
      // The last report says that the node drains: one that ends without it is missed. A stop waits for no database that is away.
      const reported = reporter
        .run()
        .catch((error: unknown) => log.warn('the last report was not written', { error }));
      await Promise.race([reported, Bun.sleep(LAST_REPORT_MS)]);
    },
  };
}
