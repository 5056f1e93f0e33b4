/** Groups of the provider, and the role and projects that each gives. */
import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SignOnGroup } from '#contract/admin/sign-on.ts';
import { api } from '#web/api.ts';
import { holderQueries, ORGANIZATIONS_KEY } from '#web/api/holders.ts';
import { Tag } from '#web/ui/badge/tag.tsx';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { useRoleName } from '#web/features/organizations/role-words.ts';
import { GroupDialog } from './group-dialog.tsx';

interface GroupsProps {
  groups: readonly SignOnGroup[];
  manages: boolean;
}

export function Groups({ groups, manages }: GroupsProps) {
  const { t } = useTranslation('organizations');
  const [edited, setEdited] = useState<SignOnGroup | 'new'>();
  return (
    <div className="stack12">
      {groups.length === 0 ? <p className="soft">{t('signOn.noGroups')}</p> : null}
      {groups.map((group) => (
        <Group key={group.id} group={group} manages={manages} onEdit={() => setEdited(group)} />
      ))}
      {manages ? (
        <div>
          <Button variant="default" onClick={() => setEdited('new')}>
            {t('signOn.addGroup')}
          </Button>
        </div>
      ) : null}
      {edited === undefined ? null : (
        <GroupDialog group={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
    </div>
  );
}

interface GroupProps {
  group: SignOnGroup;
  manages: boolean;
  onEdit: () => void;
}

function Group({ group, manages, onEdit }: GroupProps) {
  const { t } = useTranslation('organizations');
  const { name, by_scim, members } = group;
  return (
    <div className="row8 between">
      <div className="shrink">
        <p className="row6">
          <b className="anywhere">{name}</b>
          {by_scim ? <Tag>SCIM</Tag> : null}
        </p>
        <p className="note">
          <Given group={group} />
          {by_scim ? ` · ${t('signOn.people', { count: members })}` : null}
        </p>
      </div>
      {manages ? <Actions group={group} onEdit={onEdit} /> : null}
    </div>
  );
}

function Given({ group: { role, project_ids } }: { group: SignOnGroup }) {
  const { t } = useTranslation('organizations');
  const roleName = useRoleName();
  const projects = useQuery(holderQueries.projects()).data ?? [];
  if (role === '' && project_ids.length === 0) return t('signOn.givesNothing');
  const names = project_ids.map((id) => projects.find((project) => project.id === id)?.name ?? String(id));
  const words = [
    role === '' ? t('signOn.usualRole') : roleName(role),
    names.length === 0 ? t('signOn.allProjects') : names.join(', '),
  ];
  return words.join(' · ');
}

function Actions({ group, onEdit }: Omit<GroupProps, 'manages'>) {
  const { t } = useTranslation('organizations');
  const client = useQueryClient();
  const { id, name } = group;
  const remove = useMutation({
    mutationFn: () => api.organizationSignOn.removeGroup({ params: { id } }),
    onSettled: () => client.invalidateQueries({ queryKey: ORGANIZATIONS_KEY }),
  });
  const ask = async () => {
    const sure = await confirm({
      title: t('signOn.removeGroup', { name }),
      body: t('signOn.removeGroupText'),
      confirmLabel: t('signOn.remove'),
      danger: true,
    });
    if (sure) remove.mutate();
  };
  return (
    <span className="row6">
      <Tooltip label={t('signOn.editGroup', { name })}>
        <ActionIcon aria-label={t('signOn.editGroup', { name })} onClick={onEdit}>
          <IconPencil size={15} stroke={1.6} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={t('signOn.removeGroup', { name })}>
        <ActionIcon
          aria-label={t('signOn.removeGroup', { name })}
          loading={remove.isPending}
          onClick={() => void ask()}
        >
          <IconTrash size={15} stroke={1.6} />
        </ActionIcon>
      </Tooltip>
    </span>
  );
}
