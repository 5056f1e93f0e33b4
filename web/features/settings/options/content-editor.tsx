/** The operator's Markdown, HTML or address beside what visitors will see of it. */
import { Button, SegmentedControl, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { OptionField } from '#contract/options.ts';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { contentKind } from '#web/ui/content/kind.ts';
import { RichContent } from '#web/ui/content/rich.tsx';
import { usePhone } from '#web/ui/page/breakpoints.ts';
import { controlId } from '#web/features/settings/ids.ts';
import type { OptionsForm } from '#web/features/settings/use-options.ts';
import classes from './editors.module.css';
import formClasses from './form.module.css';

interface ContentEditorProps {
  field: OptionField;
  form: OptionsForm;
}

export function ContentEditor({ field, form }: ContentEditorProps) {
  const { t } = useTranslation('settings');
  const phone = usePhone();
  const [side, setSide] = useState<'edit' | 'preview'>('edit');
  const { key } = field;
  const text = form.text(key);
  const [shown] = useDebouncedValue(text, 300);
  const [isBegun, setBegun] = useState(false);
  if (!isBegun && text === '' && key.endsWith('En'))
    return (
      <Button id={controlId(key)} variant="default" className={classes.begin} onClick={() => setBegun(true)}>
        {t('field.addEnglish')}
      </Button>
    );
  const editor = (
    <Textarea
      id={controlId(key)}
      autoFocus={isBegun}
      autosize
      minRows={8}
      maxRows={24}
      spellCheck={false}
      classNames={{ input: formClasses.code }}
      value={text}
      error={form.errorOf(key) !== undefined}
      onChange={(event) => form.set({ [key]: event.currentTarget.value })}
    />
  );
  const preview = (
    <section
      className={classes.preview}
      aria-label={`${t('field.preview')}: ${field.label[currentLanguage()]}`}
    >
      <Preview text={shown} isHtml={key === 'Footer' || key === 'FooterEn'} />
    </section>
  );
  if (!phone)
    return (
      <div className={classes.split}>
        {editor}
        {preview}
      </div>
    );
  return (
    <div className="stack8">
      <SegmentedControl
        aria-label={field.label[currentLanguage()]}
        data={[
          { value: 'edit', label: t('field.edit') },
          { value: 'preview', label: t('field.preview') },
        ]}
        value={side}
        onChange={(value) => setSide(value === 'preview' ? 'preview' : 'edit')}
      />
      {side === 'edit' ? editor : preview}
    </div>
  );
}

function Preview({ text, isHtml }: { text: string; isHtml: boolean }) {
  const { t } = useTranslation('settings');
  const kind = contentKind(text);
  if (kind === 'empty')
    return <span className={`note anywhere ${classes.muted}`}>{t('field.emptyPreview')}</span>;
  // An external page or a whole HTML document has its own framed page; here only its address or source is shown.
  if (kind === 'url' || kind === 'document')
    return <code className={`note anywhere ${classes.muted}`}>{text.slice(0, 2000)}</code>;
  return <RichContent text={text} format={isHtml ? 'html' : 'markdown'} />;
}
