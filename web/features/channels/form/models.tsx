/** Which models the channel serves, for which groups. */
import { Button, TagsInput, TextInput, UnstyledButton } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ChannelType } from '#contract/relay/channel-fields.ts';
import { api } from '#web/api.ts';
import { useAllowing } from '#web/features/channels/allow-address.tsx';
import { toast } from '#web/ui/feedback/toast.tsx';
import { Field } from '#web/ui/input/field.tsx';
import layout from '#web/ui/input/form.module.css';
import { draftBody } from './values.ts';
import { addModels, modelDifference } from './model-list.ts';
import { pairsOf } from './pairs.ts';
import type { ChannelForm } from './use-channel-form.ts';
import pills from '#web/ui/input/pills.module.css';
import own from './models.module.css';

interface ModelsProps {
  form: ChannelForm;
  type: ChannelType | undefined;
  types: readonly ChannelType[];
  groups: readonly string[] | undefined;
  channelId: number | undefined;
}

const SHOWN_OPTIONS = 100;
/** Longer lists of fetched models get a filter. */
const FILTER_FROM = 12;

export function Models({ form, type, types, groups, channelId }: ModelsProps) {
  const { t } = useTranslation('channels');
  const { models } = form.values;
  const set = (next: readonly string[]) => form.set('models', [...new Set(next)]);
  const all = useMemo(() => [...new Set(types.flatMap((each) => each.models))], [types]);
  const related = type?.models ?? [];
  const [custom, setCustom] = useState('');
  const allowing = useAllowing();
  const fetched = useMutation({
    // The address is further up in the form and may be out of sight.
    mutationFn: () =>
      allowing(() => api.channelUpstream.fetchDraftModels({ body: draftBody(form.values, channelId) })),
  });
  const addCustom = () => {
    const added = addModels(models, custom);
    if (added.existing.length > 0) {
      toast.error(t('message.modelExists'));
      return;
    }
    set(added.models);
    setCustom('');
  };
  return (
    <div className={`stack12 ${layout.stack}`}>
      <Field
        label={t('form.models')}
        required
        error={form.errorOf('models')}
        fact={t('form.modelCount', { count: models.length })}
      >
        <TagsInput
          aria-label={t('form.models')}
          value={[...models]}
          onChange={set}
          data={related.length > 0 ? [...related] : all}
          limit={SHOWN_OPTIONS}
          splitChars={[',', '，', '\n']}
          placeholder={t('form.addModel')}
          maxDropdownHeight={260}
          acceptValueOnBlur={false}
          error={Boolean(form.errorOf('models'))}
          classNames={{ input: pills.pills, pill: pills.pill }}
        />
        <div className={`${layout.links} ${own.commands}`}>
          <UnstyledButton
            className={layout.tallLink}
            disabled={related.length === 0}
            onClick={() => set([...models, ...related])}
          >
            {t('form.fillRelated')}
          </UnstyledButton>
          <UnstyledButton className={layout.tallLink} onClick={() => set([...models, ...all])}>
            {t('form.fillAll')}
          </UnstyledButton>
          <UnstyledButton
            className={layout.tallLink}
            disabled={!type?.can_list_models || fetched.isPending}
            onClick={() => fetched.mutate()}
          >
            {fetched.isPending ? t('form.fetching') : t('form.fetchModels')}
          </UnstyledButton>
          <UnstyledButton className={layout.tallLink} disabled={models.length === 0} onClick={() => set([])}>
            {t('form.clearModels')}
          </UnstyledButton>
        </div>
      </Field>
      {fetched.data ? (
        <UpstreamDifference
          models={models}
          upstream={fetched.data}
          mapping={form.values.model_mapping}
          onSet={set}
        />
      ) : null}
      <div className={`flex8 ${own.customModel}`}>
        <TextInput
          aria-label={t('form.customModel')}
          placeholder={t('form.customModel')}
          value={custom}
          autoComplete="off"
          onChange={(event) => setCustom(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            if (custom.trim() !== '') addCustom();
          }}
        />
        <Button variant="default" disabled={custom.trim() === ''} onClick={addCustom}>
          {t('form.addCustom')}
        </Button>
      </div>
      <Field label={t('form.groups')} required error={form.errorOf('groups')}>
        <TagsInput
          {...form.control('groups')}
          aria-label={t('form.groups')}
          value={[...form.values.groups]}
          data={[...(groups ?? [])]}
          splitChars={[',', '，', '\n']}
          placeholder={form.values.groups.length === 0 ? t('form.groupsPlaceholder') : undefined}
          classNames={{ input: pills.pills, pill: pills.pill }}
        />
      </Field>
    </div>
  );
}

interface DifferenceProps {
  models: readonly string[];
  upstream: readonly string[];
  mapping: string;
  onSet: (models: readonly string[]) => void;
}

/** Models only the upstream has, and models only the channel has. */
function UpstreamDifference({ models, upstream, mapping, onSet }: DifferenceProps) {
  const { t } = useTranslation('channels');
  const renamed = Object.fromEntries((pairsOf(mapping) ?? []).map(({ from, to }) => [from, to]));
  const { missing, gone } = modelDifference(models, upstream, renamed);
  return (
    <div className={own.difference} role="status">
      <b>{t('form.fetched', { count: upstream.length })}</b>
      {missing.length + gone.length === 0 ? <p>{t('form.fetchedSame')}</p> : null}
      <Choice
        kind="add"
        models={missing}
        onChoose={(chosen) => onSet([...models, ...chosen])}
        allLabel={t('form.fetchedAdd', { count: missing.length })}
      />
      <Choice
        kind="remove"
        models={gone}
        onChoose={(chosen) => onSet(models.filter((model) => !chosen.includes(model)))}
        allLabel={t('form.fetchedRemove', { count: gone.length })}
      />
    </div>
  );
}

interface ChoiceProps {
  kind: 'add' | 'remove';
  models: readonly string[];
  onChoose: (models: readonly string[]) => void;
  allLabel: string;
}

/** Each model by a click, those that contain a text, or all. */
function Choice({ kind, models, onChoose, allLabel }: ChoiceProps) {
  const { t } = useTranslation('channels');
  const [filter, setFilter] = useState('');
  if (models.length === 0) return null;
  const found = models.filter((model) => model.toLowerCase().includes(filter.trim().toLowerCase()));
  const isFiltered = found.length < models.length;
  return (
    <div className={own.choice} data-kind={kind}>
      <div className="row12 between">
        {models.length > FILTER_FROM ? (
          <TextInput
            size="xs"
            aria-label={t('form.fetchedFilter')}
            placeholder={t('form.fetchedFilter')}
            value={filter}
            onChange={(event) => setFilter(event.currentTarget.value)}
          />
        ) : null}
        <UnstyledButton className={layout.tallLink} onClick={() => onChoose(found)}>
          {isFiltered ? t(`form.${kind}Found`, { count: found.length }) : allLabel}
        </UnstyledButton>
      </div>
      <div className={`flow4 top4 ${own.choiceList}`}>
        {found.map((model) => (
          <UnstyledButton
            key={model}
            aria-label={t(`form.${kind}One`, { model })}
            onClick={() => onChoose([model])}
          >
            {kind === 'add' ? '+' : '−'} {model}
          </UnstyledButton>
        ))}
      </div>
    </div>
  );
}
