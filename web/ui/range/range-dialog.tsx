/** Two exact times, typed in the format of the specification. */
import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { absoluteTime, parseTime } from '#web/ui/format/time.ts';
import type { TimeRange } from './time-range.ts';

interface RangeDialogProps {
  range: TimeRange;
  onApply: (range: TimeRange) => void;
  onClose: () => void;
}

export function RangeDialog({ range, onApply, onClose }: RangeDialogProps) {
  const { t } = useTranslation('ui');
  const [from, setFrom] = useState(absoluteTime(range.from));
  const [to, setTo] = useState(absoluteTime(range.to));
  const start = parseTime(from);
  const end = parseTime(to);
  const inOrder = start === undefined || end === undefined || end > start;
  return (
    <DialogFrame title={t('range.title')} onClose={onClose}>
      <form
        className="stack12"
        onSubmit={(event) => {
          event.preventDefault();
          if (start !== undefined && end !== undefined && inOrder) onApply({ from: start, to: end });
        }}
      >
        <TextInput
          label={t('range.from')}
          value={from}
          onChange={(event) => setFrom(event.currentTarget.value)}
          error={start === undefined ? t('range.invalid') : undefined}
          data-autofocus
        />
        <TextInput
          label={t('range.to')}
          value={to}
          onChange={(event) => setTo(event.currentTarget.value)}
          error={end === undefined ? t('range.invalid') : inOrder ? undefined : t('range.order')}
        />
        <Button type="submit" disabled={start === undefined || end === undefined || !inOrder}>
          {t('range.apply')}
        </Button>
      </form>
    </DialogFrame>
  );
}
