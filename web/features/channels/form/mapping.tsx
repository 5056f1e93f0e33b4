/** Model names and status codes that the channel maps to others. */
import { useTranslation } from 'react-i18next';
import { MAPPING_TEMPLATE } from '#contract/relay/channel-fields.ts';
import { QuickPicks } from '#web/ui/input/chips.tsx';
import layout from '#web/ui/input/form.module.css';
import { PairEditor } from './pair-editor.tsx';
import { pairsOf, textOfPairs } from './pairs.ts';
import type { ChannelForm } from './use-channel-form.ts';

const STATUS_TEMPLATE = { 400: '500' } as const;
/** Mappings for upstreams that use a status code with another meaning. */
const STATUS_PRESETS = ['400→500', '403→429', '404→503', '529→503'] as const;

export function MappingSection({ form }: { form: ChannelForm }) {
  const { t } = useTranslation('channels');
  const addStatus = (preset: string) => {
    const [from = '', to = ''] = preset.split('→');
    const pairs = (pairsOf(form.values.status_code_mapping) ?? []).filter((pair) => pair.from !== from);
    form.set('status_code_mapping', textOfPairs([...pairs, { from, to }]));
  };
  return (
    <div className={`stack12 ${layout.stack}`}>
      <PairEditor
        {...form.field('model_mapping')}
        label={t('form.mapping')}
        fromLabel={t('form.mappingFrom')}
        toLabel={t('form.mappingTo')}
        template={JSON.stringify(MAPPING_TEMPLATE, null, 2)}
        hint={t('form.mappingHint')}
      />
      <PairEditor
        {...form.field('status_code_mapping')}
        label={t('form.statusMapping')}
        fromLabel={t('form.statusFrom')}
        toLabel={t('form.statusTo')}
        template={JSON.stringify(STATUS_TEMPLATE, null, 2)}
        hint={t('form.statusHint')}
      />
      <QuickPicks
        label={t('form.statusPresets')}
        picks={STATUS_PRESETS.map((value) => ({ label: value, value }))}
        onPick={addStatus}
      />
    </div>
  );
}
