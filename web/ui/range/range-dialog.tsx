/** Two exact times, typed in the format of the specification. */
import { Button, TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { absoluteTime, parseTime } from '#web/ui/format/time.ts';
import { FormElement } from '#web/ui/input/form-element.tsx';
import { useFields } from '#web/ui/input/use-form.ts';
import type { TimeRange } from './time-range.ts';

interface RangeDialogProps {
  range: TimeRange;
  onApply: (range: TimeRange) => void;
  onClose: () => void;
}

export function RangeDialog({ range, onApply, onClose }: RangeDialogProps) {
  const { t } = useTranslation('ui');
  const form = useFields({
    begin: () => ({ from: absoluteTime(range.from), to: absoluteTime(range.to) }),
    live: ['from', 'to'],
    problemsOf: ({ from, to }) => {
      const [start, end] = [parseTime(from), parseTime(to)];
      const inOrder = start === undefined || end === undefined || end > start;
      return {
        from: start === undefined ? t('range.invalid') : undefined,
        to: end === undefined ? t('range.invalid') : inOrder ? undefined : t('range.order'),
      };
    },
  });
  const submit = () => {
    const [from, to] = [parseTime(form.values.from), parseTime(form.values.to)];
    if (form.check() && from !== undefined && to !== undefined) onApply({ from, to });
  };
  return (
    <DialogFrame title={t('range.title')} unsaved={form.unsaved} onClose={onClose}>
      <FormElement form={{ submit }} className="stack12">
        <TextInput {...form.field('from')} label={t('range.from')} data-autofocus />
        <TextInput {...form.field('to')} label={t('range.to')} />
        <Button type="submit" disabled={!form.isReady}>
          {t('range.apply')}
        </Button>
      </FormElement>
    </DialogFrame>
  );
}
