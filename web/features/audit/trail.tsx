/** The audit trail as a list, newest first: filters, the details of a row in words, and the export. */
import { Button, Menu } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { IconDownload } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { AuditView } from '#contract/admin/audit.ts';
import { EXPORT_FORMATS } from '#contract/lists.ts';
import { gridError } from '#web/api/errors.ts';
import { useAddress } from '#web/ui/address/use-address.ts';
import { useAuditWords } from '#web/ui/audit/words.ts';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import { DataGrid } from '#web/ui/grid/data-grid.tsx';
import { gridQuery, searchOfQuery } from '#web/ui/grid/search.ts';
import type { GridQuery } from '#web/ui/grid/types.ts';
import { Page } from '#web/ui/page/page.tsx';
import { auditColumns } from './columns.tsx';
import { AuditCard, Detail } from './detail.tsx';
import { downloadAudit, type ExportFormat } from './export.ts';
import { useAuditFacets, type Offered } from './facets.tsx';
import { auditQueries, type AuditFilter, type AuditScope } from './queries.ts';
import { auditSearch, FIRST_PAGE } from './search.ts';

interface AuditTrailProps {
  scope: AuditScope;
  offered: Offered;
  emptyText: string;
  /** Above the list, and in its toolbar. */
  before?: ReactNode;
  notice?: ReactNode;
}

export function AuditTrail({ scope, offered, emptyText, before, notice }: AuditTrailProps) {
  const { t } = useTranslation('audit');
  const [search, change] = useAddress(auditSearch);
  const { actor, action, target, range } = search;
  const filter: AuditFilter = { actor, action, target, range };
  const query = gridQuery(search);
  const place = { before: search.before, after: search.after, size: query.pageSize };
  const list = useQuery(auditQueries.list(scope, filter, place));
  const facets = useAuditFacets(search, change, offered);
  const rows = list.data?.items;
  const names = list.data?.names ?? {};
  const words = useAuditWords(names);
  const only = (part: Partial<AuditFilter>) => change({ ...FIRST_PAGE, ...part });
  const toggle = ({ id }: AuditView) =>
    change({ open: search.open === id ? undefined : id }, { replace: true });
  const detail = (row: AuditView) => <Detail row={row} names={names} scope={scope} onFilter={only} />;

  const card = (row: AuditView) => (
    <AuditCard row={row} names={names} scope={scope}>
      {search.open === row.id ? detail(row) : null}
    </AuditCard>
  );

  /** The next page starts after the last row of this one; the previous page ends before its first. */
  const turn = (next: Partial<GridQuery>) => {
    if (next.pageSize !== undefined) change({ ...FIRST_PAGE, ...searchOfQuery({ pageSize: next.pageSize }) });
    else if (next.page === undefined || next.page <= 1) change(FIRST_PAGE);
    else if (next.page > query.page) change({ ...FIRST_PAGE, page: next.page, before: rows?.at(-1)?.id });
    else change({ ...FIRST_PAGE, page: next.page, after: rows?.[0]?.id });
  };

  return (
    <Page title={t('title')} actions={<ExportMenu scope={scope} filter={filter} />}>
      {before}
      <DataGrid
        name="audit"
        label={t('list')}
        columns={auditColumns(t, words, { names, scope })}
        rows={rows}
        total={list.data?.total ?? 0}
        rowId={(row) => String(row.id)}
        rowName={(row) => `${words.action(row.action)} ${row.target}`}
        query={query}
        onQueryChange={turn}
        search={{
          value: actor ?? '',
          onChange: (text) => change({ ...FIRST_PAGE, actor: text || undefined }, { replace: true }),
          placeholder: t('actor'),
        }}
        facets={facets}
        onClearFilters={() =>
          only({ actor: undefined, action: undefined, target: undefined, range: undefined })
        }
        notice={notice}
        refreshing={list.isFetching && rows !== undefined}
        error={gridError(list.error)}
        onRefresh={() => void list.refetch()}
        empty={<EmptyState title={t('empty.title')} text={emptyText} />}
        onOpen={toggle}
        openRowId={String(search.open ?? '')}
        card={card}
        detail={detail}
        detailRowId={search.open === undefined ? undefined : String(search.open)}
      />
    </Page>
  );
}

function ExportMenu({ scope, filter }: { scope: AuditScope; filter: AuditFilter }) {
  const { t } = useTranslation('audit');
  const save = useMutation({ mutationFn: (format: ExportFormat) => downloadAudit(scope, filter, format) });
  return (
    <Menu>
      <Menu.Target>
        <Button
          variant="default"
          leftSection={<IconDownload size={15} stroke={1.6} />}
          loading={save.isPending}
        >
          {t('export.label')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {EXPORT_FORMATS.map((format) => (
          <Menu.Item key={format} onClick={() => save.mutate(format)}>
            {t(`export.${format}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
