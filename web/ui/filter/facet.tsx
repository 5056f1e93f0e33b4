/** A facet: dashed while unset, solid and tinted with its value in accent when set. */
import { Checkbox, Menu, Popover, TextInput, UnstyledButton } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './filter.module.css';

export interface FacetOption {
  value: string;
  label: string;
  /** Rendered instead of the label, e.g. a tag. */
  node?: ReactNode;
}

export interface Facet {
  id: string;
  label: string;
  options: readonly FacetOption[];
  /** Empty: not set. */
  value: readonly string[];
  onChange: (value: string[]) => void;
  multiple?: boolean;
  /** Label of a search field: it filters the options, and Enter chooses the typed text. */
  typed?: string;
}

export function toggled(facet: Facet, value: string): string[] {
  const on = facet.value.includes(value);
  if (!facet.multiple) return on ? [] : [value];
  return on ? facet.value.filter((other) => other !== value) : [...facet.value, value];
}

function FacetValue({ facet }: { facet: Facet }) {
  const { t } = useTranslation('ui');
  const chosen = facet.options.filter((option) => facet.value.includes(option.value));
  if (chosen.length === 0) return facet.label;
  const value = chosen.length === 1 ? chosen[0]?.label : `${chosen.length} / ${facet.options.length}`;
  return (
    <span>
      {t('filter.chosen', { label: facet.label, value: '' })}
      <b>{value}</b>
    </span>
  );
}

/** The search field and the options of a facet with many or unknown values. */
function TypedChoice({ facet, onDone }: { facet: Facet; onDone?: () => void }) {
  const [text, setText] = useState('');
  const wanted = text.trim();
  const shown = facet.options.filter(({ label }) => label.toLowerCase().includes(wanted.toLowerCase()));
  return (
    <>
      <TextInput
        aria-label={facet.typed}
        placeholder={facet.typed}
        value={text}
        maxLength={200}
        data-autofocus
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || wanted === '') return;
          facet.onChange(facet.multiple ? [...new Set([...facet.value, wanted])] : [wanted]);
          setText('');
          onDone?.();
        }}
      />
      <div className={classes.options} role="group" aria-label={facet.label}>
        {shown.map((option) => {
          const on = facet.value.includes(option.value);
          return (
            <UnstyledButton
              key={option.value}
              className={`row8 size13 ${classes.option}`}
              role="checkbox"
              aria-checked={on}
              onClick={() => {
                facet.onChange(toggled(facet, option.value));
                if (!facet.multiple) onDone?.();
              }}
            >
              <Checkbox.Indicator checked={on} size="14px" radius={facet.multiple ? 3 : 7} aria-hidden />
              {option.node ?? option.label}
            </UnstyledButton>
          );
        })}
      </div>
    </>
  );
}

function TypedFacet({ facet }: { facet: Facet }) {
  const [opened, setOpened] = useState(false);
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-start" trapFocus returnFocus>
      <Popover.Target>
        <UnstyledButton
          className={`inline6 size13 ${classes.facet}`}
          data-set={facet.value.length > 0 || undefined}
          onClick={() => setOpened(!opened)}
        >
          <FacetValue facet={facet} />
          <IconChevronDown size={13} stroke={1.6} />
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown className={classes.typed} aria-label={facet.label}>
        <TypedChoice facet={facet} onDone={() => setOpened(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}

export function FacetMenu({ facet }: { facet: Facet }) {
  if (facet.typed !== undefined) return <TypedFacet facet={facet} />;
  return (
    <Menu position="bottom-start" closeOnItemClick={!facet.multiple}>
      <Menu.Target>
        <UnstyledButton
          className={`inline6 size13 ${classes.facet}`}
          data-set={facet.value.length > 0 || undefined}
        >
          <FacetValue facet={facet} />
          <IconChevronDown size={13} stroke={1.6} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown className={classes.facetMenu}>
        {facet.options.map((option) => {
          const on = facet.value.includes(option.value);
          return (
            <Menu.CheckboxItem
              key={option.value}
              checked={on}
              closeMenuOnClick={!facet.multiple}
              onChange={() => facet.onChange(toggled(facet, option.value))}
            >
              <span className="inline8">
                <Checkbox.Indicator checked={on} size="14px" radius={facet.multiple ? 3 : 7} aria-hidden />
                {option.node ?? option.label}
              </span>
            </Menu.CheckboxItem>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}

/** The same options as a list, for the phone's sheet. */
export function FacetList({ facet }: { facet: Facet }) {
  if (facet.typed !== undefined) {
    return (
      <fieldset className={`flow8 ${classes.facetList}`}>
        <legend>{facet.label}</legend>
        <TypedChoice facet={facet} />
      </fieldset>
    );
  }
  return (
    <fieldset className={`flow8 ${classes.facetList}`}>
      <legend>{facet.label}</legend>
      {facet.options.map((option) => {
        const on = facet.value.includes(option.value);
        return (
          <UnstyledButton
            key={option.value}
            className={classes.choice}
            role="checkbox"
            aria-checked={on}
            data-set={on || undefined}
            onClick={() => facet.onChange(toggled(facet, option.value))}
          >
            {option.label}
          </UnstyledButton>
        );
      })}
    </fieldset>
  );
}
