/** Renders the dialog of the dialog store. */
import { Button, Modal, TextInput, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConflictDialog } from '#web/ui/conflict/conflict-dialog.tsx';
import { closeDialog, type ConfirmOptions, type Dialog } from './dialog-store.ts';
import { useReturnFocus } from './use-return-focus.ts';
import classes from './feedback.module.css';

function ConfirmDialog({
  options,
  answer,
}: {
  options: ConfirmOptions;
  answer: (confirmed: boolean) => void;
}) {
  const { t } = useTranslation('ui');
  const [typed, setTyped] = useState('');
  const ready = !options.typed || typed.trim() === options.typed.expected;
  return (
    <Modal
      opened
      onClose={() => answer(false)}
      title={options.title}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (ready) answer(true);
        }}
      >
        <div className={classes.dialogBody}>{options.body}</div>
        {options.typed ? (
          <TextInput
            data-autofocus
            mt="md"
            label={options.typed.label}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
          />
        ) : null}
        <div className={`buttons ${classes.dialogActions}`}>
          <Button
            variant="default"
            // Enter, pressed too soon, must lose nothing.
            data-autofocus={options.danger && !options.typed ? true : undefined}
            onClick={() => answer(false)}
          >
            {options.cancelLabel ?? t('action.cancel')}
          </Button>
          <Button
            type="submit"
            color={options.danger ? 'red' : undefined}
            disabled={!ready}
            data-autofocus={options.danger || options.typed ? undefined : true}
          >
            {options.confirmLabel}
          </Button>
        </div>
      </form>
    </Modal>
  );
}

export default function Dialogs({ dialog }: { dialog: Dialog }) {
  const { t } = useTranslation('ui');
  useReturnFocus();
  if (dialog.kind === 'confirm') return <ConfirmDialog options={dialog.options} answer={dialog.answer} />;
  if (dialog.kind === 'conflict')
    return <ConflictDialog differences={dialog.differences} answer={dialog.answer} />;
  return (
    <Modal
      opened
      onClose={closeDialog}
      title={t('copy.failed')}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      <Textarea
        aria-label={t('copy.failed')}
        value={dialog.text}
        readOnly
        autosize
        minRows={2}
        maxRows={10}
        data-autofocus
        onFocus={(event) => event.currentTarget.select()}
        classNames={{ input: classes.manualCopy }}
      />
    </Modal>
  );
}
