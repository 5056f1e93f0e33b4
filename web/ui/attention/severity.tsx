/** The mark of a severity: what has stopped is a filled triangle, so that colour is not the only sign. */
import { IconAlertTriangleFilled, IconClockExclamation, IconHelpCircle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { AttentionItem } from '#contract/admin/attention.ts';
import classes from './attention.module.css';

const ICONS = { stop: IconAlertTriangleFilled, act: IconClockExclamation, wait: IconHelpCircle } as const;

export function SeverityMark({ severity }: Pick<AttentionItem, 'severity'>) {
  const { t } = useTranslation('ui');
  const Icon = ICONS[severity];
  return (
    <span role="img" aria-label={t(`severity.${severity}`)} className={classes.mark} data-severity={severity}>
      <Icon size={17} stroke={1.6} aria-hidden />
    </span>
  );
}
