/** Named filters: a few built-in ones, and those the user saved. */
import { useTranslation } from 'react-i18next';
import { LOG_TYPE } from '#contract/admin/logs.ts';
import { SavedViewMenu } from '#web/ui/preferences/saved-view-menu.tsx';
import { useSavedViews } from '#web/ui/preferences/saved-views.ts';
import { logSearch, type LogSearch } from './search.ts';
import { NO_FILTER, type ChangeSearch } from './use-log-search.ts';

const FILTERS = [
  'from',
  'to',
  'range',
  'type',
  'model',
  'token',
  'group',
  'request',
  'user',
  'channel',
] as const;
type View = Pick<LogSearch, (typeof FILTERS)[number]>;

/** Only the filter: not the page, not the open row. */
export function viewOf(search: LogSearch): View {
  return Object.fromEntries(
    FILTERS.filter((name) => search[name] !== undefined).map((name) => [name, search[name]]),
  );
}

export function readView(value: unknown): View | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return viewOf(logSearch.parse(value as Record<string, unknown>));
}

const GIVEN: { id: 'errorsToday' | 'lastHour' | 'topUps'; view: View }[] = [
  { id: 'errorsToday', view: { type: LOG_TYPE.error, range: 'today' } },
  { id: 'lastHour', view: { range: 'hour' } },
  { id: 'topUps', view: { type: LOG_TYPE.topUp, range: 'month' } },
];

export function LogViews({ search, change }: { search: LogSearch; change: ChangeSearch }) {
  const { t } = useTranslation('logs');
  const { list, save, remove } = useSavedViews('log-views', readView);
  const choose = (view: View) => () => change({ ...NO_FILTER, ...view });
  return (
    <SavedViewMenu
      label={t('views.label')}
      placeholder={t('views.name')}
      given={GIVEN.map(({ id, view }) => ({ id, name: t(`views.${id}`), onChoose: choose(view) }))}
      saved={list.map(({ name, value }) => ({
        name,
        onChoose: choose(value),
        onRemove: () => remove(name),
      }))}
      onSave={(name) => save(name, viewOf(search))}
    />
  );
}
