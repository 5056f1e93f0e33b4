// Shows a channel's key to an administrator who types their password again. Every reveal is audited, before it is shown.
import type { channels } from '#contract/relay/channels.ts';
import { callerOf, type Handler } from '#server/admin/context.ts';
import { AppError } from '#contract/errors.ts';
import { channelRow } from './change.ts';
import type { ChannelDependencies } from './dependencies.ts';
import { openChannelKey } from '#server/relay/channel-choice/key.ts';

export function revealChannelKey(dependencies: ChannelDependencies): Handler<typeof channels.revealKey> {
  return async ({ params, body }, context) => {
    const caller = callerOf(context);
    const target = `channel:${params.id}` as const;
    if (!(await dependencies.isPasswordOf(caller.id, body.password))) {
      await context.auditEvent('channel.reveal_refused', target);
      throw new AppError('original_password_wrong', {}, { field: 'password' });
    }
    const row = await channelRow(dependencies, params.id);
    await context.auditEvent('channel.reveal', target);
    return { key: openChannelKey(dependencies.store.vault, row) };
  };
}
