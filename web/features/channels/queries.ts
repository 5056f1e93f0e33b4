/** Queries of the channel page. */
import { keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query';
import { CHANNEL_SORTS, type ChannelType, type ChannelView } from '#contract/relay/channel-fields.ts';
import { MAX_PAGE_SIZE } from '#contract/lists.ts';
import type { ThingWindow } from '#contract/thing-window.ts';
import { api } from '#web/api.ts';
import type { GridQuery } from '#web/ui/grid/types.ts';
import type { ChannelSearch } from './search.ts';

export type ChannelFilter = Pick<ChannelSearch, 'q' | 'model' | 'group' | 'type' | 'status' | 'tag'>;

export interface ListModes {
  idSort: boolean;
  tagMode: boolean;
}

/** The page of a channel is read again while one looks at it. */
const PAGE_MILLISECONDS = 60_000;
const WEEK_DAYS = 7;

const flag = (on: boolean) => (on ? ('true' as const) : undefined);

function sortOf({ sort }: Pick<GridQuery, 'sort'>) {
  const key = CHANNEL_SORTS.find((each) => each === sort?.key);
  return key ? { sort: key, order: sort?.order } : {};
}

function fetchPage(
  filter: ChannelFilter,
  modes: ListModes,
  query: Pick<GridQuery, 'page' | 'pageSize' | 'sort'>,
  signal?: AbortSignal,
) {
  const { q, model, group, type, status, tag } = filter;
  const shared = {
    p: query.page - 1,
    page_size: query.pageSize,
    id_sort: flag(modes.idSort),
    tag_mode: flag(modes.tagMode),
    type,
    status,
    tag,
    ...sortOf(query),
  };
  return q || model || group
    ? api.channels.search({ query: { ...shared, keyword: q, model, group }, signal })
    : api.channels.list({ query: shared, signal });
}

export type ChannelPage = Awaited<ReturnType<typeof fetchPage>>;

export const CHANNELS_KEY = ['channels'] as const;

export const channelQueries = {
  list: (filter: ChannelFilter, modes: ListModes, query: GridQuery) =>
    queryOptions({
      queryKey: [...CHANNELS_KEY, 'list', filter, modes, query],
      queryFn: ({ signal }) => fetchPage(filter, modes, query, signal),
      placeholderData: keepPreviousData,
    }),
  one: (id: number) =>
    queryOptions({
      queryKey: [...CHANNELS_KEY, 'one', id],
      queryFn: ({ signal }) => api.channels.read({ params: { id }, signal }),
    }),
  page: (id: number, window: ThingWindow) =>
    queryOptions({
      queryKey: [...CHANNELS_KEY, 'page', id, window],
      queryFn: ({ signal }) => api.channelPages.read({ params: { id }, query: { window }, signal }),
      placeholderData: keepPreviousData,
      refetchInterval: PAGE_MILLISECONDS,
    }),
  route: (model: string, group: string) =>
    queryOptions({
      queryKey: [...CHANNELS_KEY, 'route', model, group],
      queryFn: ({ signal }) => api.channels.route({ query: { model, group }, signal }),
      enabled: model !== '' && group !== '',
    }),
  /** Names that callers use for one of several models. */
  virtualModels: () =>
    queryOptions({
      queryKey: ['virtual-models', 'list'],
      queryFn: ({ signal }) => api.virtualModels.list({ signal }),
    }),
  suppliers: () =>
    queryOptions({
      queryKey: [...CHANNELS_KEY, 'suppliers'],
      queryFn: ({ signal }) => api.channelCosts.suppliers({ signal }),
    }),
  /** Margins of the last seven days, by channel. */
  weekMargins: () =>
    queryOptions({
      queryKey: [...CHANNELS_KEY, 'week-margins'],
      queryFn: ({ signal }) => api.margins.report({ query: { by: 'channel', days: WEEK_DAYS }, signal }),
      staleTime: 60_000,
    }),
  unpriced: () =>
    queryOptions({
      queryKey: [...CHANNELS_KEY, 'unpriced'],
      queryFn: ({ signal }) => api.channels.unpriced({ signal }),
    }),
  types: () =>
    queryOptions({
      queryKey: ['channel-types'],
      queryFn: ({ signal }) => api.channels.types({ signal }),
      staleTime: 10 * 60_000,
    }),
  groups: () =>
    queryOptions({
      queryKey: ['group-names'],
      queryFn: ({ signal }) => api.channels.groups({ signal }),
      staleTime: 60_000,
    }),
  testRun: () =>
    queryOptions({
      queryKey: ['channel-test-run'],
      queryFn: ({ signal }) => api.channelUpstream.testRun({ signal }),
      refetchInterval: (query) => (query.state.data?.running ? 1000 : false),
    }),
};

/** Changes rows of the loaded lists in place; their order stays until the list is read again. */
export function changeListed(
  client: QueryClient,
  isChanged: (channel: ChannelView) => boolean,
  change: Partial<ChannelView>,
): void {
  client.setQueriesData<ChannelPage>({ queryKey: [...CHANNELS_KEY, 'list'] }, (page) =>
    page
      ? { ...page, data: page.data.map((each) => (isChanged(each) ? { ...each, ...change } : each)) }
      : page,
  );
}

/** Every channel of the filter, for the export and "select all". */
export async function fetchAllChannels(filter: ChannelFilter, modes: ListModes): Promise<ChannelView[]> {
  const all: ChannelView[] = [];
  // Bounded: at most ten thousand channels.
  for (let page = 1; page <= 100; page += 1) {
    const { data, total } = await fetchPage(
      filter,
      { ...modes, tagMode: false },
      { page, pageSize: MAX_PAGE_SIZE },
    );
    all.push(...data);
    if (data.length === 0 || all.length >= total) break;
  }
  return all;
}

export type TypeLookup = (type: number) => ChannelType | undefined;

export function typeLookup(types: readonly ChannelType[] | undefined): TypeLookup {
  const byNumber = new Map(types?.map((each) => [each.type, each]));
  return (type) => byNumber.get(type);
}
