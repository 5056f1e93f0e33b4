/** Two exact times, typed as the specification writes them. */
import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { absoluteTime, parseTime } from '#web/ui/format/time.ts';
import type { TimeRange } from './range.ts';
import classes from './drawing.module.css';

interface RangeDialogProps {
  range: TimeRange;
  onApply: (range: TimeRange) => void;
  onClose: () => void;
}

export function RangeDialog({ range, onApply, onClose }: RangeDialogProps) {
  const { t } = useTranslation('drawing');
  const [from, setFrom] = useState(absoluteTime(range.from));
  const [to, setTo] = useState(absoluteTime(range.to));
  const start = parseTime(from);
  const end = parseTime(to);
  const chosen =
    start !== undefined && end !== undefined && end > start ? { from: start, to: end } : undefined;
  const isTurned = start !== undefined && end !== undefined && chosen === undefined;
  return (
    <DialogFrame title={t('range.custom')} onClose={onClose}>
      <form
        className={classes.rangeForm}
        onSubmit={(event) => {
          event.preventDefault();
          if (chosen) onApply(chosen);
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
          error={end === undefined ? t('range.invalid') : isTurned ? t('range.order') : undefined}
        />
        <Button type="submit" disabled={chosen === undefined}>
          {t('range.apply')}
        </Button>
      </form>
    </DialogFrame>
  );
}
