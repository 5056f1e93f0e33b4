/** The empty log: there are no rows at all, or only before the range. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '#web/ui/feedback/states.tsx';
import { logQueries } from './queries.ts';

export function NoLogs({ admin, onMonth }: { admin: boolean; onMonth: () => void }) {
  const { t } = useTranslation('logs');
  const earlier = useQuery(logQueries.earlier(admin));
  if (earlier.isPending) return null;
  if (earlier.data) {
    return (
      <EmptyState
        title={t('empty.range')}
        action={
          <Button variant="default" onClick={onMonth}>
            {t('range.month')}
          </Button>
        }
      />
    );
  }
  return (
    <EmptyState
      title={t('empty.title')}
      text={t('empty.text')}
      action={
        <Button component={Link} to="/token">
          {t('empty.action')}
        </Button>
      }
    />
  );
}
