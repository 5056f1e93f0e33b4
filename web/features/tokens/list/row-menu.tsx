/** The ⋯ menu of a row. Its code is prefetched while the user reads the list. */
import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { PostLoader } from '#web/ui/badge/posts.tsx';
import type { RowMenuProps } from './row-menu-items.tsx';

export const loadRowMenu = () => import('./row-menu-items.tsx');
const RowMenuItems = lazy(loadRowMenu);

export function RowMenu(props: RowMenuProps) {
  const { t } = useTranslation('ui');
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon size={24} aria-label={t('grid.rowActions', { name: props.token.name })}>
          <IconDots size={15} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Suspense fallback={<PostLoader />}>
          <RowMenuItems {...props} />
        </Suspense>
      </Menu.Dropdown>
    </Menu>
  );
}
