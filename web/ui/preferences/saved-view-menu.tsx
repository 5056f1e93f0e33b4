/** A menu of named states: choose one, delete one, save the current state under a name. */
import { ActionIcon, Button, Popover, TextInput, Tooltip } from '@mantine/core';
import { IconBookmark, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { VIEW_NAME_LENGTH } from './saved-views.ts';
import classes from './saved-view-menu.module.css';

interface SavedViewMenuProps {
  label: string;
  /** Built in; cannot be deleted. */
  given?: readonly { id: string; name: string; onChoose: () => void }[];
  saved: readonly { name: string; onChoose: () => void; onRemove: () => void }[];
  /** The label of the name field. */
  placeholder: string;
  onSave: (name: string) => void;
}

export function SavedViewMenu({ label, given = [], saved, placeholder, onSave }: SavedViewMenuProps) {
  const { t } = useTranslation('ui');
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState('');
  const choose = (run: () => void) => () => {
    setOpen(false);
    run();
  };
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" trapFocus>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<IconBookmark size={15} stroke={1.6} />}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={classes.drop} aria-label={label}>
        <ul className={classes.list}>
          {given.map((entry) => (
            <li key={entry.id}>
              <button type="button" onClick={choose(entry.onChoose)}>
                {entry.name}
              </button>
            </li>
          ))}
          {saved.map((entry) => (
            <li key={`saved ${entry.name}`}>
              <button type="button" onClick={choose(entry.onChoose)}>
                {entry.name}
              </button>
              <Tooltip label={t('saved.remove', { name: entry.name })}>
                <ActionIcon
                  size={24}
                  aria-label={t('saved.remove', { name: entry.name })}
                  onClick={entry.onRemove}
                >
                  <IconX size={13} stroke={1.6} />
                </ActionIcon>
              </Tooltip>
            </li>
          ))}
        </ul>
        <form
          className={classes.form}
          onSubmit={(event) => {
            event.preventDefault();
            event.stopPropagation();
            const text = name.trim();
            if (text === '') return;
            onSave(text);
            setName('');
            setOpen(false);
          }}
        >
          <TextInput
            aria-label={placeholder}
            placeholder={placeholder}
            maxLength={VIEW_NAME_LENGTH}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Button type="submit" disabled={name.trim() === ''}>
            {t('action.save')}
          </Button>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}
