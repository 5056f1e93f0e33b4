// Joins server/admin/channels with what it needs from other nouns (a noun imports no other): the relay's model
// mapping, egress, passwords, and the audit of renewed keys.
import type { Log } from '#contract/context.ts';
import type { Egress } from '#server/platform/egress/index.ts';
import { channelTypes } from '#server/admin/channels/index.ts';
import { writeAudit } from '#server/admin/http/audit.ts';
import { mapModel, parseStringMap } from '#server/relay/channel-choice/mapping.ts';
import type { Relay } from '#server/relay/index.ts';
import type { LiveSettings } from '#server/platform/settings/settings.ts';
import { createKeyRenewal } from '#server/relay/channel-choice/key-renewal.ts';
import { verifyPassword } from '#server/platform/store/passwords.ts';
import type { Store } from '#server/platform/store/store.ts';

export function auditedKeyRenewal(store: Store) {
  return createKeyRenewal(store, (transaction, channelId) =>
    writeAudit(store, transaction, {
      actorId: 0,
      actorName: 'gateway',
      address: '',
      action: 'channel.renew_key',
      target: `channel:${channelId}`,
      requestId: '',
    }),
  );
}

interface Base {
  store: Store;
  settings: LiveSettings;
  log: Log;
}

type Known = Pick<Relay, 'priceOf' | 'standingOf' | 'limitsOf' | 'channelProblem' | 'orderFigures'>;

export function channelDependencies({ store, settings, log }: Base, egress: Egress, relay: Known) {
  return {
    store,
    settings,
    log,
    egress,
    types: channelTypes,
    priceOf: (model: string, group: string) => relay.priceOf(model, group),
    standingOf: (channelId: number, model: string) => relay.standingOf(channelId, model),
    limitsOf: (channelId: number) => relay.limitsOf(channelId),
    channelProblem: (channelId: number) => relay.channelProblem(channelId),
    orderFigures: (channelId: number, model: string) => relay.orderFigures(channelId, model),
    checkAddress: (url: string) => egress.check('channel', url),
    upstreamModel: (mapping: string, model: string) => mapModel(parseStringMap(mapping), model),
    async isPasswordOf(userId: number, password: string) {
      const user = store.db.selectFrom('users').select('password_hash').where('id', '=', userId);
      return verifyPassword(password, (await user.executeTakeFirst())?.password_hash);
    },
  };
}
