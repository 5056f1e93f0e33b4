/** What an administrator may do with an organization. */
import { ActionIcon, Menu } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import {
  IconBan,
  IconCircleCheck,
  IconCrown,
  IconDots,
  IconListDetails,
  IconTags,
  IconWallet,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { ManagedOrganization } from '#contract/admin/organization-management.ts';
import { api } from '#web/api.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import type { ManagedDialogName } from './dialogs.tsx';
import { MANAGED_KEY } from './queries.ts';

const SIZE = { size: 15, stroke: 1.6 };

interface ManagedMenuProps {
  organization: ManagedOrganization;
  onOpen: (dialog: ManagedDialogName) => void;
}

export function ManagedMenu({ organization, onOpen }: ManagedMenuProps) {
  const { t } = useTranslation('organizations');
  const client = useQueryClient();
  const { id, name, username, state } = organization;
  const lift = useMutation({
    mutationFn: () => api.organizationManagement.lift({ params: { id } }),
    onSuccess: () => toast.success(t('managed.lifted', { name })),
    onSettled: () => client.invalidateQueries({ queryKey: MANAGED_KEY }),
  });
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon size={24} aria-label={t('managed.menu', { name })} loading={lift.isPending}>
          <IconDots size={16} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconListDetails {...SIZE} />}
          renderRoot={(props) => <Link {...props} to="/log" search={{ user: username }} />}
        >
          {t('managed.log')}
        </Menu.Item>
        {state === 'deleted' ? null : (
          <>
            <Menu.Item leftSection={<IconTags {...SIZE} />} onClick={() => onOpen('group')}>
              {t('managed.action.group')}
            </Menu.Item>
            <Menu.Item leftSection={<IconWallet {...SIZE} />} onClick={() => onOpen('balance')}>
              {t('managed.action.balance')}
            </Menu.Item>
            <Menu.Item leftSection={<IconCrown {...SIZE} />} onClick={() => onOpen('owner')}>
              {t('managed.action.owner')}
            </Menu.Item>
            <Menu.Divider />
            {state === 'suspended' ? (
              <Menu.Item leftSection={<IconCircleCheck {...SIZE} />} onClick={() => lift.mutate()}>
                {t('managed.action.lift')}
              </Menu.Item>
            ) : (
              <Menu.Item data-danger leftSection={<IconBan {...SIZE} />} onClick={() => onOpen('suspend')}>
                {t('managed.action.suspend')}
              </Menu.Item>
            )}
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
