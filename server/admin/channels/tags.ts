// Enables, disables or changes all channels of a tag together.
import { CHANNEL_STATUS } from '#contract/relay/channel-fields.ts';
import type { channels } from '#contract/relay/channels.ts';
import type { Handler, RequestContext } from '#server/admin/context.ts';
import { AppError } from '#contract/errors.ts';
import { statusColumns, type ChannelColumns } from '#server/relay/channel-choice/write.ts';
import type { ChannelDependencies } from './dependencies.ts';
import { checkMapping } from './fields.ts';
import { changeMany, checkBaseOfMany, type ChangeOfMany } from './many.ts';

async function changeTagged(
  dependencies: ChannelDependencies,
  context: RequestContext,
  tag: string,
  { columns, check }: Pick<ChangeOfMany, 'columns' | 'check'>,
): Promise<number> {
  const count = await changeMany(dependencies, context, {
    action: 'channel.tag_change',
    columns,
    condition: (builder) => builder.and([builder('tag', '=', tag), builder('deleted_at', 'is', null)]),
    check,
  });
  if (count === 0) throw new AppError('tag_not_found', { tag }, { field: 'tag' });
  return count;
}

export function enableTag(dependencies: ChannelDependencies): Handler<typeof channels.enableTag> {
  return ({ body }, context) =>
    changeTagged(dependencies, context, body.tag, { columns: statusColumns(CHANNEL_STATUS.enabled) });
}

export function disableTag(dependencies: ChannelDependencies): Handler<typeof channels.disableTag> {
  return ({ body }, context) =>
    changeTagged(dependencies, context, body.tag, { columns: statusColumns(CHANNEL_STATUS.disabled) });
}

/** Given fields replace those of every channel of the tag. A blank list means unchanged, a blank new tag removes the tag. */
export function changeTag(dependencies: ChannelDependencies): Handler<typeof channels.changeTag> {
  return async ({ body }, context) => {
    if (body.model_mapping) checkMapping(body.model_mapping);
    const columns: ChannelColumns = {};
    if (body.new_tag !== undefined && body.new_tag !== body.tag) columns.tag = body.new_tag || null;
    if (body.model_mapping) columns.model_mapping = body.model_mapping;
    if (body.groups) columns.group = body.groups;
    if (body.models) columns.models = body.models;
    if (body.priority !== undefined) columns.priority = body.priority;
    if (body.weight !== undefined) columns.weight = body.weight;
    if (Object.keys(columns).length === 0) throw new AppError('nothing_changed');
    const check = checkBaseOfMany(columns, body.based_on, { group: 'groups', tag: 'new_tag' });
    return changeTagged(dependencies, context, body.tag, { columns, check });
  };
}
