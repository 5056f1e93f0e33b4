/** Writes or changes an announcement. */
import { Button, SegmentedControl, Switch, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  ANNOUNCEMENT_AUDIENCES,
  ANNOUNCEMENT_LEVELS,
  type Announcement,
} from '#contract/admin/announcements.ts';
import { api } from '#web/api.ts';
import { CancelButton, DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { baseOf, saveOnBase } from '#web/ui/conflict/save-on-base.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { absoluteTime, parseTime } from '#web/ui/format/time.ts';
import { ExpiryField } from '#web/ui/input/expiry-field.tsx';
import { RefusalNotice } from '#web/ui/input/refusal.tsx';
import { RestoredNotice } from '#web/ui/input/restored-notice.tsx';
import { useFields } from '#web/ui/input/use-fields.ts';
import { ANNOUNCEMENTS_KEY } from './queries.ts';
import classes from './announcements.module.css';

interface AnnouncementDialogProps {
  /** Undefined: a new one. */
  announcement: Announcement | undefined;
  onClose: () => void;
}

const timeText = (time: number) => (time === 0 ? '' : absoluteTime(time));
const isTime = (text: string) => text.trim() === '' || parseTime(text) !== undefined;
const timeOf = (text: string) => (text.trim() === '' ? 0 : (parseTime(text) ?? 0));

function valuesOf(announcement: Announcement | undefined) {
  return {
    title: announcement?.title ?? '',
    content: announcement?.content ?? '',
    level: announcement?.level ?? ('info' as const),
    audience: announcement?.audience ?? ('everybody' as const),
    from_at: timeText(announcement?.from_at ?? 0),
    until_at: timeText(announcement?.until_at ?? 0),
    is_pinned: announcement?.is_pinned ?? false,
  };
}
type Values = ReturnType<typeof valuesOf>;
type Problem = 'content' | 'time' | 'order';

const LABELS = {
  title: 'form.title',
  content: 'form.content',
  level: 'form.level',
  audience: 'form.audience',
  from_at: 'form.from',
  until_at: 'form.until',
  is_pinned: 'form.pinned',
} as const satisfies Record<keyof Values, string>;

const bodyOf = (values: Values) => ({
  ...values,
  from_at: timeOf(values.from_at),
  until_at: timeOf(values.until_at),
});

function problemsOf({ content, from_at, until_at }: Values): Partial<Record<keyof Values, Problem>> {
  const until = timeOf(until_at);
  return {
    ...(content.trim() === '' ? { content: 'content' as const } : {}),
    ...(isTime(from_at) ? {} : { from_at: 'time' as const }),
    ...(isTime(until_at)
      ? until > 0 && until <= timeOf(from_at)
        ? { until_at: 'order' as const }
        : {}
      : { until_at: 'time' as const }),
  };
}

export function AnnouncementDialog({ announcement, onClose }: AnnouncementDialogProps) {
  const { t } = useTranslation('announcements');
  const { t: ui } = useTranslation('ui');
  const client = useQueryClient();
  const id = useId();
  const form = useFields<Values, Problem>({
    begin: () => valuesOf(announcement),
    problemsOf,
    sentenceOf: (problem) => t(`problem.${problem}`),
    draft: { name: `announcement:${announcement?.id ?? 'new'}` },
  });
  const { values, set, errorOf, leave, refusal, check, unsaved, dropDraft } = form;
  // A refetch must not change what is saved.
  const [loaded] = useState(announcement);
  const save = useMutation({
    ...refusal.mutation,
    mutationFn: () => {
      const body = bodyOf(values);
      if (loaded === undefined) return api.announcements.create({ body });
      const based_on = baseOf({ view: loaded, initial: bodyOf(form.initial), base: bodyOf(form.base) });
      return saveOnBase({
        body: { ...body, based_on },
        send: (sent) => api.announcements.change({ params: { id: loaded.id }, body: sent }),
        labelOf: (field) => (field in LABELS ? t(LABELS[field as keyof Values]) : field),
      });
    },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ANNOUNCEMENTS_KEY });
      toast.success(t('editor.saved'));
      close();
    },
  });
  const close = () => {
    unsaved.end();
    onClose();
  };
  return (
    <DialogFrame
      title={t(announcement ? 'editor.edit' : 'editor.add')}
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
            label={t('form.title')}
            maxLength={100}
            value={values.title}
            error={errorOf('title')}
            onChange={(event) => set('title', event.currentTarget.value)}
          />
          <Textarea
            label={t('form.content')}
            description={t('form.markdown')}
            required
            autosize
            minRows={4}
            maxRows={14}
            maxLength={20_000}
            value={values.content}
            error={errorOf('content')}
            onBlur={() => leave('content')}
            onChange={(event) => set('content', event.currentTarget.value)}
          />
          <div className={classes.choices}>
            <SegmentedControl
              aria-label={t('form.level')}
              value={values.level}
              onChange={(value) =>
                set('level', ANNOUNCEMENT_LEVELS.find((level) => level === value) ?? 'info')
              }
              data={ANNOUNCEMENT_LEVELS.map((value) => ({ value, label: t(`level.${value}`) }))}
            />
            <SegmentedControl
              aria-label={t('form.audience')}
              value={values.audience}
              onChange={(value) => set('audience', value === 'users' ? 'users' : 'everybody')}
              data={ANNOUNCEMENT_AUDIENCES.map((value) => ({ value, label: t(`audience.${value}`) }))}
            />
          </div>
          <TextInput
            label={t('form.from')}
            placeholder={t('form.atOnce')}
            title={ui('expiry.format')}
            autoComplete="off"
            value={values.from_at}
            error={errorOf('from_at')}
            onBlur={() => leave('from_at')}
            onChange={(event) => set('from_at', event.currentTarget.value)}
          />
          <ExpiryField
            id={id}
            label={t('form.until')}
            value={values.until_at}
            error={errorOf('until_at')}
            onLeave={() => leave('until_at')}
            onChange={(text) => set('until_at', text)}
          />
          <Switch
            label={t('form.pinned')}
            checked={values.is_pinned}
            onChange={(event) => set('is_pinned', event.currentTarget.checked)}
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
