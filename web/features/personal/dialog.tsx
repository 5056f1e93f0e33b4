/** A small form in a dialog: fields, the refusal, and two buttons. */
import { Button, Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useAskingClose } from '#web/ui/feedback/dialog-frame.tsx';
import { RefusalNotice, type Refusal } from '#web/ui/input/refusal.tsx';
import { useReturnFocus } from '#web/ui/feedback/use-return-focus.ts';
import classes from './dialog.module.css';

interface DialogProps {
  title: string;
  submitLabel: string;
  busy: boolean;
  danger?: boolean;
  onSubmit: () => void;
  onClose: () => void;
  /** Left of the buttons. */
  aside?: ReactNode;
  refusal: Refusal<never>;
  children: ReactNode;
}

export function FormDialog({
  title,
  submitLabel,
  busy,
  danger,
  onSubmit,
  onClose,
  aside,
  refusal,
  children,
}: DialogProps) {
  const { t } = useTranslation('ui');
  useReturnFocus();
  const { close, listeners } = useAskingClose(onClose);
  return (
    <Modal opened onClose={close} title={title} closeButtonProps={{ 'aria-label': t('action.close') }}>
      <form
        {...listeners}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy) onSubmit();
        }}
      >
        <div className={`stack12 ${classes.fields}`}>
          {children}
          <RefusalNotice refusal={refusal} />
        </div>
        <div className="flow8 buttons-below">
          {aside ? <span className={classes.aside}>{aside}</span> : null}
          <Button variant="default" onClick={close}>
            {t('action.cancel')}
          </Button>
          <Button type="submit" color={danger ? 'red' : undefined} loading={busy}>
            {submitLabel}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
