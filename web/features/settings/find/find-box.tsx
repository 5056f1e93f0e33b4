/** The search across all tabs: a field with the matching options; choosing one opens it. */
import { Combobox, TextInput, useCombobox } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { currentLanguage } from '#web/i18n/i18n.ts';
import { findOptions } from './find.ts';
import { SECTION_WORDS, type Section } from '#web/features/settings/sections.ts';
import type { OptionsForm } from '#web/features/settings/use-options.ts';
import classes from './find-box.module.css';

interface FindBoxProps {
  form: OptionsForm;
  onFound: (section: Section, key: string) => void;
  /** A drawer is open beside the page. */
  hasDrawer: boolean;
}

export function FindBox({ form, onFound, hasDrawer }: FindBoxProps) {
  const { t } = useTranslation('settings');
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const [query, setQuery] = useState('');
  const items = form.sections.flatMap((section) =>
    section.fields.map((field) => ({
      field,
      place: section,
      section: `${t(`section.${section.id}`)} ${section.id} ${SECTION_WORDS[section.id] ?? ''}`,
    })),
  );
  const found = findOptions(items, query);
  const { selectFirstOption } = combobox;
  useEffect(() => {
    // The options of this query are rendered by now; Enter chooses the best one.
    if (query !== '') selectFirstOption();
  }, [query, selectFirstOption]);
  return (
    <Combobox
      store={combobox}
      onOptionSubmit={(key) => {
        const item = found.find(({ field }) => field.key === key);
        combobox.closeDropdown();
        setQuery('');
        if (item) onFound(item.place, key);
      }}
    >
      <Combobox.Target>
        <TextInput
          className={`${classes.find} ${hasDrawer ? classes.besideDrawer : ''}`}
          aria-label={t('find.label')}
          placeholder={t('find.placeholder')}
          leftSection={<IconSearch size={15} stroke={1.6} />}
          value={query}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => {
            setQuery(event.currentTarget.value);
            combobox.openDropdown();
          }}
          onFocus={() => {
            if (query !== '') combobox.openDropdown();
          }}
          onBlur={() => combobox.closeDropdown()}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={query.trim() === ''}>
        <Combobox.Options aria-label={t('find.label')} className={classes.found}>
          {found.map(({ field, place }) => (
            <Combobox.Option key={field.key} value={field.key}>
              <span className="block">{field.label[currentLanguage()]}</span>
              <span className={`block tiny ${classes.foundPlace}`}>
                {t(`tab.${place.tab}`)} / {t(`section.${place.id}`)} <code>{field.key}</code>
              </span>
            </Combobox.Option>
          ))}
          {found.length === 0 ? <Combobox.Empty>{t('find.none')}</Combobox.Empty> : null}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
