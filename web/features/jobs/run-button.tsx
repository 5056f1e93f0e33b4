/** Runs a job now; one that costs something asks first. A job of another node is run from that node only. */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { JobView } from '#contract/operating/jobs.ts';
import { api } from '#web/api.ts';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useLanguage } from './cells.tsx';
import { JOBS_KEY } from './queries.ts';
import classes from './jobs.module.css';

export function RunButton({ job }: { job: JobView }) {
  const { t } = useTranslation('jobs');
  const language = useLanguage();
  const client = useQueryClient();
  const name = job.title[language];
  const run = useMutation({
    mutationFn: () => api.jobs.run({ params: { name: job.name } }),
    onSuccess: () => toast.success(t('begun', { name })),
    onSettled: () => client.invalidateQueries({ queryKey: JOBS_KEY }),
  });
  if (job.lease === 'node' && !job.is_here) return null;
  const ask = async () => {
    const { warning } = job;
    const options = { title: t('confirm', { name }), confirmLabel: t('run') };
    if (warning === null || (await confirm({ ...options, body: warning[language] }))) run.mutate();
  };
  return (
    <Button
      size="compact-xs"
      variant="subtle"
      className={classes.run}
      loading={run.isPending}
      disabled={job.state === 'running'}
      aria-label={t('runJob', { name })}
      onClick={(event) => {
        // The row behind the button opens on a click.
        event.stopPropagation();
        void ask();
      }}
    >
      {t('run')}
    </Button>
  );
}
