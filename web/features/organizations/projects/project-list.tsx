/** The projects: what they bound, how many keys they have. Archived ones on demand. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ProjectView } from '#contract/admin/organization-projects.ts';
import { modelLimitList } from '#contract/admin/tokens.ts';
import { gridError } from '#web/api/errors.ts';
import { holderQueries } from '#web/api/holders.ts';
import type { ChangeAddress } from '#web/ui/address/use-address.ts';
import { Tag } from '#web/ui/badge/tag.tsx';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import { Count } from '#web/ui/format/amount.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import { CardHead, CardLine } from '#web/ui/grid/card-line.tsx';
import { menuColumn } from '#web/ui/grid/columns.ts';
import { DataGrid } from '#web/ui/grid/data-grid.tsx';
import { gridQuery, searchOfQuery } from '#web/ui/grid/search.ts';
import type { GridColumn } from '#web/ui/grid/types.ts';
import type { ProjectSearch } from '#web/features/organizations/search.ts';
import { ProjectMenu } from './menus.tsx';

export interface ListProps {
  search: ProjectSearch;
  change: ChangeAddress<ProjectSearch>;
  manages: boolean;
}

export function ProjectList({ search, change, manages }: ListProps) {
  const { t } = useTranslation('organizations');
  const query = gridQuery(search);
  const list = useQuery(holderQueries.projects());
  const rows = list.data?.filter(({ archived }) => search.archived || !archived);
  const from = (query.page - 1) * query.pageSize;
  const edit = ({ id, archived }: ProjectView) => {
    if (manages && !archived) change({ edit: id, new: undefined });
  };
  const menu = (project: ProjectView) => (
    <ProjectMenu project={project} manages={manages} onEdit={() => edit(project)} />
  );
  const card = (project: ProjectView) => (
    <>
      <CardHead name={<ProjectName project={project} />}>{menu(project)}</CardHead>
      <CardLine>
        <span className="cut">
          <span className="muted">{t('projects.column.models')}</span> <Models project={project} />
        </span>
        <span className="nowrap">
          {t('projects.column.tokens')} {project.tokens}
        </span>
      </CardLine>
    </>
  );
  return (
    <DataGrid
      name="projects"
      label={t('projects.title')}
      columns={useProjectColumns(menu)}
      rows={rows?.slice(from, from + query.pageSize)}
      total={rows?.length ?? 0}
      rowId={({ id }) => String(id)}
      rowName={({ name }) => name}
      query={query}
      onQueryChange={(next) => change(searchOfQuery(next))}
      facets={[
        {
          id: 'archived',
          label: t('projects.state'),
          options: [{ value: 'archived', label: t('projects.withArchived') }],
          value: search.archived ? ['archived'] : [],
          onChange: ([value]) => change({ archived: value === 'archived' || undefined, page: undefined }),
        },
      ]}
      onClearFilters={() => change({ archived: undefined, page: undefined })}
      refreshing={list.isFetching && list.data !== undefined}
      error={gridError(list.error)}
      onRefresh={() => void list.refetch()}
      empty={<EmptyState title={t('projects.empty')} text={t('projects.emptyText')} />}
      onOpen={edit}
      openRowId={String(search.edit ?? '')}
      isMuted={({ archived }) => archived}
      card={card}
    />
  );
}

function ProjectName({ project: { name, is_default, archived } }: { project: ProjectView }) {
  const { t } = useTranslation('organizations');
  return (
    <span className="row6 shrink">
      <b className="cut" title={name}>
        {name}
      </b>
      {is_default ? <Tag>{t('projects.usual')}</Tag> : null}
      {archived ? <Tag>{t('projects.archived')}</Tag> : null}
    </span>
  );
}

function Models({ project: { models } }: { project: ProjectView }) {
  const { t } = useTranslation('organizations');
  const count = modelLimitList(models).length;
  if (count === 0) return <span className="muted">{t('projects.all')}</span>;
  return <span title={models}>{t('projects.count', { count })}</span>;
}

function Addresses({ project: { allow_ips } }: { project: ProjectView }) {
  const { t } = useTranslation('organizations');
  const count = allow_ips.split('\n').filter((line) => line.trim() !== '').length;
  if (count === 0) return <span className="muted">{t('projects.all')}</span>;
  return <span title={allow_ips}>{t('projects.lines', { count })}</span>;
}

function useProjectColumns(menu: (project: ProjectView) => ReactNode): GridColumn<ProjectView>[] {
  const { t } = useTranslation('organizations');
  return [
    {
      id: 'name',
      header: t('projects.column.name'),
      minWidth: 180,
      fixed: true,
      cell: (project) => <ProjectName project={project} />,
      csv: ({ name }) => name,
      skeleton: 'text',
    },
    {
      id: 'models',
      header: t('projects.column.models'),
      width: 120,
      cell: (project) => <Models project={project} />,
      csv: ({ models }) => models,
      skeleton: 'text',
    },
    {
      id: 'addresses',
      header: t('projects.column.addresses'),
      width: 120,
      leaves: 2,
      cell: (project) => <Addresses project={project} />,
      csv: ({ allow_ips }) => allow_ips.replaceAll('\n', ' '),
      skeleton: 'text',
    },
    {
      id: 'tokens',
      header: t('projects.column.tokens'),
      width: 96,
      align: 'right',
      cell: ({ tokens }) => <Count value={tokens} />,
      csv: ({ tokens }) => tokens,
      skeleton: 'number',
    },
    {
      id: 'created',
      header: t('projects.column.created'),
      width: 142,
      leaves: 1,
      cell: ({ created_at }) => <Moment timestamp={created_at} absolute />,
      skeleton: 'text',
    },
    menuColumn(t('projects.column.actions'), menu),
  ];
}
