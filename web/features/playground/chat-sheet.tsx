/** The conversations or the parameters over the page, where they have no room of their own. */
import '@mantine/core/styles/Drawer.layer.css';
import { CloseButton, Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChatSheetName } from './chat-toolbar.tsx';

interface ChatSheetProps {
  open: ChatSheetName | undefined;
  onClose: () => void;
  children: ReactNode;
}

export function ChatSheet({ open, onClose, children }: ChatSheetProps) {
  const { t } = useTranslation('playground');
  const { t: ui } = useTranslation('ui');
  return (
    <Drawer
      opened={open !== undefined}
      onClose={onClose}
      position={open === 'list' ? 'left' : 'bottom'}
      size={open === 'list' ? 300 : '80%'}
      withCloseButton={false}
    >
      {/* Mantine's modal header is a <header>, a second banner landmark of the page. */}
      <div className="row between">
        <Drawer.Title>{open === 'list' ? t('conversations.label') : t('parameters.label')}</Drawer.Title>
        <CloseButton aria-label={ui('action.close')} onClick={onClose} />
      </div>
      {children}
    </Drawer>
  );
}
