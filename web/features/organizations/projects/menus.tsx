/** What may be done with a project and with a service account. */
import { ActionIcon, Menu } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { IconArchive, IconDots, IconKey, IconListDetails, IconPencil, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ProjectView, ServiceAccountView } from '#contract/admin/organization-projects.ts';
import { api } from '#web/api.ts';
import { ORGANIZATIONS_KEY } from '#web/api/holders.ts';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { toast } from '#web/ui/feedback/toast.tsx';

const SIZE = { size: 15, stroke: 1.6 };

function RowMenu({ name, isBusy, children }: { name: string; isBusy: boolean; children: ReactNode }) {
  const { t } = useTranslation('organizations');
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon size={24} aria-label={t('projects.menu', { name })} loading={isBusy}>
          <IconDots size={16} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}

function Ways({ search }: { search: { project: number } | { service_account: number } }) {
  const { t } = useTranslation('organizations');
  return (
    <>
      <Menu.Item
        leftSection={<IconKey {...SIZE} />}
        renderRoot={(props) => <Link {...props} to="/token" search={search} />}
      >
        {t('projects.action.keys')}
      </Menu.Item>
      <Menu.Item
        leftSection={<IconListDetails {...SIZE} />}
        renderRoot={(props) => <Link {...props} to="/log" search={search} />}
      >
        {t('projects.action.log')}
      </Menu.Item>
    </>
  );
}

interface ProjectMenuProps {
  project: ProjectView;
  manages: boolean;
  onEdit: () => void;
}

export function ProjectMenu({ project, manages, onEdit }: ProjectMenuProps) {
  const { t } = useTranslation('organizations');
  const client = useQueryClient();
  const { id, name, tokens: count, is_default, archived } = project;
  const archive = useMutation({
    mutationFn: () => api.projects.archive({ params: { id } }),
    onSuccess: () => toast.success(t('projects.archive.done', { name })),
    onSettled: () => client.invalidateQueries({ queryKey: ORGANIZATIONS_KEY }),
  });
  const ask = async () => {
    const sure = await confirm({
      title: t('projects.archive.title', { name }),
      body: t('projects.archive.body', { count }),
      confirmLabel: t('projects.archive.confirm'),
      danger: true,
    });
    if (sure) archive.mutate();
  };
  return (
    <RowMenu name={name} isBusy={archive.isPending}>
      <Ways search={{ project: id }} />
      {manages && !archived ? (
        <>
          <Menu.Divider />
          <Menu.Item leftSection={<IconPencil {...SIZE} />} onClick={onEdit}>
            {t('projects.action.edit')}
          </Menu.Item>
          {is_default ? null : (
            <Menu.Item data-danger leftSection={<IconArchive {...SIZE} />} onClick={() => void ask()}>
              {t('projects.action.archive')}
            </Menu.Item>
          )}
        </>
      ) : null}
    </RowMenu>
  );
}

export function AccountMenu({ account, manages }: { account: ServiceAccountView; manages: boolean }) {
  const { t } = useTranslation('organizations');
  const client = useQueryClient();
  const { id, name, tokens: count } = account;
  const remove = useMutation({
    mutationFn: () => api.serviceAccounts.remove({ params: { id } }),
    onSuccess: () => toast.success(t('projects.remove.done', { name })),
    onSettled: () => client.invalidateQueries({ queryKey: ORGANIZATIONS_KEY }),
  });
  const ask = async () => {
    const sure = await confirm({
      title: t('projects.remove.title', { name }),
      body: t('projects.remove.body', { count }),
      confirmLabel: t('projects.remove.confirm'),
      danger: true,
    });
    if (sure) remove.mutate();
  };
  return (
    <RowMenu name={name} isBusy={remove.isPending}>
      <Ways search={{ service_account: id }} />
      {manages ? (
        <>
          <Menu.Divider />
          <Menu.Item
            leftSection={<IconKey {...SIZE} />}
            renderRoot={(props) => (
              <Link {...props} to="/token" search={{ new: 1 as const, service_account: id }} />
            )}
          >
            {t('projects.action.key')}
          </Menu.Item>
          <Menu.Item data-danger leftSection={<IconTrash {...SIZE} />} onClick={() => void ask()}>
            {t('projects.action.remove')}
          </Menu.Item>
        </>
      ) : null}
    </RowMenu>
  );
}
