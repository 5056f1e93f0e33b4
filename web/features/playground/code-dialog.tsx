/** "Get code": the exact request in each dialect, by curl and by the vendor's own library. */
import { CloseButton, Modal, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CodeBlock } from '#web/ui/code/code-block.tsx';
import type { Call } from './call.ts';
import { CODE_LANGUAGES, CODE_NAMES, requestCode, withoutData, type CodeLanguage } from './code-samples.ts';
import { DIALECT_NAMES, DIALECTS, requestIn, type DialectName } from './dialects/index.ts';
import classes from './playground.module.css';

interface CodeDialogProps {
  /** The server's address without a path. */
  server: string;
  call: Call;
  onClose: () => void;
}

export function CodeDialog({ server, call, onClose }: CodeDialogProps) {
  const { t } = useTranslation('playground');
  const { t: common } = useTranslation('ui');
  const [language, setLanguage] = useState<CodeLanguage>('curl');
  const [dialect, setDialect] = useState<DialectName>('chat');
  const request = requestIn(dialect, call);
  const code = requestCode(language, dialect, server, request);
  const shown = requestCode(language, dialect, server, { ...request, body: withoutData(request.body) });
  const lost = request.lost.map((each) => t(`code.lost.${each}`)).join(t('code.and'));
  return (
    <Modal opened onClose={onClose} size={760} withCloseButton={false}>
      {/* Mantine's modal header is a <header>, a second banner landmark of the page. */}
      <div className="row between">
        <Modal.Title>{t('code.title')}</Modal.Title>
        <CloseButton aria-label={common('action.close')} onClick={onClose} />
      </div>
      <div className={classes.dialects}>
        <SegmentedControl
          size="xs"
          aria-label={t('code.dialect')}
          value={dialect}
          onChange={(value) => setDialect(DIALECTS.find((known) => known === value) ?? 'chat')}
          data={DIALECTS.map((value) => ({ value, label: DIALECT_NAMES[value] }))}
        />
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
        {shown}
      </CodeBlock>
      <p className={`note ${classes.dim}`}>
        {t('code.hint')} {shown === code ? '' : t('code.cut')}{' '}
        {lost === '' ? '' : t('code.without', { lost })}
      </p>
    </Modal>
  );
}
