/** Whose call of an organization it was and which tags it had, each a link to the log of its like. */
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { ReactNode } from 'react';
import type { LogView } from '#contract/admin/logs.ts';
import { FROM_START, useLogSearch } from './use-log-search.ts';
import type { LogSearch } from './search.ts';

/** None of a call of a person. */
export function useAttribution(row: LogView): [name: string, value: ReactNode][] {
  const { t } = useTranslation('logs');
  const { t: ui } = useTranslation('ui');
  const [search] = useLogSearch();
  const to = (filter: Partial<LogSearch>, name: string) => (
    <Link key={name} to="/log" search={{ ...search, ...FROM_START, ...filter }} className="quiet-link">
      {name}
    </Link>
  );
  const { member_id, member_name, service_account_id, service_account_name, project_id, project_name } = row;
  const facts: ([string, ReactNode] | false)[] = [
    !!member_id &&
      !!member_name && [
        ui('holder.member'),
        to({ member: member_id, service_account: undefined }, member_name),
      ],
    !!service_account_id &&
      !!service_account_name && [
        ui('holder.service_account'),
        to({ service_account: service_account_id, member: undefined }, service_account_name),
      ],
    !!project_id && !!project_name && [ui('holder.project'), to({ project: project_id }, project_name)],
  ];
  const tags = tagsOf(row);
  if (tags.length > 0)
    facts.push([
      t('filter.tag'),
      <span key="tags" className="wrap8">
        {tags.map((tag) => to({ tag }, tag))}
      </span>,
    ]);
  return facts.filter((fact) => fact !== false);
}

/** As the filter takes them. */
export function tagsOf({ tags = '' }: Pick<LogView, 'tags'>): string[] {
  if (tags === '') return [];
  return Object.entries(JSON.parse(tags) as Record<string, string>).map(([key, value]) => `${key}=${value}`);
}
