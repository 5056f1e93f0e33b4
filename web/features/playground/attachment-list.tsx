/** The pictures and files of a prompt, each with a way to take it out while the prompt is written. */
import { CloseButton } from '@mantine/core';
import { IconFileText, IconFileTypePdf, IconVolume } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { AttachedFile, Attachments } from './attachments.ts';
import classes from './thread.module.css';

const ICONS = { pdf: IconFileTypePdf, audio: IconVolume, text: IconFileText } as const;

/** 1.2 MB, 340 KB. */
export function sizeText(bytes: number): string {
  const kilobytes = bytes / 1024;
  return kilobytes < 1000
    ? `${Math.max(1, Math.round(kilobytes))} KB`
    : `${(kilobytes / 1024).toFixed(1)} MB`;
}

interface AttachmentListProps extends Attachments {
  onChange?: (left: Attachments) => void;
}

export function AttachmentList({ images, files, onChange }: AttachmentListProps) {
  const { t } = useTranslation('playground');
  if (images.length === 0 && files.length === 0) return null;
  return (
    <div className={`flow8 top8 ${classes.pictures}`}>
      {images.map((image, index) => (
        <span key={image.slice(-40)} className={classes.picture}>
          {image === '' ? null : <img src={image} alt={t('prompt.image', { number: index + 1 })} />}
          {onChange ? (
            <CloseButton
              size="xs"
              aria-label={t('composer.removeImage', { number: index + 1 })}
              onClick={() => onChange({ images: images.filter((other) => other !== image), files })}
            />
          ) : null}
        </span>
      ))}
      {files.map((file) => (
        <FileChip
          key={`${file.name} ${file.bytes}`}
          file={file}
          onRemove={
            onChange ? () => onChange({ images, files: files.filter((other) => other !== file) }) : undefined
          }
        />
      ))}
    </div>
  );
}

function FileChip({ file, onRemove }: { file: AttachedFile; onRemove: (() => void) | undefined }) {
  const { t } = useTranslation('playground');
  const Icon = ICONS[file.kind];
  return (
    <span className={classes.file}>
      <Icon size={16} stroke={1.6} aria-hidden />
      <span className="cut">{file.name}</span>
      <span className="fixed muted">{sizeText(file.bytes)}</span>
      {onRemove ? (
        <CloseButton
          size="xs"
          aria-label={t('composer.removeFile', { name: file.name })}
          onClick={onRemove}
        />
      ) : null}
    </span>
  );
}
