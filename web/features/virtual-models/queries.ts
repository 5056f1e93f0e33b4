/** Queries of virtual models. */
import { queryOptions } from '@tanstack/react-query';
import type { ThingWindow } from '#contract/thing-window.ts';
import { api } from '#web/api.ts';

export const VIRTUAL_MODELS_KEY = ['virtual-models'] as const;
const KEPT_MILLISECONDS = 60_000;

export const virtualModelQueries = {
  list: () =>
    queryOptions({
      queryKey: [...VIRTUAL_MODELS_KEY, 'list'],
      queryFn: ({ signal }) => api.virtualModels.list({ signal }),
    }),
  page: (name: string) =>
    queryOptions({
      queryKey: [...VIRTUAL_MODELS_KEY, 'page', name],
      queryFn: ({ signal }) => api.virtualModels.page({ query: { name }, signal }),
    }),
  /** Calls that were priced as the name itself. */
  calls: (name: string, window: ThingWindow) =>
    queryOptions({
      queryKey: [...VIRTUAL_MODELS_KEY, 'calls', name, window],
      queryFn: ({ signal }) => api.modelPages.read({ query: { name, window }, signal }),
      refetchInterval: KEPT_MILLISECONDS,
    }),
  /** Names of the models that channels have. */
  models: () =>
    queryOptions({
      queryKey: ['virtual-model-targets'],
      queryFn: async ({ signal }) => {
        const { rows } = await api.modelPages.list({ signal });
        return rows.filter(({ all_channels }) => all_channels > 0).map(({ model }) => model);
      },
      staleTime: KEPT_MILLISECONDS,
    }),
  groups: () =>
    queryOptions({
      queryKey: ['group-names'],
      queryFn: ({ signal }) => api.channels.groups({ signal }),
      staleTime: KEPT_MILLISECONDS,
    }),
};
