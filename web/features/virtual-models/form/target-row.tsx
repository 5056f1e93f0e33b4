/** A target in the sheet: its model and its rules in words; opened, the rules themselves. */
import { ActionIcon, Autocomplete, Menu, UnstyledButton } from '@mantine/core';
import {
  IconArrowDown,
  IconArrowUp,
  IconChevronDown,
  IconChevronRight,
  IconCopy,
  IconDots,
  IconGripVertical,
  IconTrash,
} from '@tabler/icons-react';
import { useId, type ComponentProps } from 'react';
import { useTranslation } from 'react-i18next';
import { useRuleWords } from '#web/features/virtual-models/rule-words.ts';
import { TargetRules } from './target-rules.tsx';
import type { TargetDraft } from './values.ts';
import classes from './form.module.css';

interface TargetRowProps {
  target: TargetDraft;
  /** From 1. */
  place: number;
  isLast: boolean;
  isOpen: boolean;
  /** Undefined: not known yet. */
  models: readonly string[] | undefined;
  /** By the place in the target. */
  problems: ReadonlyMap<string, string>;
  handle: Pick<ComponentProps<'button'>, 'onKeyDown' | 'onPointerDown'>;
  onToggle: (isOpen: boolean) => void;
  onMove: (to: number) => void;
  onChange: (change: Partial<TargetDraft>) => void;
  onDuplicate: () => void;
  /** Undefined: the only one. */
  onRemove: (() => void) | undefined;
}

const SIZE = { size: 15, stroke: 1.6 };

export function TargetRow(props: TargetRowProps) {
  const { target, place, models, problems, handle, onToggle, onChange } = props;
  const { t } = useTranslation('virtual-models');
  const rulesId = useId();
  const words = useRuleWords();
  const { model, when, fall_back_on } = target;
  // A rule that was refused is never hidden.
  const isOpen = props.isOpen || [...problems.keys()].some((at) => at !== 'model');
  const isUnknown = model.trim() !== '' && models !== undefined && !models.includes(model.trim());
  const conditions = words.conditions(when);
  const problem = problems.get('model');
  return (
    <li className={classes.target} data-row aria-label={t('form.target.label', { place })}>
      <div className="row6">
        <button
          type="button"
          className={classes.grip}
          aria-label={t('form.target.move', { place })}
          {...handle}
        >
          <IconGripVertical {...SIZE} aria-hidden />
        </button>
        <span className={`muted tabular ${classes.place}`}>{place}</span>
        <div className="grow" data-field-error={problem ? true : undefined}>
          <Autocomplete
            aria-label={t('form.target.model', { place })}
            value={model}
            data={[...(models ?? [])]}
            limit={50}
            maxLength={255}
            spellCheck={false}
            error={problem !== undefined}
            onChange={(typed) => onChange({ model: typed })}
          />
        </div>
        <RowMenu {...props} />
      </div>
      {problem ? <p className={`small danger ${classes.under}`}>{problem}</p> : null}
      {!problem && isUnknown ? (
        <p className={`small warning ${classes.under}`}>{t('form.target.unknown')}</p>
      ) : null}
      <UnstyledButton
        className={`row4 note ${classes.toggle}`}
        aria-expanded={isOpen}
        aria-controls={rulesId}
        aria-label={t('form.target.rules', { place })}
        onClick={() => onToggle(!isOpen)}
      >
        {isOpen ? <IconChevronDown size={14} /> : <IconChevronRight size={14} />}
        <span className="anywhere">
          {conditions.length === 0 ? t('rule.always') : words.joined(conditions)}
          {' · '}
          {t('form.next', { kinds: words.fallbacks(fall_back_on) })}
        </span>
      </UnstyledButton>
      <div id={rulesId} hidden={!isOpen}>
        {isOpen ? <TargetRules target={target} problems={problems} onChange={onChange} /> : null}
      </div>
    </li>
  );
}

function RowMenu({ place, isLast, onMove, onDuplicate, onRemove }: TargetRowProps) {
  const { t } = useTranslation('virtual-models');
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon size={24} aria-label={t('form.target.actions', { place })}>
          <IconDots {...SIZE} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<IconArrowUp {...SIZE} />}
          disabled={place === 1}
          onClick={() => onMove(place - 2)}
        >
          {t('form.target.up')}
        </Menu.Item>
        <Menu.Item leftSection={<IconArrowDown {...SIZE} />} disabled={isLast} onClick={() => onMove(place)}>
          {t('form.target.down')}
        </Menu.Item>
        <Menu.Item leftSection={<IconCopy {...SIZE} />} onClick={onDuplicate}>
          {t('form.target.duplicate')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          data-danger
          leftSection={<IconTrash {...SIZE} />}
          disabled={onRemove === undefined}
          onClick={onRemove}
        >
          {t('form.target.remove')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
