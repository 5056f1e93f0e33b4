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
        label={t('form.mapping')}
        fromLabel={t('form.mappingFrom')}
        toLabel={t('form.mappingTo')}
        value={form.values.model_mapping}
        onChange={(value) => form.set('model_mapping', value)}
        template={JSON.stringify(MAPPING_TEMPLATE, null, 2)}
        hint={t('form.mappingHint')}
        error={form.errorOf('model_mapping')}
      />
      <PairEditor
        label={t('form.statusMapping')}
        fromLabel={t('form.statusFrom')}
        toLabel={t('form.statusTo')}
        value={form.values.status_code_mapping}
        onChange={(value) => form.set('status_code_mapping', value)}
        template={JSON.stringify(STATUS_TEMPLATE, null, 2)}
        hint={t('form.statusHint')}
        error={form.errorOf('status_code_mapping')}
      />
      <QuickPicks
        label={t('form.statusPresets')}
        picks={STATUS_PRESETS.map((value) => ({ label: value, value }))}
        onPick={addStatus}
      />
    </div>
  );
}
