/** The recovery codes, shown once. The dialog closes only after the user confirms that they are saved. */
import { Button, Modal } from '@mantine/core';
import { IconCopy, IconDownload } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { copyText } from '#web/ui/copy/copy.ts';
import { toast } from '#web/ui/feedback/toast.tsx';
import classes from './dialog.module.css';
import personalClasses from './personal.module.css';

function download(codes: readonly string[]): void {
  const url = URL.createObjectURL(new Blob([`${codes.join('\n')}\n`], { type: 'text/plain;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = 'recovery-codes.txt';
  link.click();
  // Revoked later: some browsers start the download only after the click handler returned.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const { t } = useTranslation('personal');
  const { t: ui } = useTranslation('ui');
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('twoFactor.codesTitle')}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <p className={`top2 note ${personalClasses.text}`}>{t('twoFactor.codesText')}</p>
      <ul className={classes.codes}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="flow8 buttons-below">
        <span className={classes.aside}>
          <Button
            variant="default"
            leftSection={<IconCopy size={15} stroke={1.6} />}
            onClick={() => {
              void copyText(codes.join('\n')).then((copied) => copied && toast.success(ui('copy.done')));
            }}
          >
            {t('twoFactor.copyCodes')}
          </Button>
          <Button
            variant="default"
            leftSection={<IconDownload size={15} stroke={1.6} />}
            onClick={() => download(codes)}
          >
            {t('twoFactor.saveCodes')}
          </Button>
        </span>
        <Button onClick={onClose} data-autofocus>
          {t('twoFactor.kept')}
        </Button>
      </div>
    </Modal>
  );
}
