/** Saves, schedules, publishes and withdraws a draft. */
import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PriceDraftDetail } from '#contract/money/price-book-views.ts';
import { api } from '#web/api.ts';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { RefusalNotice, useRefusal } from '#web/ui/input/refusal.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
import { PRICES_KEY } from './queries.ts';
import classes from './price-book.module.css';

interface Edited {
  prices: Record<string, unknown>;
  reason: string;
  isChanged: boolean;
  isBad: boolean;
  /** Somebody else has saved the draft since. */
  isOutdated: boolean;
}

interface DraftActionsProps {
  draft: PriceDraftDetail;
  edited: Edited;
  /** What was typed is saved or discarded. */
  onDone: () => void;
  /** A draft of number 0 is stored with its first save. */
  onCreated: (id: number) => void;
}

const namesOf = (changes: PriceDraftDetail['since']): string =>
  [...new Set(changes.map(({ key, name }) => (name === '' ? key : name)))].slice(0, 8).join(', ');

export function DraftActions({ draft, edited, onDone, onCreated }: DraftActionsProps) {
  const { t } = useTranslation('price-book');
  const [scheduling, setScheduling] = useState(false);
  const client = useQueryClient();
  const { id, revision, status } = draft;
  const params = { id };
  const done = (words: string) => async () => {
    await client.invalidateQueries({ queryKey: PRICES_KEY });
    onDone();
    toast.success(words);
  };
  const refusal = useRefusal<never>([]);
  const save = useMutation({
    ...refusal.mutation,
    mutationFn: () => {
      const { prices, reason } = edited;
      return id === 0
        ? api.priceBook.createDraft({ body: { based_on: draft.based_on, prices, reason } })
        : api.priceBook.changeDraft({ params, body: { revision, prices, reason } });
    },
    onSuccess: async (saved) => {
      if (id === 0) onCreated(saved.id);
      await done(t('draft.saved'))();
    },
  });
  const publish = useMutation({
    ...refusal.mutation,
    mutationFn: () => api.priceBook.publish({ params, body: { revision, over: draft.running } }),
    onSuccess: (version) => done(t('draft.published', { id: version.id }))(),
  });
  const withdraw = useMutation({
    mutationFn: () => api.priceBook.withdraw({ params, body: { revision } }),
    onSuccess: done(t('draft.withdrawn')),
  });
  const unschedule = useMutation({
    mutationFn: () => api.priceBook.schedule({ params, body: { revision, publish_at: 0 } }),
    onSuccess: done(t('draft.unscheduled')),
  });
  const askPublish = async () => {
    const over =
      draft.since.length === 0
        ? ''
        : t('draft.publishOver', {
            names: namesOf(draft.since),
            conflicts: namesOf(draft.conflicts) || '–',
          });
    const sure = await confirm({
      title: t('draft.publishTitle'),
      body: [t('draft.publishBody', { count: draft.changes.length }), over].join(' ').trim(),
      confirmLabel: t('draft.publish'),
    });
    if (sure) publish.mutate();
  };
  const askWithdraw = async () => {
    const sure = await confirm({
      title: t('draft.withdrawTitle', { id }),
      body: t('draft.withdrawBody'),
      confirmLabel: t('draft.withdraw'),
      danger: true,
    });
    if (sure) withdraw.mutate();
  };
  if (status !== 'draft' && status !== 'scheduled') return null;
  const isReady = !edited.isChanged && draft.changes.length > 0;
  return (
    <div className={`wrap8 ${classes.bar}`}>
      {status === 'draft' ? (
        <>
          <Button
            disabled={!edited.isChanged || edited.isBad}
            loading={save.isPending}
            onClick={() => save.mutate()}
          >
            {t('draft.save')}
          </Button>
          {edited.isChanged ? (
            <Button variant="subtle" onClick={onDone}>
              {t('draft.discard')}
            </Button>
          ) : null}
        </>
      ) : (
        <Button variant="default" loading={unschedule.isPending} onClick={() => unschedule.mutate()}>
          {t('draft.unschedule')}
        </Button>
      )}
      <span className={`wrap8 push-right ${classes.right}`}>
        {edited.isChanged ? <span className={classes.dim}>{t('draft.unsaved')}</span> : null}
        {id === 0 ? null : (
          <Button
            variant="subtle"
            color="red"
            loading={withdraw.isPending}
            onClick={() => void askWithdraw()}
          >
            {t('draft.withdraw')}
          </Button>
        )}
        {status === 'draft' ? (
          <Button variant="default" disabled={!isReady} onClick={() => setScheduling(true)}>
            {t('draft.schedule')}
          </Button>
        ) : null}
        <Button
          variant="default"
          disabled={!isReady || unschedule.isPending}
          loading={publish.isPending}
          onClick={() => void askPublish()}
        >
          {t('draft.publish')}
        </Button>
      </span>
      {edited.isOutdated && !save.isPending ? (
        <NoticeBox tone="warning">{t('draft.outdated')}</NoticeBox>
      ) : null}
      <RefusalNotice refusal={refusal} />
      {scheduling ? (
        <ScheduleDialog
          onClose={() => setScheduling(false)}
          send={(publish_at) => api.priceBook.schedule({ params, body: { revision, publish_at } })}
          onScheduled={done(t('draft.scheduled'))}
        />
      ) : null}
    </div>
  );
}

interface ScheduleDialogProps {
  onClose: () => void;
  send: (unixSeconds: number) => Promise<unknown>;
  onScheduled: () => Promise<void>;
}

const secondsOf = (typed: string) => Math.floor(new Date(typed).getTime() / 1000);

/** The time of the operator's own clock. */
function ScheduleDialog({ onClose, send, onScheduled }: ScheduleDialogProps) {
  const { t } = useTranslation('price-book');
  const form = useForm({
    begin: () => ({ publish_at: '' }),
    problemsOf: ({ publish_at }) =>
      Number.isFinite(secondsOf(publish_at)) ? {} : { publish_at: t('draft.scheduleMissing') },
    send: ({ publish_at }) => send(secondsOf(publish_at)),
    onSent: () => {
      onClose();
      return onScheduled();
    },
  });
  return (
    <FormDialog
      title={t('draft.scheduleTitle')}
      submitLabel={t('draft.schedule')}
      className=""
      buttons="buttons-below"
      form={form}
      onClose={onClose}
    >
      <TextInput
        {...form.field('publish_at')}
        data-autofocus
        type="datetime-local"
        label={t('draft.scheduleAt')}
      />
    </FormDialog>
  );
}
