/** The drawer beside the list: the simulator, a new channel, or one that is edited. */
import { lazy, Suspense } from 'react';
import { CHANNEL_STATUS, type ChannelType, type ChannelView } from '#contract/relay/channel-fields.ts';
import { splitList } from './list/rows.ts';
import type { ChannelAddress } from './use-channel-search.ts';

/** Prefetched while the user reads the list, so that the first click opens at once. */
export const loadDrawer = () => import('./form/channel-drawer.tsx');
const ChannelDrawer = lazy(() => loadDrawer().then((file) => ({ default: file.ChannelDrawer })));
const QuickDrawer = lazy(() =>
  import('./quick/quick-drawer.tsx').then((file) => ({ default: file.QuickDrawer })),
);
const SuppliersDrawer = lazy(() =>
  import('./suppliers/suppliers-drawer.tsx').then((file) => ({ default: file.SuppliersDrawer })),
);
const RouteDrawer = lazy(() => import('./route-drawer.tsx').then((file) => ({ default: file.RouteDrawer })));

interface PageDrawerProps {
  address: ChannelAddress;
  /** Channels of the page; the drawer offers their models and tags. */
  channels: readonly ChannelView[] | undefined;
  types: readonly ChannelType[] | undefined;
  groups: readonly string[] | undefined;
}

export function pageDrawer({ address, channels, types, groups }: PageDrawerProps) {
  const { search, change, drawer, open } = address;
  if (search.simulate) {
    // The simulator starts with a model that a channel serves.
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
  if (search.suppliers && drawer === undefined)
    return (
      <Suspense>
        <SuppliersDrawer onClose={() => change({ suppliers: undefined })} />
      </Suspense>
    );
  if (search.quick && drawer === undefined && types !== undefined)
    return (
      <Suspense>
        <QuickDrawer
          types={types}
          groups={groups}
          onExpert={() => open('add')}
          onClose={() => change({ quick: undefined })}
        />
      </Suspense>
    );
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
