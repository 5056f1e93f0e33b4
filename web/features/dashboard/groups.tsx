/** In an organization: spend by member, service account, project, key, model or tag. What is not listed by name comes last. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { USAGE_GROUPS, type GroupedUsage, type UsageGroup } from '#contract/admin/dashboard.ts';
import { errorMessage } from '#web/api/errors.ts';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { Quota } from '#web/ui/format/amount.tsx';
import type { LogFilter } from './log-filter.ts';
import { Panel } from './panel.tsx';
import { groupsQuery, tagKeysQuery } from './queries.ts';
import { Ranking, type RankedLine } from './ranking.tsx';
import classes from './dashboard.module.css';

const SHOWN = 10;
const PLAIN = USAGE_GROUPS.filter((group) => group !== 'tag');

export function Groups({ filter }: { filter: LogFilter }) {
  const { t } = useTranslation('dashboard');
  const [chosen, setChosen] = useState<string>('member');
  const tags = useQuery(tagKeysQuery).data?.keys ?? [];
  const by = PLAIN.find((group) => group === chosen) ?? 'tag';
  const grouping: Grouping = { by, tag: by === 'tag' ? chosen.replace(/^tag:/, '') : '' };
  const { data, error, refetch } = useQuery(groupsQuery(filter, { ...grouping, limit: SHOWN }));
  const select = (
    <select
      className={classes.group}
      aria-label={t('groups.by')}
      value={chosen}
      onChange={(event) => setChosen(event.currentTarget.value)}
    >
      {PLAIN.map((group) => (
        <option key={group} value={group}>
          {t(`groups.${group}`)}
        </option>
      ))}
      {tags.map((tag) => (
        <option key={tag} value={`tag:${tag}`}>
          {t('groups.tag', { tag })}
        </option>
      ))}
    </select>
  );
  const words = { others: t('other'), none: t('groups.none'), playground: t('playground') };
  return (
    <Panel title={t('groups.title')} hint={select}>
      {error ? <ErrorState message={errorMessage(error)} onRetry={() => void refetch()} /> : null}
      {data ? (
        <Ranking label={t('groups.title')} filter={filter} lines={linesOf(data, grouping, words)} />
      ) : null}
      {data || error ? null : <Loading />}
    </Panel>
  );
}

interface Grouping {
  by: UsageGroup;
  /** Of the group `tag`. */
  tag: string;
}

interface Words {
  others: string;
  none: string;
  playground: string;
}

function linesOf({ rows, others, none }: GroupedUsage, grouping: Grouping, words: Words): RankedLine[] {
  const lineOf = (
    id: string,
    name: string,
    quota: number,
    search: RankedLine['search'],
    colour = 'var(--accent)',
  ): RankedLine => ({ id, name, value: quota, text: <Quota quota={quota} />, colour, search });
  const lines = rows.map(({ id, name, quota }) =>
    lineOf(
      `${id} ${name}`,
      name || (id === 0 ? words.playground : `#${id}`),
      quota,
      searchOf(grouping, id, name),
    ),
  );
  const rest = [
    { id: 'others', name: words.others, ...pick(others) },
    { id: 'none', name: words.none, ...pick(none) },
  ];
  return [
    ...lines,
    ...rest
      .filter(({ quota }) => quota !== 0)
      .map(({ id, name, quota }) => lineOf(id, name, quota, undefined, 'var(--bar)')),
  ];
}

const pick = ({ quota }: GroupedUsage['others']) => ({ quota });

function searchOf({ by, tag }: Grouping, id: number, name: string): RankedLine['search'] {
  if (by === 'model') return { model: name };
  if (by === 'token') return name === '' ? undefined : { token: name };
  return by === 'tag' ? { tag: `${tag}=${name}` } : { [by]: id };
}
