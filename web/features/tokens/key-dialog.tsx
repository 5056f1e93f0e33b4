/** The whole key, shown on demand and hidden after half a minute. */
import { Button, CloseButton, Modal } from '@mantine/core';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import type { TokenView } from '#contract/admin/tokens.ts';
import { REVEAL_SECONDS } from '#web/ui/copy/mask.ts';
import { copyText } from '#web/ui/copy/copy.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import { fullKey } from './copy-formats.ts';
import classes from './tokens.module.css';

export function KeyDialog({ token, onClose }: { token: TokenView; onClose: () => void }) {
  const { t } = useTranslation('tokens');
  const { t: common } = useTranslation('ui');
  useEffect(() => {
    const timer = setTimeout(onClose, REVEAL_SECONDS * 1000);
    return () => clearTimeout(timer);
  }, [onClose]);
  return (
    <Modal opened onClose={onClose} withCloseButton={false} aria-labelledby="key-dialog-title">
      {/* Mantine's modal header is a <header>, a second banner landmark of the page. */}
      <div className={classes.dialogHead}>
        <Modal.Title>{t('keyDialog.title', { name: token.name })}</Modal.Title>
        <CloseButton onClick={onClose} aria-label={common('action.close')} />
      </div>
      <code className={classes.fullKey}>{fullKey(token)}</code>
      <p className="top8 note">{t('keyDialog.hint')}</p>
      <div className="buttons-below">
        <Button
          data-autofocus
          onClick={() => {
            void copyText(fullKey(token)).then((copied) => {
              if (copied) toast.success(t('message.copied'));
              onClose();
            });
          }}
        >
          {t('action.copyKey')}
        </Button>
      </div>
    </Modal>
  );
}
