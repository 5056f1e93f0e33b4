// Values that no log line may contain.
import { SETTING_KEYS, settingOf } from '#contract/settings.ts';
import type { RootLog } from '#server/platform/log.ts';
import type { LiveSettings } from '#server/platform/settings/settings.ts';
import { telemetrySecrets } from '#server/operating/telemetry/index.ts';
import type { Environment } from '#server/platform/env.ts';

export function hideSecretsOfEnvironment(environment: Environment, log: RootLog): void {
  const { masterKey, initialRootPassword, databaseUrl, telemetry } = environment;
  const databasePassword = databaseUrl && decodeURIComponent(new URL(databaseUrl).password);
  for (const secret of [
    masterKey,
    initialRootPassword,
    databaseUrl,
    databasePassword,
    ...telemetrySecrets(telemetry),
  ])
    if (secret) log.registerSecret(secret);
}

export function hideSecretsOfSettings(settings: LiveSettings, log: RootLog): void {
  const register = () => {
    for (const key of SETTING_KEYS) {
      const value: unknown = settings.current[key];
      if (settingOf(key).kind === 'secret' && typeof value === 'string') log.registerSecret(value);
    }
  };
  register();
  settings.onChange(register);
}
