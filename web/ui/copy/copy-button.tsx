/** An icon that copies and shows a check mark for a moment. */
import { ActionIcon, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { announce } from '#web/ui/feedback/announce.ts';
import { copyText } from './copy.ts';

interface CopyButtonProps {
  /** The text, or how to get it (a key that has to be fetched first). */
  text: string | (() => string | Promise<string>);
  label?: string;
  size?: number;
}

export function CopyButton({ text, label, size = 24 }: CopyButtonProps) {
  const { t } = useTranslation('ui');
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);
  const name = copied ? t('copy.done') : (label ?? t('action.copy'));
  const copy = async () => {
    const value = typeof text === 'string' ? text : await text();
    const isCopied = await copyText(value);
    setCopied(isCopied);
    if (isCopied) announce(t('copy.done'));
  };
  return (
    <Tooltip label={name}>
      <ActionIcon
        size={size}
        aria-label={name}
        onClick={(event) => {
          event.stopPropagation();
          void copy();
        }}
      >
        {copied ? (
          <IconCheck size={14} stroke={2} color="var(--success-mark)" />
        ) : (
          <IconCopy size={14} stroke={1.6} />
        )}
      </ActionIcon>
    </Tooltip>
  );
}
