/** A text to copy into the provider, with what it is. */
import { useTranslation } from 'react-i18next';
import { CopyButton } from '#web/ui/copy/copy-button.tsx';

export function Copied({ label, text }: { label: string; text: string }) {
  const { t } = useTranslation('ui');
  return (
    <p>
      <span className="note">{label}</span>
      <span className="row6 shrink">
        <code className="anywhere">{text}</code>
        <CopyButton text={text} label={t('copy.named', { name: label })} />
      </span>
    </p>
  );
}
