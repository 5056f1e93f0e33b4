// Joins the checks of suppliers with the relay's channels.
import { createSupplierAudit, type SupplierAudit, type SupplierAuditParts } from '#server/suppliers/index.ts';
import type { Channel } from '#server/relay/channel-choice/catalog.ts';

interface Parts extends Omit<SupplierAuditParts, 'addsToPrompt'> {
  channel: (id: number) => Pick<Channel, 'setting' | 'paramOverride'> | undefined;
}

export function joinSupplierAudit({ channel, ...parts }: Parts): Promise<SupplierAudit> {
  return createSupplierAudit({
    ...parts,
    addsToPrompt(channelId) {
      const found = channel(channelId);
      return found === undefined || found.setting.systemPrompt !== '' || found.paramOverride !== undefined;
    },
  });
}
