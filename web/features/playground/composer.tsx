/** Where the prompt is typed: Enter sends, Shift+Enter breaks the line; files are pasted, dropped or chosen. */
import { ActionIcon, Button, Textarea, Tooltip } from '@mantine/core';
import { IconPaperclip, IconPlayerStopFilled, IconSend2 } from '@tabler/icons-react';
import { useRef, type ReactNode, type Ref } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '#web/ui/feedback/toast.tsx';
import { AttachmentList } from './attachment-list.tsx';
import {
  ACCEPTED,
  attachedBytes,
  kindOf,
  MOST_MEGABYTES,
  MOST_MEGABYTES_IN_ALL,
  refusalOf,
  withFile,
  type Attachments,
  type Refusal,
} from './attachments.ts';
import classes from './composer.module.css';

export interface Draft extends Attachments {
  text: string;
}

interface ComposerProps {
  draft: Draft;
  onChange: (draft: Draft) => void;
  onSend: () => void;
  onStop: () => void;
  isBusy: boolean;
  canSend: boolean;
  panes: number;
  estimate: ReactNode;
  /** Values of the prompt's variables. */
  fields?: ReactNode;
  /** Further commands beside the attachments. */
  tools?: ReactNode;
  inputRef?: Ref<HTMLTextAreaElement>;
}

const LABELS = ['composer.placeholder', 'composer.placeholderBoth', 'composer.placeholderAll'] as const;

/** Megabytes of the bound that a file is above. */
function mostOf(file: File, refusal: Refusal): number {
  const kind = kindOf(file);
  return refusal === 'all' || kind === undefined ? MOST_MEGABYTES_IN_ALL : MOST_MEGABYTES[kind];
}

export function Composer(props: ComposerProps) {
  const { draft, onChange, onSend, isBusy, inputRef } = props;
  const { t } = useTranslation('playground');
  const picker = useRef<HTMLInputElement>(null);
  const add = async (files: readonly File[]) => {
    let next: Attachments = draft;
    for (const file of files) {
      const refusal = refusalOf(file, attachedBytes(next));
      if (refusal === undefined) next = await withFile(next, file);
      else toast.warning(t(`attach.refused.${refusal}`, { name: file.name, size: mostOf(file, refusal) }));
    }
    if (next !== draft) onChange({ ...draft, ...next });
  };
  const bounds = t('attach.bounds', { ...MOST_MEGABYTES, all: MOST_MEGABYTES_IN_ALL });
  const label = t(LABELS[Math.min(props.panes, 3) - 1] ?? 'composer.placeholder');
  return (
    <form
      className={classes.composer}
      onSubmit={(event) => {
        event.preventDefault();
        onSend();
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void add([...event.dataTransfer.files]);
      }}
    >
      <AttachmentList {...draft} onChange={(left) => onChange({ ...draft, ...left })} />
      {props.fields}
      <Textarea
        ref={inputRef}
        aria-label={label}
        placeholder={label}
        autosize
        minRows={2}
        maxRows={10}
        variant="unstyled"
        value={draft.text}
        onChange={(event) => onChange({ ...draft, text: event.currentTarget.value })}
        onPaste={(event) => {
          const files = [...event.clipboardData.files];
          if (files.length === 0) return;
          event.preventDefault();
          void add(files);
        }}
        onKeyDown={(event) => {
          // While a Chinese word is being composed, Enter chooses it.
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          if (!isBusy) onSend();
        }}
      />
      <div className="row8">
        <Tooltip label={bounds} multiline maw={280}>
          <ActionIcon
            aria-label={t('attach.add')}
            aria-description={bounds}
            onClick={() => picker.current?.click()}
          >
            <IconPaperclip size={16} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
        {props.tools}
        <input
          ref={picker}
          type="file"
          accept={ACCEPTED}
          multiple
          hidden
          aria-label={t('attach.add')}
          onChange={(event) => {
            void add([...(event.currentTarget.files ?? [])]);
            event.currentTarget.value = '';
          }}
        />
        <span className={`grow cut size12 muted number ${classes.estimate}`}>{props.estimate}</span>
        {isBusy ? (
          <Button variant="default" leftSection={<IconPlayerStopFilled size={13} />} onClick={props.onStop}>
            {t('composer.stop')}
          </Button>
        ) : (
          <Button type="submit" disabled={!props.canSend} leftSection={<IconSend2 size={15} stroke={1.8} />}>
            {t('composer.send')}
          </Button>
        )}
      </div>
    </form>
  );
}
