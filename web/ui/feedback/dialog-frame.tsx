/** A dialog whose head is not a <header>: that would be a second banner landmark of the page. */
import { Button, Modal } from '@mantine/core';
import { createContext, useContext, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { mayDiscard, type Unsaved } from '#web/ui/input/unsaved.ts';
import { wasQuestionAbove } from './escape.ts';
import { useReturnFocus } from './use-return-focus.ts';

interface DialogFrameProps {
  title: string;
  width?: number;
  onClose: () => void;
  /** Of the form in the dialog: Esc, ✕, a click outside and Cancel ask first when it was changed. */
  unsaved?: Unsaved;
  children: ReactNode;
}

const QUICK = { duration: 120, transition: 'fade' } as const;

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
  const close = () => {
    if (wasQuestionAbove()) return;
    void mayDiscard(unsaved).then((may) => may && onClose());
  };
  useReturnFocus();
  return (
    <Modal.Root opened centered size={width} transitionProps={QUICK} onClose={close}>
      <Modal.Overlay />
      <Modal.Content>
        <Modal.Header role="presentation">
          <Modal.Title>{title}</Modal.Title>
          <Modal.CloseButton aria-label={t('action.close')} />
        </Modal.Header>
        <Modal.Body>
          <AskingClose value={close}>{children}</AskingClose>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
