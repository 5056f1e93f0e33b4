/** Which models the token may call: chosen by name or vendor, or pasted as a list. */
import { Button, Popover, Switch, TagsInput, Textarea, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconShieldLock } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { modelLimitList } from '#contract/admin/tokens.ts';
import { Section } from '#web/ui/input/field.tsx';
import layout from '#web/ui/input/form.module.css';
import { tokenQueries } from '#web/features/tokens/queries.ts';
import type { TokenForm } from './use-token-form.ts';
import { vendorGroups } from './vendors.ts';
import pills from '#web/ui/input/pills.module.css';
import classes from './form.module.css';

/** Vendors with a button; the others are found by search. */
const OFFERED_VENDORS = 3;
const SHOWN_OPTIONS = 200;

function PasteList({ disabled, onAdd }: { disabled: boolean; onAdd: (models: string[]) => void }) {
  const { t } = useTranslation('tokens');
  const [open, setOpen] = useState(false);
  const [text, setText] = useState('');
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-start" trapFocus withinPortal>
      <Popover.Target>
        <UnstyledButton className={layout.link} disabled={disabled} onClick={() => setOpen(!open)}>
          {t('form.pasteList')}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('form.pasteList')}>
        <div className={`stack8 ${classes.paste}`}>
          <Textarea
            data-autofocus
            label={t('form.pasteHint')}
            minRows={4}
            maxRows={10}
            autosize
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Button
            variant="light"
            disabled={modelLimitList(text).length === 0}
            onClick={() => {
              onAdd(modelLimitList(text));
              setText('');
              setOpen(false);
            }}
          >
            {t('form.pasteAdd')}
          </Button>
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}

export function ModelsSection({ form }: { form: TokenForm }) {
  const { t } = useTranslation('tokens');
  const { data: available } = useQuery(tokenQueries.models());
  const groups = useMemo(() => vendorGroups(available ?? []), [available]);
  const enabled = form.values.model_limits_enabled;
  const chosen = modelLimitList(form.values.model_limits);
  const set = (models: readonly string[]) => form.set('model_limits', [...new Set(models)].join(','));
  const total = available?.length ?? 0;
  const unknown = available ? chosen.filter((model) => !available.includes(model)) : [];
  return (
    <Section
      icon={<IconShieldLock size={16} stroke={1.6} />}
      title={t('form.models')}
      fact={
        <>
          {enabled || !available ? null : t('form.modelsFact', { count: total })}
          <Switch
            aria-label={t('form.modelsSwitch')}
            checked={enabled}
            onChange={(event) => form.set('model_limits_enabled', event.currentTarget.checked)}
          />
        </>
      }
    >
      <TagsInput
        aria-label={t('form.models')}
        disabled={!enabled}
        error={form.errorOf('model_limits')}
        value={chosen}
        onChange={set}
        data={groups.map((group) => ({ group: group.vendor ?? t('form.otherModels'), items: group.models }))}
        limit={SHOWN_OPTIONS}
        splitChars={[',', '，', '\n']}
        placeholder={t('form.addModel')}
        maxDropdownHeight={260}
        acceptValueOnBlur={false}
        classNames={{ input: pills.pills, pill: pills.pill }}
      />
      {enabled ? (
        <div className={`${layout.links} note ${classes.picked}`}>
          <span>{t('form.modelsAllowed', { allowed: chosen.length, total })}</span>
          <PasteList disabled={!enabled} onAdd={(models) => set([...chosen, ...models])} />
          {groups.slice(0, OFFERED_VENDORS).map((group) =>
            group.vendor ? (
              <UnstyledButton
                key={group.vendor}
                className={layout.link}
                onClick={() => set([...chosen, ...group.models])}
              >
                {t('form.allOf', { vendor: group.vendor })}
              </UnstyledButton>
            ) : null,
          )}
          {chosen.length > 0 ? (
            <UnstyledButton className={layout.link} onClick={() => set([])}>
              {t('form.clearModels')}
            </UnstyledButton>
          ) : null}
        </div>
      ) : null}
      {enabled && chosen.length === 0 ? <p className="small warning">{t('form.modelsNone')}</p> : null}
      {enabled && unknown.length > 0 ? (
        <p className="small warning">
          {t('form.unknownModels', { count: unknown.length, models: unknown.slice(0, 5).join(', ') })}
        </p>
      ) : null}
    </Section>
  );
}
