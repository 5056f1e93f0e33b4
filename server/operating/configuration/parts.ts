// What the commands and the console give to this folder.
import type { AuditAction } from '#contract/admin/audit.ts';
import type { AuditTarget } from '#contract/admin/audit-targets.ts';
import type { Transaction } from 'kysely';
import type { ChannelDependencies } from '#server/admin/channels/index.ts';
import type { LiveSettings } from '#server/platform/settings/settings.ts';
import type { Schema } from '#server/platform/store/schema.ts';
import type { CommandStore } from '#server/platform/store/store.ts';

export interface AuditedChange {
  action: AuditAction;
  target: AuditTarget;
  before?: unknown;
  after?: unknown;
}

export interface ConfigurationParts {
  store: Pick<CommandStore, 'db' | 'dialect' | 'vault' | 'changes'>;
  settings: Pick<LiveSettings, 'current'>;
  /** Types and allowed addresses of channels. */
  channels: Pick<ChannelDependencies, 'types' | 'checkAddress'>;
  /** For references of the file. */
  variables: Record<string, string | undefined>;
  /** Writes the audit row of a change, in its transaction. */
  audit(transaction: Transaction<Schema>, change: AuditedChange): Promise<void>;
}
