/** Takes the footer's place while rows are selected, so nothing in the table moves. */
import { UnstyledButton } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { KeyHint } from '#web/ui/badge/tag.tsx';
import classes from './selection-bar.module.css';

interface SelectionBarProps {
  count: number;
  total: number;
  onSelectAll?: () => Promise<void>;
  onClear: () => void;
  children: ReactNode;
}

export function SelectionBar({ count, total, onSelectAll, onClear, children }: SelectionBarProps) {
  const { t } = useTranslation('ui');
  const [busy, setBusy] = useState(false);
  return (
    <div className={classes.selection} role="region" aria-label={t('grid.selected', { count })}>
      <b aria-live="polite">
        {count >= total && total > 0 ? t('grid.allSelected', { count }) : t('grid.selected', { count })}
      </b>
      {onSelectAll && count < total ? (
        <UnstyledButton
          className={classes.link}
          disabled={busy}
          onClick={() => {
            setBusy(true);
            void onSelectAll().finally(() => setBusy(false));
          }}
        >
          {t('grid.selectMatching', { count: total })}
        </UnstyledButton>
      ) : null}
      <div className={classes.selectionActions}>{children}</div>
      <UnstyledButton className={`inline6 size12 soft ${classes.unselect}`} onClick={onClear}>
        <KeyHint>Esc</KeyHint>
        {t('grid.unselect')}
      </UnstyledButton>
    </div>
  );
}
