/** The full text of a prompt or a failure reason, with a copy button. */
import { useTranslation } from 'react-i18next';
import { CopyButton } from '#web/ui/copy/copy-button.tsx';
import { DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import type { ShownText } from './drawing-columns.tsx';
import classes from './tasks.module.css';

export function TextDialog({ shown, onClose }: { shown: ShownText; onClose: () => void }) {
  const { t } = useTranslation('tasks');
  return (
    <DialogFrame title={shown.title} width={520} onClose={onClose}>
      <div className={classes.caption}>
        <p className={classes.whole}>{shown.text}</p>
        <CopyButton text={shown.text} label={t('copyText')} />
      </div>
    </DialogFrame>
  );
}
