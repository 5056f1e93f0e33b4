/** The new codes: copy, download, or print a sheet with a QR code for each. */
import { Button, Textarea } from '@mantine/core';
import { IconCopy, IconDownload, IconPrinter } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { copyText } from '#web/ui/copy/copy.ts';
import { DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { renderQuota } from '#web/ui/format/number.ts';
import { codeLines, downloadCodes, type CodeRow } from './files.ts';
import classes from './redemptions.module.css';
import { PrintSheet } from './print-sheet.tsx';

const ICON = { size: 15, stroke: 1.6 };

export function CreatedDialog({ codes, onClose }: { codes: readonly CodeRow[]; onClose: () => void }) {
  const { t } = useTranslation('redemptions');
  const display = useDisplay();
  const amount = renderQuota(
    codes.reduce((sum, { quota }) => sum + quota, 0),
    display,
  );
  const text = codeLines(codes);
  return (
    <DialogFrame title={t('created.title', { count: codes.length })} width={560} onClose={onClose}>
      <div className={`stack12 ${classes.created}`}>
        <p>{t('created.text', { amount })}</p>
        <Textarea
          aria-label={t('created.codes')}
          className={classes.codes}
          value={text}
          readOnly
          rows={Math.min(10, codes.length)}
          onFocus={(event) => event.currentTarget.select()}
        />
        <div className={`flow8 ${classes.buttons}`}>
          <Button
            leftSection={<IconCopy {...ICON} />}
            onClick={() => {
              void copyText(text).then((copied) => copied && toast.success(t('message.copied')));
            }}
          >
            {t('created.copyAll')}
          </Button>
          {(['txt', 'csv'] as const).map((format) => (
            <Button
              key={format}
              variant="default"
              leftSection={<IconDownload {...ICON} />}
              onClick={() => downloadCodes(codes, format)}
            >
              {t(`action.${format}`)}
            </Button>
          ))}
          <Button variant="default" leftSection={<IconPrinter {...ICON} />} onClick={() => window.print()}>
            {t('action.print')}
          </Button>
          <Button variant="subtle" onClick={onClose}>
            {t('created.done')}
          </Button>
        </div>
      </div>
      <PrintSheet codes={codes} />
    </DialogFrame>
  );
}
