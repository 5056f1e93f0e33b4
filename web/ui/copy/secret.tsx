/** A secret: masked, revealed on a click, hidden again after 30 seconds. */
import { ActionIcon, Tooltip } from '@mantine/core';
import { IconEye, IconEyeOff } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from './copy-button.tsx';
import { maskSecret, REVEAL_SECONDS } from './mask.ts';
import classes from './secret.module.css';

interface SecretProps {
  value: string;
  /** Shown in front of the value and copied with it, e.g. `sk-`. */
  prefix?: string;
  label: string;
  /** Table cells have no reveal button; the row menu has one. */
  withReveal?: boolean;
  /** Where the same secret is shown elsewhere too, e.g. in a sample: revealed and hidden together. */
  reveal?: Reveal;
}

export type Reveal = readonly [revealed: boolean, setRevealed: (revealed: boolean) => void];

/** Hidden again after 30 seconds. */
export function useReveal(): Reveal {
  const [revealed, setRevealed] = useState(false);
  useEffect(() => {
    if (!revealed) return undefined;
    const timer = setTimeout(() => setRevealed(false), REVEAL_SECONDS * 1000);
    return () => clearTimeout(timer);
  }, [revealed]);
  return [revealed, setRevealed];
}

export function Secret({ value, prefix = '', label, withReveal = true, reveal }: SecretProps) {
  const { t } = useTranslation('ui');
  const own = useReveal();
  const [revealed, setRevealed] = reveal ?? own;
  const toggle = revealed ? t('secret.hide') : t('secret.reveal');
  return (
    <span className={classes.secret} data-revealed={revealed || undefined}>
      <code aria-label={revealed ? undefined : label}>
        {prefix}
        {revealed ? value : maskSecret(value)}
      </code>
      {withReveal ? (
        <Tooltip label={toggle}>
          <ActionIcon
            size={24}
            aria-label={toggle}
            aria-pressed={revealed}
            onClick={(event) => {
              event.stopPropagation();
              setRevealed(!revealed);
            }}
          >
            {revealed ? <IconEyeOff size={14} stroke={1.6} /> : <IconEye size={14} stroke={1.6} />}
          </ActionIcon>
        </Tooltip>
      ) : null}
      <CopyButton text={prefix + value} label={t('copy.named', { name: label })} />
    </span>
  );
}
