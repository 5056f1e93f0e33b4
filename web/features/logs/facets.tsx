/** The filters of the log. The options are the values that occur in the range; any other can be typed. */
import { useTranslation } from 'react-i18next';
import { FAILURE_CAUSES } from '#contract/relay/failures.ts';
import { LOG_TYPE, type LogFacets } from '#contract/admin/logs.ts';
import { useHolderFacets } from '#web/api/holder-facets.ts';
import type { Facet } from '#web/ui/filter/filter-bar.tsx';
import { groupOption } from '#web/ui/filter/group-facet.tsx';
import { rangeFacet } from '#web/ui/range/range-facet.ts';
import { typeName } from './cells.tsx';
import { QUICK_RANGES } from './range.ts';
import type { LogSearch } from './search.ts';
import { FROM_START, type ChangeSearch } from './use-log-search.ts';

interface FacetInput {
  search: LogSearch;
  change: ChangeSearch;
  offered: LogFacets | undefined;
  admin: boolean;
  onCustomRange: () => void;
}

/** The chosen value is always an option, so that it shows as chosen. */
function withChosen(options: readonly string[], chosen: readonly string[]): string[] {
  return [...new Set([...chosen, ...options])];
}

export function useLogFacets({ search, change, offered, admin, onCustomRange }: FacetInput): Facet[] {
  const { t } = useTranslation('logs');
  const { t: common } = useTranslation('ui');
  const set = (next: Partial<LogSearch>) => change({ ...next, ...FROM_START });
  const models = search.model?.split(',').filter(Boolean) ?? [];
  const one = (value: string | undefined) => (value === undefined ? [] : [value]);
  const plain = (value: string) => ({ value, label: value });

  const facets: (Facet | false)[] = [
    rangeFacet({
      search,
      names: QUICK_RANGES,
      words: {
        label: t('filter.range'),
        standard: t('range.default'),
        custom: t('range.custom'),
        nameOf: (name) => t(`range.${name}`),
      },
      onCustom: onCustomRange,
      onChange: set,
    }),
    {
      id: 'type',
      label: t('filter.type'),
      options: Object.values(LOG_TYPE)
        .filter((type) => type !== LOG_TYPE.all)
        .map((type) => ({ value: String(type), label: t(`type.${typeName(type)}`) })),
      value: search.type === undefined ? [] : [String(search.type)],
      // Only failures have a cause.
      onChange: ([value]) => set({ type: value ? Number(value) : undefined, cause: undefined }),
    },
    (search.type === LOG_TYPE.error || search.cause !== undefined) && {
      id: 'cause',
      label: t('filter.cause'),
      options: FAILURE_CAUSES.map((cause) => ({ value: cause, label: common(`cause.${cause}`) })),
      value: one(search.cause),
      onChange: ([value]) =>
        set({ type: LOG_TYPE.error, cause: FAILURE_CAUSES.find((cause) => cause === value) }),
    },
    {
      id: 'model',
      label: t('filter.model'),
      typed: t('filter.typedModel'),
      multiple: true,
      options: withChosen(offered?.models ?? [], models).map(plain),
      value: models,
      onChange: (value) => set({ model: value.length > 0 ? value.join(',') : undefined }),
    },
    {
      id: 'token',
      label: t('filter.token'),
      typed: t('filter.typedToken'),
      options: withChosen(offered?.tokens ?? [], one(search.token)).map(plain),
      value: one(search.token),
      onChange: ([value]) => set({ token: value }),
    },
    {
      id: 'group',
      label: t('filter.group'),
      typed: t('filter.typedGroup'),
      options: withChosen(offered?.groups ?? [], one(search.group)).map(groupOption),
      value: one(search.group),
      onChange: ([value]) => set({ group: value }),
    },
    admin && {
      id: 'user',
      label: t('filter.user'),
      typed: t('filter.typedUser'),
      options: one(search.user).map(plain),
      value: one(search.user),
      onChange: ([value]) => set({ user: value }),
    },
    admin && channelFacet(),
  ];
  const holders = useHolderFacets(search, 'usage.all', set);
  const tags = withChosen(offered?.tags ?? [], one(search.tag));
  const tag: Facet = {
    id: 'tag',
    label: t('filter.tag'),
    typed: t('filter.typedTag'),
    options: tags.map(plain),
    value: one(search.tag),
    onChange: ([value]) => set({ tag: value }),
  };
  return [...facets.filter((facet) => facet !== false), ...holders, ...(tags.length > 0 ? [tag] : [])];

  function channelFacet(): Facet {
    const known = offered?.channels ?? [];
    const chosen = search.channel === undefined ? [] : [String(search.channel)];
    const ids = withChosen(
      known.map(({ id }) => String(id)),
      chosen,
    );
    return {
      id: 'channel',
      label: t('filter.channel'),
      typed: t('filter.typedChannel'),
      options: ids.map((id) => {
        const name = known.find((channel) => String(channel.id) === id)?.name;
        return { value: id, label: name ? `#${id} ${name}` : `#${id}` };
      }),
      value: chosen,
      onChange: ([value = '']) => {
        const typed = value.replace(/^#/, '').toLowerCase();
        const id = /^\d+$/.test(typed)
          ? Number(typed)
          : known.find(({ name }) => typed !== '' && name.toLowerCase().includes(typed))?.id;
        set({ channel: id || undefined });
      },
    };
  }
}
