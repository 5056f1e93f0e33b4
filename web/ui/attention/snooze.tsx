/** Hides an item until it changes, and says how many are hidden. */
import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { IconEye, IconZzz } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

interface SnoozeProps {
  /** Of the item. */
  name: string;
  isSnoozed: boolean;
  isPending: boolean;
  onClick: () => void;
}

export function SnoozeButton({ name, isSnoozed, isPending, onClick }: SnoozeProps) {
  const { t } = useTranslation('ui');
  const label = t(isSnoozed ? 'snooze.again' : 'snooze.hide', { name });
  return (
    <Tooltip label={label}>
      <ActionIcon aria-label={label} loading={isPending} onClick={onClick}>
        {isSnoozed ? <IconEye size={15} stroke={1.6} /> : <IconZzz size={15} stroke={1.6} />}
      </ActionIcon>
    </Tooltip>
  );
}

interface SnoozedProps {
  count: number;
  isShown: boolean;
  onToggle: () => void;
  className?: string;
}

/** Nothing where none is hidden. */
export function Snoozed({ count, isShown, onToggle, className = '' }: SnoozedProps) {
  const { t } = useTranslation('ui');
  if (count === 0) return null;
  return (
    <p className={`row8 note ${className}`}>
      {t('snooze.count', { count })}
      <Button variant="subtle" size="compact-xs" onClick={onToggle}>
        {t(isShown ? 'snooze.conceal' : 'snooze.show')}
      </Button>
    </p>
  );
}
