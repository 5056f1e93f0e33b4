/** Rows of the list: channels, or channels grouped under their tags. */
import { CHANNEL_STATUS, type ChannelView } from '#contract/relay/channel-fields.ts';

export interface ChannelRow {
  kind: 'channel';
  id: string;
  channel: ChannelView;
  /** Its position below a tag. */
  place?: 'middle' | 'last';
}

export interface TagRow {
  kind: 'tag';
  id: string;
  tag: string;
  channels: readonly ChannelView[];
  isOpen: boolean;
  /** Enabled if any child is. */
  status: number;
  enabled: number;
  /** Undefined: the children differ. */
  priority: number | undefined;
  weight: number | undefined;
  groups: readonly string[];
  models: readonly string[];
  usedQuota: number;
  /** Mean of the tested children in milliseconds; 0 when none was tested. */
  responseTime: number;
  health: ChannelView['health'];
}

export type ListRow = ChannelRow | TagRow;

export function splitList(text: string): string[] {
  return text
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);
}

export function channelRows(channels: readonly ChannelView[]): ListRow[] {
  return channels.map((channel) => ({ kind: 'channel', id: String(channel.id), channel }));
}

/** Tags in the order of their first channel, untagged channels as rows of their own after them. */
export function tagRows(channels: readonly ChannelView[], closed: ReadonlySet<string>): ListRow[] {
  const tags = new Map<string, ChannelView[]>();
  const singles: ChannelView[] = [];
  for (const channel of channels) {
    if (!channel.tag) singles.push(channel);
    else tags.set(channel.tag, [...(tags.get(channel.tag) ?? []), channel]);
  }
  const grouped = [...tags].flatMap(([tag, children]): ListRow[] => {
    const parent = tagRow(tag, children, !closed.has(tag));
    if (!parent.isOpen) return [parent];
    return [
      parent,
      ...children.map((channel, index): ChannelRow => ({
        kind: 'channel',
        id: String(channel.id),
        channel,
        place: index === children.length - 1 ? 'last' : 'middle',
      })),
    ];
  });
  return [...grouped, ...channelRows(singles)];
}

export function tagRow(tag: string, channels: readonly ChannelView[], isOpen: boolean): TagRow {
  const enabled = channels.filter((channel) => channel.status === CHANNEL_STATUS.enabled).length;
  const tested = channels.filter((channel) => channel.response_time > 0);
  return {
    kind: 'tag',
    id: `tag:${tag}`,
    tag,
    channels,
    isOpen,
    enabled,
    status: enabled > 0 ? CHANNEL_STATUS.enabled : CHANNEL_STATUS.disabled,
    priority: common(channels.map((channel) => channel.priority)),
    weight: common(channels.map((channel) => channel.weight)),
    groups: [...new Set(channels.flatMap((channel) => splitList(channel.group)))],
    models: [...new Set(channels.flatMap((channel) => splitList(channel.models)))],
    usedQuota: channels.reduce((sum, channel) => sum + channel.used_quota, 0),
    responseTime:
      tested.length === 0
        ? 0
        : Math.round(tested.reduce((sum, channel) => sum + channel.response_time, 0) / tested.length),
    health: sumHealth(channels.map((channel) => channel.health)),
  };
}

/** The channels of some rows: a tag includes all of its channels. */
export function channelsOf(rows: readonly ListRow[]): ChannelView[] {
  const found = new Map<number, ChannelView>();
  for (const row of rows) {
    for (const channel of row.kind === 'tag' ? row.channels : [row.channel]) found.set(channel.id, channel);
  }
  return [...found.values()];
}

function common(values: readonly number[]): number | undefined {
  return values.every((value) => value === values[0]) ? values[0] : undefined;
}

function sumHealth(strips: readonly ChannelView['health'][]): ChannelView['health'] {
  return Array.from({ length: 24 }, (_, hour) => ({
    calls: strips.reduce((sum, strip) => sum + (strip[hour]?.calls ?? 0), 0),
    errors: strips.reduce((sum, strip) => sum + (strip[hour]?.errors ?? 0), 0),
  }));
}
