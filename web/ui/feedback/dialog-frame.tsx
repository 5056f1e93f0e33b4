/** A dialog whose head is not a <header>: that would be a second banner landmark of the page. */
import { Button, Modal } from '@mantine/core';
import { createContext, useContext, useRef, type ReactNode, type SyntheticEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { mayDiscard, type Unsaved } from '#web/ui/input/unsaved.ts';
import { wasQuestionAbove } from './escape.ts';
import { useReturnFocus } from './use-return-focus.ts';

interface DialogFrameProps {
  title: string;
  width?: number;
  onClose: () => void;
  /** Of the form in the dialog, when it has a draft. */
  unsaved?: Unsaved;
  children: ReactNode;
}

const QUICK = { duration: 120, transition: 'fade' } as const;

/**
 * Esc, ✕, a click outside and Cancel ask first when a form in the dialog was changed. A form that was sent calls `onClose` of the
 * feature, which closes at once.
 */
export function useAskingClose(onClose: () => void, unsaved?: Unsaved) {
  const changed = useRef<HTMLFormElement>(null);
  const noteChange = ({ target, type, currentTarget }: SyntheticEvent<HTMLElement>) => {
    // A typed password is nothing to lose.
    if (!(target instanceof Element) || target.matches('[type="password"]')) return;
    if (type !== 'click') changed.current = target.closest('form') ?? changed.current;
    // Options of a select are elsewhere in the document, but React reports their clicks here.
    else if (target.closest('[role="option"]'))
      changed.current = currentTarget.closest('form') ?? currentTarget.querySelector('form');
  };
  const noted: Unsaved = {
    // A form that was replaced by its result has been sent.
    count: () => (changed.current?.isConnected ? 1 : 0),
    isLostByReload: () => false,
    end: () => undefined,
  };
  const close = () => {
    if (wasQuestionAbove()) return;
    void mayDiscard(unsaved ?? noted).then((may) => {
      if (may) onClose();
    });
  };
  return { close, listeners: { onChange: noteChange, onClick: noteChange } };
}

const AskingClose = createContext(() => {});

/** Of a form inside a DialogFrame. */
export function CancelButton() {
  const { t } = useTranslation('ui');
  return (
    <Button variant="default" onClick={useContext(AskingClose)}>
      {t('action.cancel')}
    </Button>
  );
}

export function DialogFrame({ title, width = 420, onClose, unsaved, children }: DialogFrameProps) {
  const { t } = useTranslation('ui');
  const { close, listeners } = useAskingClose(onClose, unsaved);
  useReturnFocus();
  return (
    <Modal.Root opened centered size={width} transitionProps={QUICK} onClose={close}>
      <Modal.Overlay />
      <Modal.Content>
        <Modal.Header role="presentation">
          <Modal.Title>{title}</Modal.Title>
          <Modal.CloseButton aria-label={t('action.close')} />
        </Modal.Header>
        <Modal.Body {...listeners}>
          <AskingClose value={close}>{children}</AskingClose>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
