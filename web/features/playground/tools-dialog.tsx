/** The functions that the model may call, with what each answers before anything else is typed. */
import { ActionIcon, Button, Textarea, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CancelButton, DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { EXAMPLE_TOOL, MOST_TOOLS, toolFault, type ToolDraft } from './tools.ts';
import classes from './parameters.module.css';

interface ToolsDialogProps {
  tools: readonly ToolDraft[];
  onSave: (tools: readonly ToolDraft[]) => void;
  onClose: () => void;
}

const CODE = { input: { fontFamily: 'var(--font-code)', fontSize: 12 } };
const NEW_TOOL: ToolDraft = { name: '', description: '', parameters: '', answer: '' };

export function ToolsDialog({ tools: given, onSave, onClose }: ToolsDialogProps) {
  const { t } = useTranslation('playground');
  const { t: ui } = useTranslation('ui');
  const [tools, setTools] = useState<readonly ToolDraft[]>(given);
  const change = (index: number, part: Partial<ToolDraft>) =>
    setTools(tools.map((tool, place) => (place === index ? { ...tool, ...part } : tool)));
  const isRight = tools.every((tool) => toolFault(tool, tools) === undefined);
  return (
    <DialogFrame title={t('tools.title')} width={640} onClose={onClose}>
      <div className="stack12">
        <p className="note">{t('tools.about')}</p>
        {tools.map((tool, index) => (
          <ToolFields
            // oxlint-disable-next-line react/no-array-index-key -- a tool has no other identity while it is typed
            key={index}
            tool={tool}
            others={tools}
            onChange={(part) => change(index, part)}
            onRemove={() => setTools(tools.filter((other) => other !== tool))}
          />
        ))}
        <div className="row8 between">
          <Button
            variant="subtle"
            leftSection={<IconPlus size={15} stroke={1.8} />}
            disabled={tools.length >= MOST_TOOLS}
            onClick={() => setTools([...tools, tools.length === 0 ? EXAMPLE_TOOL : NEW_TOOL])}
          >
            {t('tools.add')}
          </Button>
          <span className="row8">
            <CancelButton />
            <Button
              disabled={!isRight}
              onClick={() => {
                onSave(tools);
                onClose();
              }}
            >
              {ui('action.save')}
            </Button>
          </span>
        </div>
      </div>
    </DialogFrame>
  );
}

interface ToolFieldsProps {
  tool: ToolDraft;
  others: readonly ToolDraft[];
  onChange: (part: Partial<ToolDraft>) => void;
  onRemove: () => void;
}

function ToolFields({ tool, others, onChange, onRemove }: ToolFieldsProps) {
  const { t } = useTranslation('playground');
  const fault = toolFault(tool, others);
  return (
    <fieldset className={`stack8 ${classes.tool}`} aria-label={tool.name || t('tools.new')}>
      <div className="row8">
        <TextInput
          className="grow"
          aria-label={t('tools.name')}
          placeholder={t('tools.name')}
          value={tool.name}
          error={fault === 'name' || fault === 'twice' ? t(`tools.fault.${fault}`) : undefined}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
        />
        <ActionIcon aria-label={t('tools.remove', { name: tool.name })} onClick={onRemove}>
          <IconTrash size={15} stroke={1.6} />
        </ActionIcon>
      </div>
      <TextInput
        label={t('tools.description')}
        value={tool.description}
        onChange={(event) => onChange({ description: event.currentTarget.value })}
      />
      <Textarea
        label={t('tools.parameters')}
        autosize
        minRows={3}
        maxRows={12}
        spellCheck={false}
        styles={CODE}
        value={tool.parameters}
        error={fault === 'parameters' ? t('tools.fault.parameters') : undefined}
        onChange={(event) => onChange({ parameters: event.currentTarget.value })}
      />
      <Textarea
        label={t('tools.answer')}
        autosize
        minRows={1}
        maxRows={6}
        spellCheck={false}
        styles={CODE}
        value={tool.answer}
        onChange={(event) => onChange({ answer: event.currentTarget.value })}
      />
    </fieldset>
  );
}
