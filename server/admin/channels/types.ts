// The types of upstream for the API: facts of the providers, and whether the relay can call them.
import type { ChannelType } from '#contract/relay/channel-fields.ts';
import { balanceReading } from '#server/models/providers/facts/balance.ts';
import {
  channelTypes as facts,
  type ChannelTypeFacts,
} from '#server/models/providers/facts/channel-types.ts';
import { providerOf } from '#server/models/providers/index.ts';

export const channelTypes: readonly ChannelType[] = facts.map((type) => ({
  type: type.type,
  name: type.name,
  mark: type.mark,
  default_base_url: type.baseUrl,
  base_url_required: type.baseUrlRequired,
  base_url_label: { ...type.baseUrlLabel },
  key_format: type.keyFormat,
  key_is_json: type.keyIsJson,
  other_label: { ...type.otherLabel },
  other_example: type.otherExample,
  other_required: type.otherRequired,
  note: { ...type.note },
  models: [...type.models],
  presets_models: type.presetsModels,
  is_ready: providerOf(type.type) !== undefined,
  can_list_models: canList(type.type),
  can_read_balance: type.balance !== undefined,
  balance_currency: type.balance === undefined ? 'USD' : balanceReading(type.balance).currency,
}));

function canList(type: number): boolean {
  const provider = providerOf(type);
  return provider !== undefined && provider.listing !== null;
}

export function factsOf(type: number): ChannelTypeFacts | undefined {
  return facts.find((each) => each.type === type);
}
