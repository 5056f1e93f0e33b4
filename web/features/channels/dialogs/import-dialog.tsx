/** Creates channels from pasted or chosen JSON, one after the other, and lists each result. */
import { Button, FileButton, Textarea } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { IconUpload } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '#web/api.ts';
import { errorMessage } from '#web/api/errors.ts';
import { DialogFrame } from '#web/ui/feedback/dialog-frame.tsx';
import { readImport } from './import.ts';
import { CHANNELS_KEY } from '#web/features/channels/queries.ts';
import classes from './dialogs.module.css';

interface Outcome {
  isOk: boolean;
  text: string;
}

const EXAMPLE = '[{"name":"openai","type":1,"key":"sk-…","models":"gpt-4o,gpt-4o-mini","group":"default"}]';

export function ImportDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('channels');
  const { t: common } = useTranslation('ui');
  const client = useQueryClient();
  const [text, setText] = useState('');
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>();
  const [isRunning, setRunning] = useState(false);
  const { lines, problem } = useMemo(() => (text.trim() === '' ? { lines: [] } : readImport(text)), [text]);
  const good = lines.filter((line) => line.channel);

  const run = async () => {
    setRunning(true);
    const done: Outcome[] = [];
    for (const { name, channel } of good) {
      if (!channel) continue;
      try {
        const created = await api.channels.create({ body: channel });
        done.push({ isOk: true, text: t('import.created', { name, count: created.length }) });
      } catch (error) {
        done.push({ isOk: false, text: `${name}: ${errorMessage(error)}` });
      }
      setOutcomes([...done]);
    }
    setRunning(false);
    await client.invalidateQueries({ queryKey: CHANNELS_KEY });
  };
  const refused = lines.filter((line) => line.problem);
  return (
    <DialogFrame onClose={onClose} title={t('import.title')} width={560}>
      <Textarea
        data-autofocus
        label={t('import.label')}
        description={t('import.hint')}
        placeholder={EXAMPLE}
        autosize
        minRows={6}
        maxRows={14}
        spellCheck={false}
        value={text}
        error={problem ? t(`import.problem.${problem}`) : undefined}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setOutcomes(undefined);
        }}
      />
      {refused.length > 0 || outcomes ? (
        <div role="status">
          <ul className={classes.importList}>
            {refused.map((line, index) => (
              <li key={`${index} ${line.name}`} data-bad>
                {line.name}: {t(`import.problem.${line.problem ?? 'nothing'}`)}
              </li>
            ))}
            {outcomes?.map((outcome, index) => (
              <li key={`done ${index}`} data-bad={outcome.isOk ? undefined : true}>
                {outcome.text}
              </li>
            ))}
          </ul>
        </div>
      ) : null}
      <div className="buttons-below">
        <FileButton
          accept="application/json,.json"
          onChange={(file) => {
            setOutcomes(undefined);
            void file?.text().then(setText);
          }}
        >
          {(props) => (
            <Button {...props} variant="default" leftSection={<IconUpload size={15} stroke={1.6} />}>
              {t('import.file')}
            </Button>
          )}
        </FileButton>
        <Button variant="default" onClick={onClose}>
          {common('action.close')}
        </Button>
        <Button
          loading={isRunning}
          disabled={good.length === 0 || outcomes !== undefined}
          onClick={() => void run()}
        >
          {t('import.run', { count: good.length })}
        </Button>
      </div>
    </DialogFrame>
  );
}
