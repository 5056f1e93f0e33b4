/** The operator's questions and answers, in their order. */
import { ActionIcon, Button, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { IconArrowDown, IconArrowUp, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Question } from '#contract/admin/faq.ts';
import { api } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { PostLoader } from '#web/ui/badge/posts.tsx';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { CancelButton, DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { saveOnBase } from '#web/ui/conflict/save-on-base.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { RefusalNotice } from '#web/ui/input/refusal.tsx';
import { RestoredNotice } from '#web/ui/input/restored-notice.tsx';
import { useFields } from '#web/ui/input/use-fields.ts';
import { announcementQueries, FAQ_KEY } from './queries.ts';
import classes from './announcements.module.css';

export function FaqEditor() {
  const { t } = useTranslation('announcements');
  const { t: ui } = useTranslation('ui');
  const client = useQueryClient();
  const list = useQuery(announcementQueries.faq());
  const [edited, setEdited] = useState<Question | 'new'>();
  const order = useMutation({
    mutationFn: (ids: number[]) => api.faq.order({ body: { ids } }),
    onSuccess: (questions) => client.setQueryData(FAQ_KEY, questions),
  });
  if (list.error && !list.data)
    return <ErrorState message={errorMessage(list.error)} onRetry={() => void list.refetch()} />;
  if (!list.data) return <PostLoader label={ui('grid.loading')} />;
  const ids = list.data.map(({ id }) => id);
  const move = (index: number, by: -1 | 1) => {
    const next = [...ids];
    const [moved] = next.splice(index, 1);
    if (moved === undefined) return;
    next.splice(index + by, 0, moved);
    order.mutate(next);
  };
  return (
    <div className={`stack12 start ${classes.editor}`}>
      <ol className={classes.rows}>
        {list.data.map((question, index) => (
          <Row
            key={question.id}
            question={question}
            onEdit={() => setEdited(question)}
            onUp={index === 0 ? undefined : () => move(index, -1)}
            onDown={index === ids.length - 1 ? undefined : () => move(index, 1)}
          />
        ))}
      </ol>
      <Button
        variant="default"
        leftSection={<IconPlus size={15} stroke={1.6} />}
        onClick={() => setEdited('new')}
      >
        {t('faq.add')}
      </Button>
      {edited ? (
        <QuestionDialog
          question={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      ) : null}
    </div>
  );
}

interface RowProps {
  question: Question;
  onEdit: () => void;
  /** Undefined: it is the first. */
  onUp: (() => void) | undefined;
  onDown: (() => void) | undefined;
}

function Row({ question: { id, question }, onEdit, onUp, onDown }: RowProps) {
  const { t } = useTranslation('announcements');
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => api.faq.remove({ params: { id } }),
    onSuccess: () => toast.success(t('faq.removed')),
    onSettled: () => client.invalidateQueries({ queryKey: FAQ_KEY }),
  });
  const ask = async () => {
    const confirmLabel = t('editor.remove');
    const sure = await confirm({ title: t('faq.removeTitle'), body: question, confirmLabel, danger: true });
    if (sure) remove.mutate();
  };
  return (
    <li className={classes.row}>
      <div className={`stack grow ${classes.rowText}`}>
        <b>{question}</b>
      </div>
      <span className="flex fixed">
        <ActionIcon aria-label={`${t('faq.up')} ${question}`} disabled={!onUp} onClick={onUp}>
          <IconArrowUp size={15} stroke={1.6} />
        </ActionIcon>
        <ActionIcon aria-label={`${t('faq.down')} ${question}`} disabled={!onDown} onClick={onDown}>
          <IconArrowDown size={15} stroke={1.6} />
        </ActionIcon>
        <ActionIcon aria-label={`${t('editor.edit')} ${question}`} onClick={onEdit}>
          <IconPencil size={15} stroke={1.6} />
        </ActionIcon>
        <ActionIcon aria-label={`${t('editor.remove')} ${question}`} onClick={() => void ask()}>
          <IconTrash size={15} stroke={1.6} />
        </ActionIcon>
      </span>
    </li>
  );
}

interface QuestionDialogProps {
  question: Question | undefined;
  onClose: () => void;
}

function QuestionDialog({ question, onClose }: QuestionDialogProps) {
  const { t } = useTranslation('announcements');
  const client = useQueryClient();
  const form = useFields({
    begin: () => ({ question: question?.question ?? '', answer: question?.answer ?? '' }),
    problemsOf: (entered) => ({
      ...(entered.question.trim() === '' ? { question: 'question' as const } : {}),
      ...(entered.answer.trim() === '' ? { answer: 'answer' as const } : {}),
    }),
    sentenceOf: (problem: 'question' | 'answer') => t(`problem.${problem}`),
    draft: { name: `faq:${question?.id ?? 'new'}` },
  });
  const { values, set, errorOf, leave, refusal, check, unsaved, dropDraft } = form;
  const save = useMutation({
    ...refusal.mutation,
    mutationFn: () =>
      question === undefined
        ? api.faq.create({ body: values })
        : saveOnBase({
            body: { ...values, based_on: form.base },
            send: (body) => api.faq.change({ params: { id: question.id }, body }),
            labelOf: (field) => t(field === 'answer' ? 'faq.answer' : 'faq.question'),
          }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: FAQ_KEY });
      toast.success(t('faq.saved'));
      close();
    },
  });
  const close = () => {
    unsaved.end();
    onClose();
  };
  return (
    <DialogFrame
      title={t(question ? 'editor.edit' : 'faq.add')}
      width={560}
      unsaved={unsaved}
      onClose={onClose}
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (check() && !save.isPending) save.mutate();
        }}
      >
        <RestoredNotice onDrop={dropDraft} />
        <div className="stack14">
          <TextInput
            data-autofocus
            label={t('faq.question')}
            required
            maxLength={200}
            value={values.question}
            error={errorOf('question')}
            onBlur={() => leave('question')}
            onChange={(event) => set('question', event.currentTarget.value)}
          />
          <Textarea
            label={t('faq.answer')}
            description={t('form.markdown')}
            required
            autosize
            minRows={4}
            maxRows={14}
            maxLength={20_000}
            value={values.answer}
            error={errorOf('answer')}
            onBlur={() => leave('answer')}
            onChange={(event) => set('answer', event.currentTarget.value)}
          />
          <RefusalNotice refusal={refusal} />
        </div>
        <div className="buttons-below">
          <CancelButton />
          <Button type="submit" loading={save.isPending}>
            {t('form.save')}
          </Button>
        </div>
      </form>
    </DialogFrame>
  );
}
