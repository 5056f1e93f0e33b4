/** Admin keys of usage and cost reports: create, shown once, list, revoke. */
import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { IconKey, IconPlus, IconTrash } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { isRoot } from '#contract/access.ts';
import { errorMessage } from '#web/api/errors.ts';
import { PostLoader } from '#web/ui/badge/posts.tsx';
import { Tag } from '#web/ui/badge/tag.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { Row } from './block.tsx';
import { LastUsed, useAdminKeys } from './use-admin-keys.tsx';

export function AdminKeys({ role }: { role: number }) {
  const { t } = useTranslation('personal');
  const { t: ui } = useTranslation('ui');
  const { keys, create, revoke, dialogs } = useAdminKeys(isRoot(role));
  if (keys.error && !keys.data)
    return <ErrorState message={errorMessage(keys.error)} onRetry={() => void keys.refetch()} />;
  if (!keys.data) return <PostLoader label={ui('grid.loading')} />;
  return (
    <div className="stack">
      {keys.data.map((key) => (
        <Row
          key={key.id}
          icon={<IconKey size={17} stroke={1.6} aria-hidden />}
          name={<span title={key.name}>{key.name}</span>}
          value={
            <>
              <code>{key.key}</code>
              {' · '}
              <LastUsed adminKey={key} />
            </>
          }
        >
          {key.scope === 'site' ? <Tag>{t('adminKeys.site')}</Tag> : null}
          <Tooltip label={t('adminKeys.revoke')}>
            <ActionIcon aria-label={`${t('adminKeys.revoke')} ${key.name}`} onClick={() => revoke(key)}>
              <IconTrash size={15} stroke={1.6} />
            </ActionIcon>
          </Tooltip>
        </Row>
      ))}
      <Row name={keys.data.length === 0 ? t('adminKeys.none') : ''}>
        <Button variant="default" leftSection={<IconPlus size={15} stroke={1.6} />} onClick={create}>
          {t('adminKeys.create')}
        </Button>
      </Row>
      {dialogs}
    </div>
  );
}
