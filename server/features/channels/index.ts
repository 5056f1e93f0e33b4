// Channels: the upstreams an operator has connected. Keys go in sealed and come out only through the password-checked
// reveal; every change announces itself, so the relay of every node reloads.
import type { channels } from '#contract/channels.ts';
import type { RequestContext } from '#contract/context.ts';
import type { Handlers } from '#contract/endpoint.ts';
import { changeChannel, readChannel } from './change.ts';
import { copyChannel } from './copy.ts';
import { createChannels } from './create.ts';
import type { ChannelDependencies } from './dependencies.ts';
import { impactOfDisabling } from './impact.ts';
import { listChannels } from './list.ts';
import {
  fixChannels,
  removeChannel,
  removeChannels,
  removeDisabledChannels,
  restoreChannels,
  setChannelStatus,
  tagChannels,
} from './many.ts';
import { revealChannelKey } from './reveal.ts';
import { changeTag, disableTag, enableTag } from './tags.ts';

export type { ChannelDependencies } from './dependencies.ts';

/** The date every model object of the family carries. */
const MODEL_CREATED = 1_626_777_600;

export function createChannelHandlers(
  dependencies: ChannelDependencies,
): Handlers<typeof channels, RequestContext> {
  return {
    list: listChannels(dependencies),
    search: listChannels(dependencies),
    types: () => [...dependencies.types],
    models: () =>
      dependencies.types.flatMap((type) =>
        type.models.map((id) => ({ id, object: 'model', created: MODEL_CREATED, owned_by: type.name })),
      ),
    read: readChannel(dependencies),
    create: createChannels(dependencies),
    change: changeChannel(dependencies),
    copy: copyChannel(dependencies),
    remove: removeChannel(dependencies),
    restore: restoreChannels(dependencies),
    removeDisabled: removeDisabledChannels(dependencies),
    removeMany: removeChannels(dependencies),
    setStatus: setChannelStatus(dependencies),
    tagMany: tagChannels(dependencies),
    fix: fixChannels(dependencies),
    enableTag: enableTag(dependencies),
    disableTag: disableTag(dependencies),
    changeTag: changeTag(dependencies),
    revealKey: revealChannelKey(dependencies),
    impact: impactOfDisabling(dependencies),
  };
}
