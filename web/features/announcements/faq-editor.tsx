/** The operator's questions and answers, in their order. */
import { ActionIcon, Button, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { IconArrowDown, IconArrowUp, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import limits from 'virtual:limits/faq.create';
import { questionIn, type Question } from '#contract/admin/faq.ts';
import { api } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { PostLoader } from '#web/ui/badge/posts.tsx';
import { confirm } from '#web/ui/feedback/dialog-store.ts';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import { ErrorState } from '#web/ui/feedback/states.tsx';
import { saveOnBase } from '#web/ui/conflict/save-on-base.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { EnglishVersion } from '#web/ui/input/english-version.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
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

function Row({ question: entry, onEdit, onUp, onDown }: RowProps) {
  const { t } = useTranslation('announcements');
  const { id } = entry;
  const { question } = questionIn(currentLanguage(), entry);
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

const LABELS = {
  question: 'faq.question',
  question_en: 'faq.questionEn',
  answer: 'faq.answer',
  answer_en: 'faq.answerEn',
} as const satisfies Record<keyof Omit<Question, 'id'>, string>;

interface QuestionDialogProps {
  question: Question | undefined;
  onClose: () => void;
}

function QuestionDialog({ question, onClose }: QuestionDialogProps) {
  const { t } = useTranslation('announcements');
  const form = useForm<Omit<Question, 'id'>, unknown>({
    begin: () => ({
      question: question?.question ?? '',
      question_en: question?.question_en ?? '',
      answer: question?.answer ?? '',
      answer_en: question?.answer_en ?? '',
    }),
    limits,
    checksOnLeave: 'always',
    problemsOf: (entered) => ({
      question: entered.question.trim() === '' ? t('problem.question') : undefined,
      answer: entered.answer.trim() === '' ? t('problem.answer') : undefined,
    }),
    draft: { name: `faq:${question?.id ?? 'new'}` },
    send: (values, { base }) =>
      question === undefined
        ? api.faq.create({ body: values })
        : saveOnBase({
            body: { ...values, based_on: base },
            send: (body) => api.faq.change({ params: { id: question.id }, body }),
            labelOf: (field) => (field in LABELS ? t(LABELS[field as keyof typeof LABELS]) : field),
          }),
    onSent: () => {
      toast.success(t('faq.saved'));
      onClose();
    },
    refresh: [FAQ_KEY],
  });
  return (
    <FormDialog
      title={t(question ? 'editor.edit' : 'faq.add')}
      submitLabel={t('form.save')}
      width={560}
      className="stack14"
      buttons="buttons top2"
      form={form}
      onClose={onClose}
    >
      <TextInput {...form.field('question')} data-autofocus label={t('faq.question')} required />
      <Textarea
        {...form.field('answer')}
        label={t('faq.answer')}
        description={t('form.markdown')}
        required
        autosize
        minRows={4}
        maxRows={14}
      />
      <EnglishVersion isWritten={form.values.question_en !== '' || form.values.answer_en !== ''}>
        <TextInput {...form.field('question_en')} label={t('faq.questionEn')} />
        <Textarea {...form.field('answer_en')} label={t('faq.answerEn')} autosize minRows={4} maxRows={14} />
      </EnglishVersion>
    </FormDialog>
  );
}
