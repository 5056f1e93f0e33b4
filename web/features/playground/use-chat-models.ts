/** The group, the models and their prices that the playground asks with. */
import { useTranslation } from 'react-i18next';
import { useUser } from '#web/api/session.ts';
import { chatModels } from './prices.ts';
import { DEFAULT_MODEL } from './settings.ts';
import { useModelParameters } from './use-model-parameters.ts';
import { useLists } from './use-lists.ts';
import { usePlaygroundSettings } from './use-settings.ts';

export type ChatModels = ReturnType<typeof useChatModels>;

export function useChatModels(wanted: string | undefined) {
  const { t } = useTranslation('playground');
  const user = useUser();
  const [chosen, setSettings, resetSettings] = usePlaygroundSettings(wanted);
  const { groups, list, failure } = useLists(user?.id ?? 0);
  const own = user?.group ?? '';
  const group = Object.hasOwn(groups, chosen.group) ? chosen.group : own;
  const options = list ? chatModels(list.data, group) : [];
  // A model that no longer exists is replaced by the default, or by the first of the list.
  const fallback = options.includes(DEFAULT_MODEL) ? DEFAULT_MODEL : (options[0] ?? DEFAULT_MODEL);
  const models = chosen.models.map((model) =>
    options.length === 0 || options.includes(model) ? model : fallback,
  );
  const settings = { ...chosen, models };
  const parameters = useModelParameters(models);
  return {
    settings,
    /** Of each pane's model; undefined while it is loaded. */
    parameters,
    setSettings,
    resetSettings,
    models,
    options,
    fallback,
    group,
    // The user's own group is first.
    groups: Object.fromEntries(
      Object.entries(groups).toSorted(([left], [right]) => Number(right === own) - Number(left === own)),
    ),
    ratio: list?.group_ratio[group] ?? groups[group]?.ratio ?? 1,
    system: settings.system ?? t('systemPrompt'),
    entryOf: (model: string) => list?.data.find((entry) => entry.model_name === model),
    isLoaded: list !== undefined,
    failure,
    setModel: (pane: number, model: string) =>
      setSettings({ ...settings, models: models.map((before, index) => (index === pane ? model : before)) }),
    /** Further panes get models that are not asked yet. */
    setPanes: (count: number) => {
      const next = models.slice(0, count);
      while (next.length < count)
        next.push(options.find((model) => !next.includes(model)) ?? next[0] ?? fallback);
      setSettings({ ...settings, models: next });
    },
  };
}
