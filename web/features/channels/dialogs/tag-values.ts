/** What the tag dialog sends: given fields overwrite those of every channel, blank ones change nothing. */
import { isJsonObject, type ChannelView } from '#contract/relay/channel-fields.ts';
import { textOf } from '#web/ui/conflict/differences.ts';
import { splitList } from '#web/features/channels/list/rows.ts';

export interface TagValues {
  new_tag: string;
  models: readonly string[];
  groups: readonly string[];
  model_mapping: string;
}

export type TagProblem = 'mappingNotJson' | 'nothingChanged';

export function emptyTagValues(tag: string): TagValues {
  return { new_tag: tag, models: [], groups: [], model_mapping: '' };
}

export function tagProblem(tag: string, values: TagValues): TagProblem | undefined {
  const mapping = values.model_mapping.trim();
  if (mapping !== '' && !isJsonObject(mapping)) return 'mappingNotJson';
  const isChanged =
    values.new_tag.trim() !== tag || values.models.length > 0 || values.groups.length > 0 || mapping !== '';
  return isChanged ? undefined : 'nothingChanged';
}

export function tagBody(tag: string, values: TagValues) {
  const newTag = values.new_tag.trim();
  return {
    tag,
    ...(newTag === tag ? {} : { new_tag: newTag }),
    ...(values.models.length > 0 ? { models: values.models.join(',') } : {}),
    ...(values.groups.length > 0 ? { groups: values.groups.join(',') } : {}),
    ...(values.model_mapping.trim() === '' ? {} : { model_mapping: values.model_mapping.trim() }),
  };
}

export interface Overwrite {
  id: number;
  name: string;
  /** Models, groups or mapping this channel has now and would lose. */
  lostModels: string[];
  lostGroups: string[];
  replacesMapping: boolean;
}

/** Channels whose own values would be replaced by different ones. */
export function overwrites(channels: readonly ChannelView[], values: TagValues): Overwrite[] {
  const mapping = values.model_mapping.trim();
  return channels
    .map((channel) => ({
      id: channel.id,
      name: channel.name,
      lostModels:
        values.models.length > 0
          ? splitList(channel.models).filter((model) => !values.models.includes(model))
          : [],
      lostGroups:
        values.groups.length > 0
          ? splitList(channel.group).filter((group) => !values.groups.includes(group))
          : [],
      replacesMapping: mapping !== '' && channel.model_mapping !== '' && channel.model_mapping !== mapping,
    }))
    .filter((each) => each.lostModels.length + each.lostGroups.length > 0 || each.replacesMapping);
}

/** By field and channel, what the list showed: the base of a save of the tag. */
export function tagBase(channels: readonly ChannelView[], body: object) {
  const valueOf = (channel: ChannelView, field: string): unknown =>
    field === 'groups'
      ? channel.group
      : field === 'new_tag'
        ? channel.tag
        : channel[field as 'models' | 'model_mapping' | RankField];
  const fields = Object.keys(body).filter((field) => field !== 'tag');
  return Object.fromEntries(
    fields.map((field) => [
      field,
      Object.fromEntries(channels.map((channel) => [String(channel.id), valueOf(channel, field)])),
    ]),
  );
}

/** One line for each channel, by its name: the values that it has now. */
export function valuesByName(channels: readonly ChannelView[], values: unknown): string {
  const names = new Map(channels.map(({ id, name }) => [String(id), name]));
  return Object.entries(values as Readonly<Record<string, unknown>>)
    .map(([id, value]) => `${names.get(id) ?? `#${id}`}: ${textOf(value)}`.trimEnd())
    .join('\n');
}

export type RankField = 'priority' | 'weight';

/** The number for a whole tag; weights below 0 are refused, not corrected. */
export function tagNumber(field: RankField, text: string): number | undefined {
  if (!/^[+-]?\d{1,9}$/.test(text)) return undefined;
  const value = Number(text);
  return field === 'weight' && value < 0 ? undefined : value;
}
