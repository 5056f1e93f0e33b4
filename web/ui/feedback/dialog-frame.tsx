/** A dialog whose head is not a <header>: that would be a second banner landmark of the page. */
import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

interface DialogFrameProps {
  title: string;
  width?: number;
  onClose: () => void;
  children: ReactNode;
}

const QUICK = { duration: 120, transition: 'fade' } as const;

export function DialogFrame({ title, width = 420, onClose, children }: DialogFrameProps) {
  const { t } = useTranslation('ui');
  return (
    <Modal.Root opened centered size={width} transitionProps={QUICK} onClose={onClose}>
      <Modal.Overlay />
      <Modal.Content>
        <Modal.Header role="presentation">
          <Modal.Title>{title}</Modal.Title>
          <Modal.CloseButton aria-label={t('action.close')} />
        </Modal.Header>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
