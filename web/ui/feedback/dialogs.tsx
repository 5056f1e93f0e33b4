/**
 * Dialogs that are asked for from anywhere: `confirm` (answers true or false) and `showManualCopy`. One host in the
 * shell draws them, so a caller needs no state of its own.
 */
import { Button, Modal, TextInput, Textarea } from '@mantine/core';
import { useState, useSyncExternalStore, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './feedback.module.css';

export interface ConfirmOptions {
  title: string;
  /** Names the objects and the impact. */
  body: ReactNode;
  confirmLabel: string;
  danger?: boolean;
  /** The text the user has to type, for what cannot be taken back. */
  typed?: { label: string; expected: string };
}

type Dialog =
  | { kind: 'confirm'; options: ConfirmOptions; answer: (confirmed: boolean) => void }
  | { kind: 'copy'; text: string };

let open: Dialog | undefined;
const listeners = new Set<() => void>();

function setOpen(next: Dialog | undefined): void {
  // A second question replaces the first one, whose answer is then no.
  if (open?.kind === 'confirm' && next) open.answer(false);
  open = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function confirm(options: ConfirmOptions): Promise<boolean> {
  return new Promise((resolve) => {
    setOpen({
      kind: 'confirm',
      options,
      answer: (confirmed) => {
        resolve(confirmed);
        if (open?.kind === 'confirm' && open.options === options) open = undefined;
        for (const listener of listeners) listener();
      },
    });
  });
}

export function showManualCopy(text: string): void {
  setOpen({ kind: 'copy', text });
}

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
        <div className={classes.dialogActions}>
          <Button variant="default" onClick={() => answer(false)}>
            {t('action.cancel')}
          </Button>
          <Button
            type="submit"
            color={options.danger ? 'red' : undefined}
            disabled={!ready}
            data-autofocus={options.typed ? undefined : true}
          >
            {options.confirmLabel}
          </Button>
        </div>
      </form>
    </Modal>
  );
}

export function DialogHost() {
  const { t } = useTranslation('ui');
  const dialog = useSyncExternalStore(subscribe, () => open);
  if (!dialog) return null;
  if (dialog.kind === 'confirm') return <ConfirmDialog options={dialog.options} answer={dialog.answer} />;
  return (
    <Modal
      opened
      onClose={() => setOpen(undefined)}
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
