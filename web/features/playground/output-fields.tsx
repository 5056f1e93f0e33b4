/** The form of the answer, and the tools that the model may call. */
import { Button, SegmentedControl, Textarea } from '@mantine/core';
import { IconTool } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Field } from '#web/ui/input/field.tsx';
import { readObject } from './call.ts';
import { ANSWER_FORMATS, type PlaygroundSettings } from './settings.ts';

const ToolsDialog = lazy(() => import('./tools-dialog.tsx').then((file) => ({ default: file.ToolsDialog })));

const EXAMPLE_SCHEMA = JSON.stringify(
  {
    type: 'object',
    properties: { answer: { type: 'string' } },
    required: ['answer'],
    additionalProperties: false,
  },
  null,
  2,
);

interface OutputFieldsProps {
  settings: PlaygroundSettings;
  onChange: (settings: PlaygroundSettings) => void;
}

export function OutputFields({ settings, onChange }: OutputFieldsProps) {
  const { t } = useTranslation('playground');
  const [isOpen, setOpen] = useState(false);
  const isWrong = settings.format === 'schema' && readObject(settings.schema) === undefined;
  const choose = (value: string) => {
    const format = ANSWER_FORMATS.find((known) => known === value) ?? 'text';
    const schema = format === 'schema' && settings.schema === '' ? EXAMPLE_SCHEMA : settings.schema;
    onChange({ ...settings, format, schema });
  };
  return (
    <>
      <Field label={t('output.label')} hint={settings.format === 'json' ? t('output.jsonHint') : undefined}>
        <SegmentedControl
          fullWidth
          aria-label={t('output.label')}
          value={settings.format}
          onChange={choose}
          data={ANSWER_FORMATS.map((value) => ({ value, label: t(`output.${value}`) }))}
        />
      </Field>
      {settings.format === 'schema' ? (
        <Field
          label={t('output.schemaLabel')}
          htmlFor="playground-schema"
          {...(isWrong ? { error: t('output.wrong') } : {})}
        >
          <Textarea
            id="playground-schema"
            autosize
            minRows={4}
            maxRows={14}
            spellCheck={false}
            styles={{ input: { fontFamily: 'var(--font-code)', fontSize: 12 } }}
            value={settings.schema}
            onChange={(event) => onChange({ ...settings, schema: event.currentTarget.value })}
          />
        </Field>
      ) : null}
      <Field
        label={t('tools.label')}
        fact={settings.tools.length === 0 ? t('tools.none') : undefined}
        hint={settings.tools.map((tool) => tool.name).join(' · ') || undefined}
      >
        <Button
          fullWidth
          variant="default"
          leftSection={<IconTool size={15} stroke={1.6} />}
          onClick={() => setOpen(true)}
        >
          {t('tools.edit')}
        </Button>
      </Field>
      {isOpen ? (
        <Suspense>
          <ToolsDialog
            tools={settings.tools}
            onSave={(tools) => onChange({ ...settings, tools })}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      ) : null}
    </>
  );
}
