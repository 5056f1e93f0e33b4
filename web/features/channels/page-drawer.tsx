/** What stands beside the list: the simulator, a new channel, or one that is edited. */
import { lazy, Suspense } from 'react';
import { CHANNEL_STATUS, type ChannelType, type ChannelView } from '#contract/channel-fields.ts';
import { splitList } from './list/rows.ts';
import type { ChannelAddress } from './use-channel-search.ts';

/** Fetched while the list is being read, so that the first click finds it. */
export const loadDrawer = () => import('./form/channel-drawer.tsx');
const ChannelDrawer = lazy(() => loadDrawer().then((file) => ({ default: file.ChannelDrawer })));
const RouteDrawer = lazy(() => import('./route-drawer.tsx').then((file) => ({ default: file.RouteDrawer })));

interface PageDrawerProps {
  address: ChannelAddress;
  /** On the page: their models and tags are offered. */
  channels: readonly ChannelView[] | undefined;
  types: readonly ChannelType[] | undefined;
  groups: readonly string[] | undefined;
}

export function pageDrawer({ address, channels, types, groups }: PageDrawerProps) {
  const { search, change, drawer, open } = address;
  if (search.simulate) {
    // The first of them is asked about at once: one that is served is the better example.
    const servingFirst = channels?.toSorted(
      (left, right) =>
        Number(right.status === CHANNEL_STATUS.enabled) - Number(left.status === CHANNEL_STATUS.enabled),
    );
    const models = [...new Set(servingFirst?.flatMap((channel) => splitList(channel.models)))];
    return (
      <Suspense>
        <RouteDrawer
          models={models}
          groups={groups}
          types={types}
          onOpenChannel={open}
          onClose={() => change({ simulate: undefined })}
        />
      </Suspense>
    );
  }
  if (drawer === undefined) return undefined;
  const tags = [...new Set(channels?.flatMap((channel) => (channel.tag ? [channel.tag] : [])))];
  return (
    <Suspense>
      <ChannelDrawer
        open={drawer}
        types={types}
        groups={groups}
        tags={tags}
        onClose={() => open(undefined)}
      />
    </Suspense>
  );
}
