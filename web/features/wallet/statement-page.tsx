/** A month of the balance as a document: read, printed, or saved as CSV. */
import { ActionIcon, Button, Select } from '@mantine/core';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { IconChevronLeft, IconChevronRight, IconDownload } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { addMonths, monthAt } from '#contract/month.ts';
import { unixSeconds } from '#contract/time.ts';
import { downloadFrom } from '#web/api/download.ts';
import { errorMessage } from '#web/api/errors.ts';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { Page } from '#web/ui/page/page.tsx';
import { Paper, PrintButton } from '#web/ui/paper/paper.tsx';
import { walletQueries } from './queries.ts';
import { statementSearch } from './search.ts';
import { StatementSheet } from './statement-sheet.tsx';
import classes from './statement.module.css';

const LISTED_MONTHS = 36;

export function StatementPage() {
  const { t } = useTranslation('wallet');
  const current = monthAt(unixSeconds());
  const { month = current, user } = statementSearch.parse(useSearch({ strict: false }));
  const statement = useQuery({ ...walletQueries.statement(month, user), placeholderData: keepPreviousData });
  const { data, error } = statement;
  return (
    <Page title={t('statement.title')}>
      <Paper
        label={t('statement.title')}
        tools={
          <>
            <MonthSwitch month={month} current={current} user={user} />
            <DownloadButton month={month} user={user} />
            <PrintButton />
          </>
        }
      >
        {error ? <ErrorState message={errorMessage(error)} onRetry={() => void statement.refetch()} /> : null}
        {!error && data ? <StatementSheet statement={data} /> : null}
        {error || data ? null : <Loading />}
      </Paper>
    </Page>
  );
}

interface MonthProps {
  month: string;
  user: number | undefined;
}

function MonthSwitch({ month, current, user }: MonthProps & { current: string }) {
  const { t } = useTranslation('wallet');
  const navigate = useNavigate();
  const show = (next: string) =>
    void navigate({ to: '/statement', search: { month: next, user }, replace: true });
  const listed = Array.from({ length: LISTED_MONTHS }, (_, index) => addMonths(current, -index));
  const months = listed.includes(month) ? listed : [month, ...listed];
  return (
    <div className={`row4 ${classes.months}`} role="group" aria-label={t('statement.month')}>
      <ActionIcon
        variant="default"
        aria-label={t('statement.previous')}
        onClick={() => show(addMonths(month, -1))}
      >
        <IconChevronLeft size={16} stroke={1.6} />
      </ActionIcon>
      <Select
        aria-label={t('statement.month')}
        className={classes.month}
        data={months}
        value={month}
        allowDeselect={false}
        onChange={(value) => value && show(value)}
      />
      <ActionIcon
        variant="default"
        aria-label={t('statement.next')}
        disabled={month >= current}
        onClick={() => show(addMonths(month, 1))}
      >
        <IconChevronRight size={16} stroke={1.6} />
      </ActionIcon>
    </div>
  );
}

function DownloadButton({ month, user }: MonthProps) {
  const { t } = useTranslation('wallet');
  const save = useMutation({
    meta: { silent: true },
    mutationFn: () =>
      downloadFrom(
        `/api/user/${user === undefined ? '' : `${user}/`}statement/file?month=${month}`,
        `statement-${month}.csv`,
        { isScoped: user === undefined },
      ),
    onError: (error) => toast.error(errorMessage(error)),
  });
  return (
    <Button
      variant="default"
      leftSection={<IconDownload size={15} stroke={1.6} />}
      loading={save.isPending}
      onClick={() => save.mutate()}
    >
      {t('statement.csv')}
    </Button>
  );
}
