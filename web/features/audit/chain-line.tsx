/** Whether the hash chain of the audit trail is intact, as one line above it. */
import { Button, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconAlertTriangleFilled, IconLink, IconRefresh } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { errorMessage } from '#web/api/errors.ts';
import { PostLoader } from '#web/ui/badge/posts.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import { groupDigits } from '#web/ui/format/number.ts';
import { auditQueries } from './queries.ts';
import classes from './audit.module.css';

export function ChainLine() {
  const { t } = useTranslation('audit');
  const chain = useQuery(auditQueries.chain());
  const result = chain.data;
  const isBroken = result !== undefined && result.fault !== null;
  const words = () => {
    if (chain.error) return errorMessage(chain.error);
    if (!result || chain.isFetching) return t('chain.checking');
    if (result.fault !== null) return t(`chain.${result.fault}`, { id: result.broken_id ?? '' });
    return t('chain.whole', { rows: groupDigits(result.rows) });
  };
  return (
    <div
      className={`row caption ${classes.chain}`}
      data-broken={isBroken || undefined}
      role={isBroken ? 'alert' : 'status'}
    >
      {chain.isFetching ? (
        <PostLoader />
      ) : isBroken || chain.error ? (
        <IconAlertTriangleFilled size={14} aria-hidden />
      ) : (
        <IconLink size={14} stroke={1.6} aria-hidden />
      )}
      <span>{words()}</span>
      {result && !chain.isFetching ? (
        <>
          <span className="muted">
            {t('chain.checkedAt')} <Moment timestamp={result.checked_at} />
          </span>
          <Tooltip label={`${t('chain.hash')}: ${result.last_hash}`}>
            <code className="muted">{result.last_hash.slice(0, 12)}</code>
          </Tooltip>
        </>
      ) : null}
      <Button
        size="compact-xs"
        variant="subtle"
        leftSection={<IconRefresh size={12} stroke={1.6} />}
        disabled={chain.isFetching}
        onClick={() => void chain.refetch()}
      >
        {t('chain.again')}
      </Button>
    </div>
  );
}
