/** "Get code": the exact request in three languages. */
import { CloseButton, Modal, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '#web/ui/code/code-block.tsx';
import { CODE_LANGUAGES, CODE_NAMES, requestCode, type CodeLanguage } from './code-samples.ts';
import classes from './playground.module.css';

interface CodeDialogProps {
  baseUrl: string;
  body: Record<string, unknown>;
  onClose: () => void;
}

export function CodeDialog({ baseUrl, body, onClose }: CodeDialogProps) {
  const { t } = useTranslation('playground');
  const { t: common } = useTranslation('ui');
  const [language, setLanguage] = useState<CodeLanguage>('curl');
  const code = requestCode(language, baseUrl, body);
  return (
    <Modal opened onClose={onClose} size={720} withCloseButton={false}>
      {/* Mantine's modal header is a <header>, a second banner landmark of the page. */}
      <div className="row between">
        <Modal.Title>{t('code.title')}</Modal.Title>
        <CloseButton aria-label={common('action.close')} onClick={onClose} />
      </div>
      <CodeBlock
        head={
          <SegmentedControl
            size="xs"
            aria-label={t('code.open')}
            value={language}
            onChange={(value) => setLanguage(CODE_LANGUAGES.find((known) => known === value) ?? 'curl')}
            data={CODE_LANGUAGES.map((value) => ({ value, label: CODE_NAMES[value] }))}
          />
        }
        copy={{ text: code, label: t('code.copy') }}
      >
        {code}
      </CodeBlock>
      <p className={`note ${classes.dim}`}>{t('code.hint')}</p>
    </Modal>
  );
}
