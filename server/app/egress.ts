// The one door for outbound HTTP, with the rules of environment and settings.
import type { LiveSettings } from '#server/platform/settings/settings.ts';
import type { Environment } from '#server/platform/env.ts';
import { createEgress, throughWorker, workerOrigins, type Egress } from '#server/platform/egress/index.ts';

interface EgressParts {
  environment: Environment;
  settings: LiveSettings;
  /** Read per call, because settings change. */
  systemOrigins: () => readonly string[];
  /** None: the system's. */
  nameServers: readonly string[] | undefined;
}

export function joinEgress({ environment, settings, systemOrigins, nameServers = [] }: EgressParts): Egress {
  const worker = () => ({ address: settings.current.WorkerUrl, key: settings.current.WorkerValidKey });
  const direct = createEgress({
    allowedPrivateAddresses: environment.allowedPrivateAddresses,
    openedPrivateAddresses: () => settings.current.AllowedPrivateAddresses,
    allowedHosts: environment.allowedHosts,
    nameServers,
    systemOrigins: () => [...systemOrigins(), ...workerOrigins(worker())],
  });
  return { ...direct, ...throughWorker(direct, { worker, systemOrigins }) };
}
