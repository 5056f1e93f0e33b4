/** The virtual models: targets in order with their rules, price, who can call them; a row opens the page. */
import { ActionIcon, Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { IconDots, IconPencil, IconPower } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import type { VirtualModelView } from '#contract/relay/virtual-models.ts';
import { gridError } from '#web/api/errors.ts';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import { CardHead, CardLine } from '#web/ui/grid/card-line.tsx';
import { DataGrid } from '#web/ui/grid/data-grid.tsx';
import { addressProps, gridQuery } from '#web/ui/grid/search.ts';
import { AddButton, AddIcon } from '#web/ui/page/add-button.tsx';
import { Page } from '#web/ui/page/page.tsx';
import { isUnreachable, useTargetsText, virtualModelColumns, VirtualState } from './columns.tsx';
import { virtualModelQueries } from './queries.ts';
import { NO_EDITOR, useVirtualModelSearch } from './search.ts';
import { MoreActions, useVirtualModelActions } from './use-actions.tsx';

const Editor = lazy(() => import('./form/editor.tsx').then((file) => ({ default: file.VirtualModelEditor })));

export function VirtualModelList() {
  const { t } = useTranslation('virtual-models');
  const [search, change] = useVirtualModelSearch();
  const navigate = useNavigate();
  const targetsText = useTargetsText();
  const list = useQuery(virtualModelQueries.list());
  const all = list.data;
  const query = gridQuery(search);
  const wanted = search.q?.toLowerCase() ?? '';
  const found = all?.filter(({ name, targets }) =>
    [name, ...targets.map(({ model }) => model)].some((each) => each.toLowerCase().includes(wanted)),
  );
  const off = all?.filter(({ enabled }) => !enabled).length ?? 0;
  const unreachable = all?.filter(isUnreachable).length ?? 0;
  const openNew = () => change({ ...NO_EDITOR, new: 1 });
  const openPage = ({ name }: VirtualModelView, edit?: 1) =>
    void navigate({ to: '/virtual-model/$', params: { _splat: name }, search: { edit } });
  const menu = (model: VirtualModelView) => <RowMenu model={model} onEdit={() => openPage(model, 1)} />;
  const card = (model: VirtualModelView) => (
    <Card model={model} menu={menu(model)} targets={targetsText(model)} />
  );
  return (
    <Page
      title={t('title')}
      summary={[
        ...(all ? [{ value: all.length, label: t('summary.total') }] : []),
        ...(off > 0 ? [{ value: off, label: t('summary.off') }] : []),
        ...(unreachable > 0
          ? [{ value: unreachable, label: t('summary.unreachable'), tone: 'danger' as const }]
          : []),
      ]}
      actions={<AddButton label={t('add')} onClick={openNew} />}
      phoneAction={<AddIcon label={t('add')} onClick={openNew} />}
      drawer={
        search.new && all ? (
          <Suspense>
            <Editor
              key={search.copy ?? ''}
              model={undefined}
              copied={all.find(({ name }) => name === search.copy)}
              onClose={() => change(NO_EDITOR)}
            />
          </Suspense>
        ) : undefined
      }
    >
      <DataGrid
        name="virtual-models"
        label={t('list')}
        columns={virtualModelColumns(t, targetsText, menu)}
        rows={found?.slice((query.page - 1) * query.pageSize, query.page * query.pageSize)}
        total={found?.length ?? 0}
        rowId={({ id }) => String(id)}
        rowName={({ name }) => name}
        query={query}
        {...addressProps(search, change, t('search'))}
        onClearFilters={() => change({ q: undefined, page: undefined })}
        refreshing={list.isFetching && all !== undefined}
        error={gridError(list.error)}
        onRefresh={() => void list.refetch()}
        empty={
          <EmptyState
            title={t('empty')}
            text={t('emptyText')}
            action={<AddButton label={t('add')} onClick={openNew} />}
          />
        }
        fetchAll={async () => [...(found ?? [])]}
        onOpen={(model) => openPage(model)}
        onEdit={(model) => openPage(model, 1)}
        isMuted={({ enabled }) => !enabled}
        card={card}
      />
    </Page>
  );
}

function Card({ model, menu, targets }: { model: VirtualModelView; menu: React.ReactNode; targets: string }) {
  const { t } = useTranslation('virtual-models');
  return (
    <>
      <CardHead name={model.name}>
        <VirtualState model={model} />
        {menu}
      </CardHead>
      <CardLine>
        <span className="anywhere soft">{targets}</span>
      </CardLine>
      <CardLine>
        <span className="note">{t(`price.${model.price}`)}</span>
        <span className="note">{model.groups.join(' · ') || t('nobody')}</span>
      </CardLine>
    </>
  );
}

const SIZE = { size: 15, stroke: 1.6 };

function RowMenu({ model, onEdit }: { model: VirtualModelView; onEdit: () => void }) {
  const { t } = useTranslation('virtual-models');
  const { t: ui } = useTranslation('ui');
  const { toggle } = useVirtualModelActions();
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon size={24} aria-label={ui('grid.rowActions', { name: model.name })}>
          <IconDots {...SIZE} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconPencil {...SIZE} />} onClick={onEdit}>
          {t('action.edit')}
        </Menu.Item>
        <Menu.Item leftSection={<IconPower {...SIZE} />} onClick={() => toggle(model)}>
          {t(model.enabled ? 'action.turnOff' : 'action.turnOn')}
        </Menu.Item>
        <MoreActions model={model} />
      </Menu.Dropdown>
    </Menu>
  );
}
