// Copies a channel with its key on the server, so that the key is not sent to the browser. The copy is disabled.
import { CHANNEL_STATUS } from '#contract/relay/channel-fields.ts';
import type { channels } from '#contract/relay/channels.ts';
import { nowSeconds } from '#server/admin/clock.ts';
import type { Handler } from '#server/admin/context.ts';
import { channelRow } from './change.ts';
import type { ChannelDependencies } from './dependencies.ts';
import { openChannelKey } from '#server/relay/channel-choice/key.ts';
import { insertChannels } from '#server/relay/channel-choice/write.ts';
import { auditedChannel, oneChannelView } from './view.ts';

const COPY_SUFFIX = { zh: '_复制', en: '_copy' } as const;

export function copyChannel(dependencies: ChannelDependencies): Handler<typeof channels.copy> {
  return async ({ params }, context) => {
    const source = await channelRow(dependencies, params.id);
    const key = openChannelKey(dependencies.store.vault, source);
    const columns = {
      name: `${source.name}${COPY_SUFFIX[context.language]}`,
      type: source.type,
      base_url: source.base_url,
      other: source.other,
      models: source.models,
      group: source.group,
      model_mapping: source.model_mapping,
      tag: source.tag,
      priority: source.priority,
      weight: source.weight,
      setting: source.setting,
      openai_organization: source.openai_organization,
      test_model: source.test_model,
      auto_ban: source.auto_ban,
      status_code_mapping: source.status_code_mapping,
      param_override: source.param_override,
      header_override: source.header_override,
      max_concurrency: source.max_concurrency,
      supplier_id: source.supplier_id,
      buy_price: source.buy_price,
      status: CHANNEL_STATUS.disabled,
      created_time: nowSeconds(dependencies),
      deleted_at: null,
    };
    const row = await dependencies.store.db.transaction().execute(async (transaction) => {
      const [copy] = await insertChannels(dependencies.store, transaction, columns, [key]);
      if (!copy) throw new Error('one key gives one channel');
      const origin = { copied_from: source.id };
      await context.audit(transaction, 'channel.copy', `channel:${copy.id}`, origin, auditedChannel(copy));
      return copy;
    });
    await dependencies.store.changes.announce('channels', String(row.id));
    return oneChannelView(dependencies, row);
  };
}
