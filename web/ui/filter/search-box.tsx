/** The search of a list: searches when the typing pauses, at once on Enter; `/` focuses it, Escape clears it. */
import { ActionIcon, TextInput } from '@mantine/core';
import { IconSearch, IconX } from '@tabler/icons-react';
import { useEffect, useRef, useState, type Ref } from 'react';
import { useTranslation } from 'react-i18next';
import { KeyHint } from '#web/ui/badge/tag.tsx';
import { usePhone } from '#web/ui/page/breakpoints.ts';
import classes from './filter.module.css';

export interface SearchField {
  value: string;
  onChange: (value: string) => void;
  placeholder: string;
  /** Takes over a text that must not be searched for and returns true; the field then forgets it. */
  takeOver?: (text: string) => boolean;
}

interface SearchBoxProps extends SearchField {
  ref?: Ref<HTMLInputElement>;
  /** A second search field, without the `/` key. */
  second?: boolean;
}

const PAUSE_MILLISECONDS = 300;

export function SearchBox({ value, onChange, placeholder, takeOver, ref, second = false }: SearchBoxProps) {
  const { t } = useTranslation('ui');
  const phone = usePhone();
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [seen, setSeen] = useState(value);
  // The URL changed elsewhere (back button, clear): show its value.
  if (seen !== value) {
    setSeen(value);
    setText(value);
  }
  useEffect(() => () => clearTimeout(timer.current), []);

  const ask = (next: string, wait: number) => {
    clearTimeout(timer.current);
    if (takeOver?.(next)) {
      setText(value);
      return;
    }
    setText(next);
    timer.current = setTimeout(() => {
      if (next.trim() !== value) onChange(next.trim());
    }, wait);
  };
  const right = text ? (
    <ActionIcon size={phone ? 32 : 22} aria-label={t('filter.clear')} onClick={() => ask('', 0)}>
      <IconX size={13} stroke={1.6} />
    </ActionIcon>
  ) : phone || second ? null : (
    <KeyHint>/</KeyHint>
  );
  return (
    <TextInput
      ref={ref}
      className={second ? classes.secondSearch : classes.search}
      type="text"
      inputMode="search"
      enterKeyHint="search"
      aria-label={placeholder}
      placeholder={placeholder}
      value={text}
      maxLength={200}
      autoComplete="off"
      spellCheck={false}
      leftSection={<IconSearch size={15} stroke={1.6} />}
      rightSection={right}
      onChange={(event) => ask(event.currentTarget.value, PAUSE_MILLISECONDS)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') ask(text, 0);
        if (event.key === 'Escape') {
          event.stopPropagation();
          if (text) ask('', 0);
          else event.currentTarget.blur();
        }
      }}
    />
  );
}
