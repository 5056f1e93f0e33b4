/** Who changed which option when, newest first, with a rollback. */
import { Button, TextInput, UnstyledButton } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SECRET_MARK, type OptionChange } from '#contract/options.ts';
import { api } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { Drawer } from '#web/ui/drawer/drawer.tsx';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { Loading } from '#web/ui/feedback/loading.tsx';
import { EmptyState, ErrorState } from '#web/ui/feedback/states.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { Moment } from '#web/ui/format/moment.tsx';
import { lineDifference } from './changes.ts';
import { confirmRisks } from '#web/features/settings/confirm-risks.ts';
import { isRisky } from '#web/features/settings/risks.ts';
import { OPTIONS_KEY, optionQueries } from '#web/features/settings/queries.ts';
import classes from './review.module.css';

interface HistoryDrawerProps {
  optionKey: string | undefined;
  onKey: (key: string | undefined) => void;
  /** The draft of a rolled-back option must not hide its value. */
  onRolledBack: (key: string) => void;
  onClose: () => void;
}

export function HistoryDrawer({ optionKey, onKey, onRolledBack, onClose }: HistoryDrawerProps) {
  const { t } = useTranslation('settings');
  const client = useQueryClient();
  const [typed, setTyped] = useState(optionKey ?? '');
  const { data, error, isPending, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } =
    useInfiniteQuery(optionQueries.history(optionKey));
  const rollBack = useMutation({
    mutationFn: (id: number) => api.options.rollback({ params: { id } }),
    onSuccess: async ({ key }) => {
      onRolledBack(key);
      await client.invalidateQueries({ queryKey: OPTIONS_KEY });
      void client.invalidateQueries({ queryKey: ['status'] });
      toast.success(t('message.rolledBack', { key: labelOf(key) }));
    },
  });
  const ask = async (change: OptionChange) => {
    const [now, then] = [{ [change.key]: change.new_value }, { [change.key]: change.old_value }];
    const sure = isRisky(now, then)
      ? await confirmRisks(now, then)
      : await confirm({
          title: t('history.rollBackTitle', { key: labelOf(change.key) }),
          body: t('history.rollBackBody'),
          confirmLabel: t('history.rollBack'),
        });
    if (sure) rollBack.mutate(change.id);
  };
  const { data: registry } = useQuery(optionQueries.registry());
  const labelOf = (key: string) =>
    registry?.find((field) => field.key === key)?.label[currentLanguage()] ?? t('history.unknown');
  const changes = data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Drawer title={t('history.title')} onClose={onClose} onSubmit={() => onKey(typed.trim() || undefined)}>
      <TextInput
        data-autofocus
        aria-label={t('history.filter')}
        placeholder={t('history.filter')}
        value={typed}
        autoComplete="off"
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          if (event.currentTarget.value === '') onKey(undefined);
        }}
      />
      {error ? <ErrorState message={errorMessage(error)} onRetry={() => void refetch()} /> : null}
      {isPending && !error ? <Loading shape="lines" /> : null}
      {data && changes.length === 0 ? <EmptyState title={t('history.empty')} /> : null}
      <ol className={classes.history}>
        {changes.map((change) => (
          <li key={change.id} className={classes.past}>
            <div className={`row8 ${classes.pastHead}`}>
              <UnstyledButton
                className={classes.pastKey}
                onClick={() => {
                  setTyped(change.key);
                  onKey(change.key);
                }}
              >
                <b>{labelOf(change.key)}</b> <code>{change.key}</code>
              </UnstyledButton>
              <span className={`note ${classes.pastBy}`}>
                {change.actor_name || t('history.system')} · <Moment timestamp={change.created_at} />
              </span>
              {change.can_roll_back ? (
                <Button
                  size="xs"
                  variant="default"
                  disabled={rollBack.isPending}
                  onClick={() => void ask(change)}
                >
                  {t('history.rollBack')}
                </Button>
              ) : null}
            </div>
            <Difference change={change} />
          </li>
        ))}
      </ol>
      {hasNextPage ? (
        <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t('history.more')}
        </Button>
      ) : null}
    </Drawer>
  );
}

const MOST_LINES = 8;

function Difference({ change }: { change: OptionChange }) {
  const { t } = useTranslation('settings');
  const { old_value: before, new_value: after } = change;
  if (before === SECRET_MARK || after === SECRET_MARK) return <p className="note">{t('history.secret')}</p>;
  const isLong = before.includes('\n') || after.includes('\n');
  const { gone, added } = isLong ? lineDifference(before, after) : { gone: [before], added: [after] };
  const show = (line: string) => (line === '' ? t('history.blank') : line.slice(0, 300));
  return (
    <div className={`stack code ${classes.difference}`}>
      {gone.slice(0, MOST_LINES).map((line) => (
        <del key={`-${line}`}>{show(line)}</del>
      ))}
      {added.slice(0, MOST_LINES).map((line) => (
        <ins key={`+${line}`}>{show(line)}</ins>
      ))}
    </div>
  );
}
