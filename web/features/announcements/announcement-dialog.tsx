/** Writes or changes an announcement. */
import { SegmentedControl, Switch, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import limits from 'virtual:limits/announcements.create';
import {
  ANNOUNCEMENT_AUDIENCES,
  ANNOUNCEMENT_LEVELS,
  type Announcement,
} from '#contract/admin/announcements.ts';
import { api } from '#web/api.ts';
import { baseOf, saveOnBase } from '#web/ui/conflict/save-on-base.ts';
import { FormDialog } from '#web/ui/feedback/form-dialog.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { absoluteTime, parseTime } from '#web/ui/format/time.ts';
import { EnglishVersion } from '#web/ui/input/english-version.tsx';
import { ExpiryField } from '#web/ui/input/expiry-field.tsx';
import { useForm } from '#web/ui/input/use-form.ts';
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
    title_en: announcement?.title_en ?? '',
    content: announcement?.content ?? '',
    content_en: announcement?.content_en ?? '',
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
  title_en: 'form.titleEn',
  content: 'form.content',
  content_en: 'form.contentEn',
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

function problemsOf({ content, from_at, until_at }: Values, sentence: (problem: Problem) => string) {
  const until = timeOf(until_at);
  const isLate = until > 0 && until <= timeOf(from_at);
  return {
    content: content.trim() === '' ? sentence('content') : undefined,
    from_at: isTime(from_at) ? undefined : sentence('time'),
    until_at: isTime(until_at) ? (isLate ? sentence('order') : undefined) : sentence('time'),
  };
}

export function AnnouncementDialog({ announcement, onClose }: AnnouncementDialogProps) {
  const { t } = useTranslation('announcements');
  const { t: ui } = useTranslation('ui');
  // A refetch must not change what is saved.
  const [loaded] = useState(announcement);
  const form = useForm<Values, unknown>({
    begin: () => valuesOf(loaded),
    limits,
    checksOnLeave: 'always',
    problemsOf: (values) => problemsOf(values, (problem) => t(`problem.${problem}`)),
    draft: { name: `announcement:${loaded?.id ?? 'new'}` },
    send: (values, { initial, base }) => {
      const body = bodyOf(values);
      if (loaded === undefined) return api.announcements.create({ body });
      const based_on = baseOf({ view: loaded, initial: bodyOf(initial), base: bodyOf(base) });
      return saveOnBase({
        body: { ...body, based_on },
        send: (sent) => api.announcements.change({ params: { id: loaded.id }, body: sent }),
        labelOf: (field) => (field in LABELS ? t(LABELS[field as keyof Values]) : field),
      });
    },
    onSent: () => {
      toast.success(t('editor.saved'));
      onClose();
    },
    refresh: [ANNOUNCEMENTS_KEY],
  });
  return (
    <FormDialog
      title={t(announcement ? 'editor.edit' : 'editor.add')}
      submitLabel={t(announcement ? 'form.save' : 'form.publish')}
      width={560}
      className="stack14"
      buttons="buttons top2"
      form={form}
      onClose={onClose}
    >
      <TextInput {...form.field('title')} data-autofocus label={t('form.title')} />
      <Textarea
        {...form.field('content')}
        label={t('form.content')}
        description={t('form.markdown')}
        required
        autosize
        minRows={4}
        maxRows={14}
      />
      <EnglishVersion isWritten={form.values.title_en !== '' || form.values.content_en !== ''}>
        <TextInput {...form.field('title_en')} label={t('form.titleEn')} />
        <Textarea
          {...form.field('content_en')}
          label={t('form.contentEn')}
          autosize
          minRows={4}
          maxRows={14}
        />
      </EnglishVersion>
      <div className={classes.choices}>
        <SegmentedControl
          aria-label={t('form.level')}
          {...form.choice('level')}
          data={ANNOUNCEMENT_LEVELS.map((value) => ({ value, label: t(`level.${value}`) }))}
        />
        <SegmentedControl
          aria-label={t('form.audience')}
          {...form.choice('audience')}
          data={ANNOUNCEMENT_AUDIENCES.map((value) => ({ value, label: t(`audience.${value}`) }))}
        />
      </div>
      <TextInput
        {...form.field('from_at')}
        label={t('form.from')}
        placeholder={t('form.atOnce')}
        title={ui('expiry.format')}
        autoComplete="off"
      />
      <ExpiryField {...form.field('until_at')} label={t('form.until')} />
      <Switch {...form.checked('is_pinned')} label={t('form.pinned')} />
    </FormDialog>
  );
}
