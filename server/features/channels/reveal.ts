// Shows a key once more, to an operator who types their password again. Every reveal is audited.
import type { channels } from '#contract/channels.ts';
import { callerOf, type RequestContext } from '#contract/context.ts';
import type { Input } from '#contract/endpoint.ts';
import { AppError } from '#contract/errors.ts';
import { channelRow } from './change.ts';
import type { ChannelDependencies } from './dependencies.ts';
import { openChannelKey } from './key.ts';

export function revealChannelKey(dependencies: ChannelDependencies) {
  return async (
    { params, body }: Input<typeof channels.revealKey>,
    context: RequestContext,
  ): Promise<{ key: string }> => {
    const caller = callerOf(context);
    const target = `channel:${params.id}`;
    if (!(await dependencies.isPasswordOf(caller.id, body.password))) {
      await context.audit('channel.reveal_refused', target);
      throw new AppError('original_password_wrong', {}, { field: 'password' });
    }
    const row = await channelRow(dependencies, params.id);
    await context.audit('channel.reveal', target);
    return { key: openChannelKey(dependencies.store.vault, row) };
  };
}
