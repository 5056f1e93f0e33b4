/** Where the prompt is typed: Enter sends, Shift+Enter breaks the line; pictures are pasted, dropped or chosen. */
import { ActionIcon, Button, CloseButton, Textarea, Tooltip } from '@mantine/core';
import { IconPhotoPlus, IconPlayerStopFilled, IconSend2 } from '@tabler/icons-react';
import { useRef, type ReactNode, type Ref } from 'react';
import { useTranslation } from 'react-i18next';
import { toast } from '#web/ui/feedback/toast.tsx';
import classes from './composer.module.css';
import threadClasses from './thread.module.css';

export interface Draft {
  text: string;
  images: readonly string[];
}

const MOST_IMAGE_BYTES = 8 * 1024 * 1024;

interface ComposerProps {
  draft: Draft;
  onChange: (draft: Draft) => void;
  onSend: () => void;
  onStop: () => void;
  isBusy: boolean;
  canSend: boolean;
  panes: number;
  estimate: ReactNode;
  inputRef?: Ref<HTMLTextAreaElement>;
}

function dataAddress(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(typeof reader.result === 'string' ? reader.result : ''));
    reader.addEventListener('error', () => reject(new Error(file.name)));
    reader.readAsDataURL(file);
  });
}

export function Composer(props: ComposerProps) {
  const { draft, onChange, onSend, isBusy, inputRef } = props;
  const { t } = useTranslation('playground');
  const picker = useRef<HTMLInputElement>(null);
  const add = async (files: readonly File[]) => {
    const added: string[] = [];
    for (const file of files) {
      if (!file.type.startsWith('image/')) toast.warning(t('composer.imageKind'));
      else if (file.size > MOST_IMAGE_BYTES) toast.warning(t('composer.imageTooLarge', { size: 8 }));
      else added.push(await dataAddress(file));
    }
    if (added.length > 0) onChange({ ...draft, images: [...draft.images, ...added] });
  };
  const label = props.panes > 1 ? t('composer.placeholderBoth') : t('composer.placeholder');
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
      {draft.images.length > 0 ? (
        <div className={`flow8 top8 ${threadClasses.pictures}`}>
          {draft.images.map((image, index) => (
            <span key={image.slice(-40)} className={threadClasses.picture}>
              <img src={image} alt={t('prompt.image', { number: index + 1 })} />
              <CloseButton
                size="xs"
                aria-label={t('composer.removeImage', { number: index + 1 })}
                onClick={() =>
                  onChange({ ...draft, images: draft.images.filter((other) => other !== image) })
                }
              />
            </span>
          ))}
        </div>
      ) : null}
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
        <Tooltip label={t('composer.addImage')}>
          <ActionIcon aria-label={t('composer.addImage')} onClick={() => picker.current?.click()}>
            <IconPhotoPlus size={16} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
        <input
          ref={picker}
          type="file"
          accept="image/*"
          multiple
          hidden
          aria-label={t('composer.addImage')}
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
