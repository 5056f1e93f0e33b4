/** Chooses the type of upstream from a searchable grid of monograms. */
import { Popover, TextInput, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChannelType } from '#contract/relay/channel-fields.ts';
import { ProviderMark } from '#web/features/channels/list/provider-mark.tsx';
import own from './type-chooser.module.css';

interface TypeChooserProps {
  types: readonly ChannelType[];
  value: number;
  onChange: (type: ChannelType) => void;
}

export function matchingTypes(types: readonly ChannelType[], text: string): ChannelType[] {
  const wanted = text.trim().toLowerCase();
  return types.filter((type) => type.name.toLowerCase().includes(wanted) || String(type.type) === wanted);
}

export function TypeChooser({ types, value, onChange }: TypeChooserProps) {
  const { t } = useTranslation('channels');
  const [open, setOpen] = useState(false);
  const [text, setText] = useState('');
  const chosen = types.find((type) => type.type === value);
  const shown = matchingTypes(types, text);
  const choose = (type: ChannelType) => {
    onChange(type);
    setOpen(false);
    setText('');
  };
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-start" width={440} trapFocus withinPortal>
      <Popover.Target>
        <UnstyledButton
          className={`row8 ${own.chooser}`}
          aria-haspopup="dialog"
          onClick={() => setOpen(!open)}
        >
          <span className="hidden">{t('form.type')}: </span>
          <ProviderMark type={value} mark={chosen?.mark ?? '?'} />
          <span>{chosen?.name ?? t('form.typePlaceholder')}</span>
          <IconChevronDown size={14} stroke={1.6} />
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('form.type')}>
        <TextInput
          data-autofocus
          aria-label={t('form.typeSearch')}
          placeholder={t('form.typeSearch')}
          leftSection={<IconSearch size={14} stroke={1.6} />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            const [first] = shown;
            if (first) choose(first);
          }}
        />
        <div className={own.typeGrid}>
          {shown.map((type) => (
            <UnstyledButton
              key={type.type}
              className={`row6 size12 ${own.typeTile}`}
              data-on={type.type === value || undefined}
              data-unready={!type.is_ready || undefined}
              onClick={() => choose(type)}
            >
              <ProviderMark type={type.type} mark={type.mark} />
              <span>{type.name}</span>
              {type.is_ready ? null : <small>{t('notReadyShort')}</small>}
            </UnstyledButton>
          ))}
          {shown.length === 0 ? <p className="note">{t('form.typeNone')}</p> : null}
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}
