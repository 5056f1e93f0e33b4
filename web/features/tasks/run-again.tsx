/** Opens the playground with the request of a task. It sends nothing. */
import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { IconRepeat } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { TaskView } from '#contract/relay/tasks.ts';
import { keepAgain } from '#web/ui/media/again.ts';
import { againOf } from './state.ts';

export function RunAgain({ row, isSmall }: { row: TaskView; isSmall?: boolean }) {
  const { t } = useTranslation('tasks');
  const navigate = useNavigate();
  const request = againOf(row);
  if (request === undefined) return null;
  const open = () => {
    keepAgain(request);
    void navigate({ to: '/playground', search: { tab: request.kind } });
  };
  if (!isSmall)
    return (
      <Button variant="default" leftSection={<IconRepeat size={15} stroke={1.6} />} onClick={open}>
        {t('again.label')}
      </Button>
    );
  return (
    <Tooltip label={t('again.label')}>
      <ActionIcon size={28} aria-label={t('again.of', { prompt: row.prompt.slice(0, 80) })} onClick={open}>
        <IconRepeat size={15} stroke={1.6} />
      </ActionIcon>
    </Tooltip>
  );
}
